import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Checks of all connections per bound. */
const LOOKS_PER_BOUND = 4

/**
 * Closes connections whose clients do not read their answers: nothing of the pending output has been sent for the
 * bound. A blocking query has no output while it waits, so it is not affected.
 *
 * Node's own socket timeout detects whether a large write makes progress. It is only set on sockets with pending
 * output, since it would end waits as well.
 *
 * @param opened the event of a connection that HTTP is spoken on.
 * @returns stops the checks.
 */
export function closeStalledReaders(
  servers: readonly Server[],
  opened: 'connection' | 'secureConnection',
  stallMsMax: number,
): () => void {
  const sockets = new Set<Socket>()
  for (const server of servers) {
    server.on(opened, (socket: Socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
  }
  const timer = setInterval(() => {
    for (const socket of sockets) {
      const isWatched = socket.timeout === stallMsMax
      // Any other timeout is that of an idle connection.
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(stallMsMax)
      else if (socket.writableLength === 0 && isWatched) socket.setTimeout(0)
    }
  }, stallMsMax / LOOKS_PER_BOUND)
  timer.unref()
  return () => clearInterval(timer)
}
