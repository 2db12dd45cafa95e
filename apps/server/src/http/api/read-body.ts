import type { IncomingMessage } from 'node:http'
import { AclError, limits } from '@latchkey/contract'
import type { Reservation } from './body-budget.ts'

/** Maximum time for a body to arrive, in milliseconds. A blocking query has no body, so its wait is not limited. */
const BODY_MS_MAX = 30_000

interface BodyReading {
  readonly bytesMax: number
  /** Reserves room for a long body; called at most once. */
  readonly askForRoom: (bytes: number, onOverdue: () => void) => Reservation
  readonly onBegin?: () => void
}

const SHORT_BYTES_MAX = limits.ANONYMOUS_BODY_BYTES_MAX

/**
 * Reads a request's body after its caller was identified. A body announced as too long is refused unread, and a body
 * that turns out to be too long is refused at the limit. `discardBodies` limits how much of the rest is discarded.
 *
 * @throws AclError `body_too_large`, `request_timeout`, `unavailable`, `body_malformed` if the client aborted it.
 */
export async function readBody(request: IncomingMessage, reading: BodyReading): Promise<Uint8Array> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > reading.bytesMax) throw bodyTooLarge(reading.bytesMax)
  // A short body usually arrives with its headers, and needs neither a time limit nor listeners.
  const isShort = announced > 0 && announced <= SHORT_BYTES_MAX
  if (isShort && announced === request.readableLength && !request.destroyed) {
    const body = request.read()
    // The stream must still be read to its end.
    request.resume()
    return body
  }
  return receiveBody(request, reading, announced)
}

async function receiveBody(
  request: IncomingMessage,
  { bytesMax, askForRoom, onBegin }: BodyReading,
  announced: number,
): Promise<Uint8Array> {
  let overdue = () => {}
  const ask = (bytes: number) => askForRoom(bytes, () => overdue())
  let room = announced > SHORT_BYTES_MAX ? ask(announced) : undefined
  await room?.granted
  onBegin?.()
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let length = 0
    const timer = setTimeout(() => fail(tooSlow()), BODY_MS_MAX)
    const finish = () => {
      clearTimeout(timer)
      room?.arrived()
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
    }
    const fail = (error: unknown) => {
      finish()
      // Without a listener, Node drains the rest.
      request.resume()
      reject(error)
    }
    overdue = () => fail(tooSlow())
    const onData = (piece: Buffer) => {
      length += piece.length
      if (length > bytesMax) {
        fail(bodyTooLarge(bytesMax))
        return
      }
      pieces.push(piece)
      if (room || length <= SHORT_BYTES_MAX) return
      request.pause()
      room = ask(bytesMax)
      room.granted.then(() => request.resume(), fail)
    }
    const onEnd = () => {
      finish()
      resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces))
    }
    const onBroken = () =>
      fail(new AclError('body_malformed', 'The body ended before its announced length', CLOSE))
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
    if (request.destroyed) onBroken()
  })
}

/** Closes the connection, because the start of the next request is unknown. */
const CLOSE = { headers: { Connection: 'close' } }

export function bodyTooLarge(bytesMax: number): AclError {
  return new AclError('body_too_large', `The body is larger than ${bytesMax} bytes`)
}

function tooSlow(): AclError {
  const message = `The body did not arrive within ${BODY_MS_MAX / 1_000} seconds, or kept others waiting`
  return new AclError('request_timeout', message, CLOSE)
}
