/** Reads one line of an access log: the JSON lines of our server, or the common and combined format. */

/** A logged call. The path excludes the query, which may hold a token. */
export interface LoggedCall {
  readonly method: string
  readonly path: string
  /** Names of the query options, never their values. */
  readonly options: ReadonlySet<string>
  readonly status: number | undefined
  /** Milliseconds since the epoch. */
  readonly atMs: number | undefined
  /** The caller as logged: an accessor or an address. */
  readonly client: string
  readonly userAgent: string | undefined
}

/** @returns undefined for a line that does not log a call. */
export function readLogLine(line: string): LoggedCall | undefined {
  return line.startsWith('{') ? readJsonLine(line) : readCommonLine(line)
}

function readJsonLine(line: string): LoggedCall | undefined {
  let fields: unknown
  try {
    fields = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof fields !== 'object' || fields === null) return undefined
  const field = (...names: string[]): unknown => {
    const name = names.find((each) => each in fields)
    return name === undefined ? undefined : (fields as Readonly<Record<string, unknown>>)[name]
  }
  const method = field('method')
  const path = field('path', 'url', 'uri')
  if (typeof method !== 'string' || typeof path !== 'string') return undefined
  const client = [field('accessor'), field('address', 'remoteAddress', 'remote_addr', 'ip')].find(
    (each) => typeof each === 'string' && each !== '',
  )
  const status = field('status', 'statusCode')
  const agent = field('agent', 'userAgent', 'user_agent')
  return {
    method,
    ...splitPath(path),
    status: typeof status === 'number' ? status : undefined,
    atMs: readTime(field('time', 'timestamp', 'ts')),
    client: typeof client === 'string' ? client : 'unknown',
    userAgent: typeof agent === 'string' ? agent : undefined,
  }
}

const COMMON =
  /^(\S+) \S+ .*?\[([^\]]+)\] "([A-Za-z]+) (\S+)(?: HTTP\/[\d.]+)?" (\d{3}) \S+(?: "[^"]*" "([^"]*)")?/

function readCommonLine(line: string): LoggedCall | undefined {
  const [, client, time, method, target, status, userAgent] = COMMON.exec(line) ?? []
  if (client === undefined || method === undefined || target === undefined) return undefined
  return {
    method,
    ...splitPath(target),
    status: Number(status),
    atMs: readCommonTime(time ?? ''),
    client,
    userAgent: userAgent === '-' ? undefined : userAgent,
  }
}

function splitPath(target: string): { path: string; options: ReadonlySet<string> } {
  const withoutOrigin = target.replace(/^https?:\/\/[^/]+/, '')
  const [path = '', query = ''] = withoutOrigin.split('?', 2)
  const names = query.split('&').map((pair) => pair.split('=', 1)[0] ?? '')
  return { path, options: new Set(names.filter((each) => each !== '')) }
}

function readTime(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value < 1e11 ? value * 1_000 : value
  if (typeof value !== 'string') return undefined
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? undefined : ms
}

/** `10/Oct/2020:13:55:36 -0700`. */
function readCommonTime(text: string): number | undefined {
  const [, date, clock, zone = '+0000'] =
    /^(\d{2}\/\w{3}\/\d{4}):(\d{2}:\d{2}:\d{2})(?: ([+-]\d{4}))?$/.exec(text) ?? []
  if (date === undefined || clock === undefined) return undefined
  const ms = Date.parse(`${date.replaceAll('/', ' ')} ${clock} ${zone}`)
  return Number.isNaN(ms) ? undefined : ms
}
