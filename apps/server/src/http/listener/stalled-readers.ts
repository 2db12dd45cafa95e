import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How many times the connections are looked through within the bound. */
const LOOKS_PER_BOUND = 4

/**
 * Closes the connections whose clients leave their answers unread: nothing of what is to be written has left for the
 * bound. A blocking query has nothing to write while it waits, so it is not touched.
 *
 * Node's own timeout of a socket knows whether a large write makes progress. It is set on those alone that have something
 * to write, since it would end waits as well.
 *
 * @returns stops the looking.
 */
export function closeStalledReaders(servers: readonly Server[], stallMsMax: number): () => void {
  const sockets = new Set<Socket>()
  for (const server of servers) {
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
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
