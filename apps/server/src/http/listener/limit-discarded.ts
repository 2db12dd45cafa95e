import type { IncomingMessage, ServerResponse } from 'node:http'

/** As much of an unread body is discarded, so that its client has time to read why and may go on. */
const DISCARDED_BYTES_MAX = 1_048_576
const LOOK_INTERVAL_MS = 5

/**
 * Cuts the connection of a client that goes on sending a long body after it was answered: one that was refused before
 * its body was read costs no more than {@link DISCARDED_BYTES_MAX} (DOS-04).
 */
export function limitDiscarded(request: IncomingMessage, response: ServerResponse): void {
  if (!mayBeLong(request)) return
  response.once('finish', () => {
    if (request.complete) return
    const { socket } = request
    const bytesMax = socket.bytesRead + DISCARDED_BYTES_MAX
    // Node discards what nobody reads without telling anybody but this counter.
    const looking = setInterval(() => {
      if (socket.bytesRead > bytesMax) socket.destroy()
      if (request.complete || socket.destroyed) clearInterval(looking)
    }, LOOK_INTERVAL_MS)
  })
}

function mayBeLong({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > DISCARDED_BYTES_MAX
  )
}
