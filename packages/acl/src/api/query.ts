/** The query string: read once, first value wins, an option without a value is present. Reference 4.1. */
import { AclError, limits, parseDurationMs } from '@latchkey/contract'
import type { ConsistencyMode } from '../store/store.ts'

export class Query {
  private readonly params: URLSearchParams

  /** @throws AclError `query_invalid` where the query cannot be percent-decoded. */
  constructor(text: string) {
    if (/%(?![0-9a-fA-F]{2})/.test(text)) {
      throw new AclError('query_invalid', 'The query string cannot be percent-decoded')
    }
    this.params = new URLSearchParams(text)
  }

  /** The first value; `undefined` where the option is absent or empty. */
  get(name: string): string | undefined {
    return this.params.get(name) || undefined
  }

  /** Whether the option is there at all, whatever its value. */
  has(name: string): boolean {
    return this.params.has(name)
  }
}

/** What a blocking query asks. Spec 4.1; decisions: blocking queries. */
export interface ReadOptions {
  readonly mode: ConsistencyMode
  /** Oldest state that `stale` may show, in milliseconds. */
  readonly maxStaleMs: number | undefined
  /** 0: do not wait. */
  readonly index: number
  /** Without its random part. */
  readonly waitMs: number
}

export const PLAIN_READ: ReadOptions = { mode: 'default', maxStaleMs: undefined, index: 0, waitMs: 0 }

/**
 * Reads the options of a blocking query.
 *
 * @throws AclError `query_invalid` naming the option.
 */
export function parseReadOptions(query: Query, cacheControl: string | undefined): ReadOptions {
  const consistent = query.has('consistent')
  for (const other of ['stale', 'cached'] as const) {
    if (consistent && query.has(other)) {
      throw invalid(other, `Cannot specify ?${other} with ?consistent, conflicting semantics.`)
    }
  }
  const maxStaleMs = parseMaxStale(query)
  if (maxStaleMs !== undefined && consistent) {
    throw invalid('max_stale', 'Cannot specify ?max_stale with ?consistent, conflicting semantics.')
  }
  if (cacheControl !== undefined) checkCacheControl(cacheControl)
  const waitMs = parseWait(query)
  const isStale = query.has('stale') || maxStaleMs !== undefined
  return {
    mode: consistent ? 'consistent' : isStale ? 'stale' : 'default',
    maxStaleMs,
    index: parseIndex(query),
    waitMs,
  }
}

function parseIndex(query: Query): number {
  const text = query.get('index')
  if (text === undefined) return 0
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > 0xffff_ffff_ffff_ffffn) {
    throw invalid('index', 'Invalid index: it must be an unsigned 64-bit decimal number')
  }
  return Number(text)
}

function parseWait(query: Query): number {
  const text = query.get('wait')
  if (text === undefined) return limits.WAIT_MS_DEFAULT
  const ms = parseOption('wait', text, 'Invalid wait time: it must be a duration such as "10s" or "5m"')
  return ms <= 0 ? limits.WAIT_MS_DEFAULT : Math.min(ms, limits.WAIT_MS_MAX)
}

function parseMaxStale(query: Query): number | undefined {
  const text = query.get('max_stale')
  if (text === undefined) return undefined
  const ms = parseOption('max_stale', text, `Invalid max_stale value ${JSON.stringify(text)}`)
  return ms > 0 ? ms : undefined
}

function parseOption(name: string, text: string, problem: string): number {
  try {
    return parseDurationMs(text)
  } catch {
    throw invalid(name, problem)
  }
}

/** Only the two directives that carry a number of seconds are looked at. */
function checkCacheControl(header: string): void {
  for (const directive of header.split(',')) {
    const [name = '', value] = directive.trim().toLowerCase().split('=')
    if ((name === 'max-age' || name === 'stale-if-error') && !/^\d+$/.test(value ?? '')) {
      throw new AclError('header_invalid', 'Invalid Cache-Control header.', { field: 'Cache-Control' })
    }
  }
}

function invalid(option: string, message: string): AclError {
  return new AclError('query_invalid', message, { field: option })
}
