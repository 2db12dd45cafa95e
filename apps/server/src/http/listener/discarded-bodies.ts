import type { IncomingMessage, RequestListener } from 'node:http'
import { limits } from '@latchkey/contract'

/** Maximum bytes of a refused body that are discarded, so that its client can read the refusal. */
const DISCARDED_BYTES_MAX = limits.BODY_BYTES_MAX + 65_536
/** Node has already read a shorter body when it is refused. */
const SHORT_BYTES_MAX = 65_536
const LOOK_INTERVAL_MS = 1
/** Pause between the bodies of two connections: 20 MiB per second. */
const NEXT_BODY_MS = 50

/**
 * Calls the listener with each request, and discards the rest of bodies whose requests were refused before they were
 * read: up to {@link DISCARDED_BYTES_MAX}, then the connection is closed (DOS-04). One body begins at a time, since each
 * read of 64 KiB takes memory until the next garbage collection. Other connections are not read until their turn.
 */
export function discardBodies(listener: RequestListener): RequestListener {
  const waiting = new Set<IncomingMessage>()
  let timer: NodeJS.Timeout | undefined
  const next = () => {
    const [request] = waiting
    if (request) {
      waiting.delete(request)
      cutAtBound(request)
      request.socket.resume()
      return
    }
    clearInterval(timer)
    timer = undefined
  }
  const discard = (request: IncomingMessage) => {
    const { socket } = request
    if (request.complete || socket.destroyed) return
    if (timer === undefined) {
      timer = setInterval(next, NEXT_BODY_MS)
      cutAtBound(request)
      return
    }
    socket.pause()
    waiting.add(request)
    socket.once('close', () => waiting.delete(request))
  }
  return (request, response) => {
    // A body may have arrived completely while it waited for its turn. Node would then have no reason to resume.
    if (!request.complete && mayBeLong(request)) {
      // Node reads up to 128 KiB ahead. It resumes by itself when the body is read, or after the answer.
      request.socket.pause()
      // After Node, which resumes reading as soon as it has answered.
      response.once('finish', () => setImmediate(() => discard(request)))
    }
    listener(request, response)
  }
}

function cutAtBound(request: IncomingMessage): void {
  const { socket } = request
  const bytesMax = socket.bytesRead + DISCARDED_BYTES_MAX
  // Node drains unread bodies silently; `bytesRead` is the only signal.
  const looking = setInterval(() => {
    if (!request.complete && socket.bytesRead > bytesMax) socket.destroy()
    if (request.complete || socket.destroyed) clearInterval(looking)
  }, LOOK_INTERVAL_MS)
}

function mayBeLong({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SHORT_BYTES_MAX
  )
}
