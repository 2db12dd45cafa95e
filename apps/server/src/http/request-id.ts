import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isClientRequestId, REQUEST_ID_HEADER } from '@latchkey/contract'

const HEADER = REQUEST_ID_HEADER.toLowerCase()

/** Unique among processes and restarts; a counter keeps it cheap. */
const processPart = randomBytes(6).toString('hex')
let count = 0

/** The client's own id if it is valid, otherwise a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[HEADER]
  if (typeof given === 'string' && isClientRequestId(given)) return given
  count += 1
  return `${processPart}-${count.toString(36)}`
}
