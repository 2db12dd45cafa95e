/** The options of a blocking query. Spec 4.1; decisions: blocking queries. */
import { AclError, consistencyConflict, limits, type Query } from '@latchkey/contract'
import type { ConsistencyMode } from '../store/store.ts'

/**
 * Parses a query string. If an option is repeated, its first value is used.
 * @throws AclError `query_invalid` if it cannot be percent-decoded.
 */
export function paramsOf(url: string): URLSearchParams {
  const queryAt = url.indexOf('?')
  if (queryAt < 0) return NO_PARAMS
  const text = url.slice(queryAt + 1)
  if (/%(?![0-9a-fA-F]{2})/.test(text))
    throw new AclError('query_invalid', 'The query string cannot be percent-decoded')
  return new URLSearchParams(text)
}

const NO_PARAMS = new URLSearchParams()

export interface ReadOptions {
  readonly mode: ConsistencyMode
  /** Maximum age of the state that `stale` may show, in milliseconds. */
  readonly maxStaleMs: number | undefined
  /** 0: do not wait. */
  readonly index: number
  /** Without jitter. */
  readonly waitMs: number
}

export const PLAIN_READ: ReadOptions = { mode: 'default', maxStaleMs: undefined, index: 0, waitMs: 0 }

/** The options that every blocking query has, taken from one without others. */
export type BlockingQuery = Query<'tokens.self'>

/**
 * Checks the options of a blocking query, and `Cache-Control`, in the reference's order.
 * @throws AclError `query_invalid` naming the option, `header_invalid`.
 */
export function readOptionsOf(query: BlockingQuery, cacheControl: string | undefined): ReadOptions {
  const conflict = consistencyConflict(query)
  if (conflict) throw new AclError('query_invalid', conflict.message, { field: conflict.field })
  const maxStaleMs = query.max_stale
  if (cacheControl !== undefined) checkCacheControl(cacheControl)
  const waitMs = query.wait ?? limits.WAIT_MS_DEFAULT
  const isStale = query.stale || maxStaleMs !== undefined
  return {
    mode: query.consistent ? 'consistent' : isStale ? 'stale' : 'default',
    maxStaleMs,
    index: query.index ?? 0,
    waitMs,
  }
}

/** Checks the two directives with a number of seconds. */
function checkCacheControl(header: string): void {
  for (const directive of header.split(',')) {
    const [name = '', value] = directive.trim().toLowerCase().split('=')
    if ((name === 'max-age' || name === 'stale-if-error') && !/^\d+$/.test(value ?? ''))
      throw new AclError('header_invalid', 'Invalid Cache-Control header.', { field: 'Cache-Control' })
  }
}
