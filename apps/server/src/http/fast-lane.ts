import type { IncomingMessage } from 'node:http'
import { matchPath } from '@latchkey/contract'

const API_PREFIX = '/v1'

/**
 * Whether a request takes the lane in front of Express: a read that the process usually answers from memory.
 *
 * Express costs a third of such a read (`bench/README.md`), so these reads skip it and go straight to the listener
 * behind every Express route. The lane takes GET requests whose path belongs to a blocking read in the contract, such
 * as reads of tokens, keys and the catalog. Everything else that Node parses goes through Express: writes, other
 * methods, other reads, and every spelling that Express would have to decode. `LATCHKEY_FAST_LANE=off` closes the lane.
 * Answers are the same bytes either way; `express-bytes.test.ts` compares them. Requests with known headers skip Node's
 * messages, too (`repeats/repeats.ts`).
 */
export function isOnFastLane({ method, url }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  if (method !== 'GET' || !url?.startsWith(`${API_PREFIX}/`)) return false
  const queryAt = url.indexOf('?')
  const path = url.slice(API_PREFIX.length, queryAt < 0 ? url.length : queryAt)
  if (path.includes('%')) return false
  return matchPath(path)?.form.byMethod.get('GET')?.endpoint.blocking !== undefined
}
