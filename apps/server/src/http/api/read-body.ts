import type { IncomingMessage } from 'node:http'
import { AclError } from '@latchkey/contract'

/** How long a body may take to arrive, in milliseconds. A blocking query has none, so waiting is not touched. */
const BODY_MS_MAX = 30_000

/**
 * Reads a request's body, which nobody has read before: the caller is known by now. What is announced too long is
 * refused unread, and what turns out too long at the bound; the rest is discarded, as far as {@link limitDiscarded} lets it.
 *
 * @throws AclError `body_too_large`, `request_timeout`, `body_malformed` where the client broke off.
 */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Uint8Array> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > bytesMax) return Promise.reject(tooLarge(bytesMax))
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let length = 0
    const timer = setTimeout(() => {
      fail(
        new AclError(
          'request_timeout',
          `The body did not arrive within ${BODY_MS_MAX / 1_000} seconds`,
          CLOSE,
        ),
      )
    }, BODY_MS_MAX)
    const finish = () => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
    }
    const fail = (error: AclError) => {
      finish()
      // Without a listener the rest flows away.
      request.resume()
      reject(error)
    }
    const onData = (piece: Buffer) => {
      length += piece.length
      if (length > bytesMax) fail(tooLarge(bytesMax))
      else pieces.push(piece)
    }
    const onEnd = () => {
      finish()
      resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces))
    }
    const onBroken = () =>
      fail(new AclError('body_malformed', 'The body ended before its announced length', CLOSE))
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  })
}

/** Nobody knows where the next request would begin. */
const CLOSE = { headers: { Connection: 'close' } }

function tooLarge(bytesMax: number): AclError {
  return new AclError('body_too_large', `The body is larger than ${bytesMax} bytes`)
}
