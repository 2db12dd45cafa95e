import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Checks of all connections per bound. */
const LOOKS_PER_BOUND = 4

/**
 * Closes connections whose clients do not read their answers: nothing of the pending output has been sent for the
 * bound. A blocking query has no output while it waits, so it is not affected.
 *
 * Node's own socket timeout detects whether a large write makes progress. It is only set on sockets with pending
 * output, since it would end waits as well. When the output is read, the connection gets its previous timeout back.
 *
 * @param opened the event of a connection that is ready for HTTP.
 * @returns stops the checks.
 */
export function closeStalledReaders(
  servers: readonly Server[],
  opened: 'connection' | 'secureConnection',
  stallMsMax: number,
): () => void {
  /** Each with its timeout from before it was watched. */
  const sockets = new Map<Socket, number>()
  for (const server of servers) {
    server.on(opened, (socket: Socket) => {
      sockets.set(socket, 0)
      socket.on('close', () => sockets.delete(socket))
    })
  }
  const timer = setInterval(() => {
    for (const [socket, unwatchedMs] of sockets) {
      const isWatched = socket.timeout === stallMsMax
      if (socket.writableLength > 0 && !isWatched) {
        sockets.set(socket, socket.timeout ?? 0)
        socket.setTimeout(stallMsMax)
      } else if (socket.writableLength === 0 && isWatched) socket.setTimeout(unwatchedMs)
    }
  }, stallMsMax / LOOKS_PER_BOUND)
  timer.unref()
  return () => clearInterval(timer)
}
