/** Reads a line of our log, the legacy service's, nginx, Apache, HAProxy, Envoy or Caddy, text or JSON. */

/** A logged call. The path excludes the query, which may contain a token. */
export interface LoggedCall {
  readonly method: string
  readonly path: string
  /** Names of the query options, never their values. */
  readonly options: ReadonlySet<string>
  readonly status: number | undefined
  /** Milliseconds since the epoch. */
  readonly atMs: number | undefined
  readonly client: string
  readonly userAgent: string | undefined
}

/** A call, a line of a known log format that is not a call, or a line in an unknown format. */
export type LogLine = LoggedCall | 'other' | 'unread'

/** @param custom tried first, with groups `method`, `path` and perhaps `client`, `status`, `time`, `agent` */
export function readLogLine(line: string, custom?: RegExp): LogLine {
  const groups = custom?.exec(line)?.groups
  if (groups !== undefined) return callOf(groups) ?? 'unread'
  if (line.trim() === '') return 'other'
  if (line.startsWith('{')) return readJsonLine(line)
  for (const pattern of PATTERNS) {
    const found = pattern.exec(line)?.groups
    if (found !== undefined) return callOf(found) ?? 'unread'
  }
  return OTHER_LINE.test(line) ? 'other' : 'unread'
}

const PATTERNS: readonly RegExp[] = [
  // The legacy service: 2019/08/01 12:00:00 [DEBUG] http: Request PUT /v1/acl/create (1.2ms) from=10.0.0.1:5555
  // Refused calls, the only ones that it logs by default: … [ERR] http: Request PUT /v1/acl/create, error: … from=10.0.0.1:5555
  /^\s*(?<time>\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d) \[\w+\] (?:agent: )?http: Request (?<method>[A-Z]+) (?<path>\S+?)(?: \([^)]*\)|, error: .*?)?(?: from=(?<client>\S+))?\s*$/,
  // Later: 2021-08-01T12:00:00.000Z [DEBUG] agent.http: Request finished: method=PUT url=/v1/acl/create from=10.0.0.1:5555
  /^\s*(?<time>\d{4}-\d\d-\d\dT\S+) \[\w+\]\s+agent\.http: Request (?:finished|error): method=(?<method>[A-Z]+) url=(?<path>\S+)(?: from=(?<client>\S+))?/,
  // HAProxy: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- … "GET / HTTP/1.1"
  /(?<client>[\da-fA-F.:]+):\d+ \[(?<time>[^\]]+)\] \S+ \S+ [-+\d/]+ (?<status>\d{3}|-1) \+?\d+ .*"(?<method>[A-Z]+) (?<path>[^\s"]+)[^"]*"\s*$/,
  // Envoy: [2016-04-15T20:17:00.310Z] "POST /v1/kv/a HTTP/2" 204 - 154 0 226 100 "10.0.35.28" "agent" …
  /^\s*\[(?<time>\d{4}-\d\d-\d\dT[^\]]+)\] "(?<method>[A-Z]+) (?<path>\S+)[^"]*" (?<status>\d+)(?: [^\s"]+)*(?: "(?<client>[^"]*)")?(?: "(?<agent>[^"]*)")?/,
  // Common and combined format, with or without a virtual host in front.
  /^(?:\S+:\d+ )?(?<client>\S+) \S+ .*?\[(?<time>[^\]]+)\] "(?<method>[A-Za-z]+) (?<path>\S+)(?: HTTP\/[\d.]+)?" (?<status>\d{3}) \S+(?: "[^"]*" "(?<agent>[^"]*)")?/,
]

/** Lines of the legacy service, HAProxy and syslog that are not calls. */
const OTHER_LINE =
  /^\s*(?:\d{4}[-/]\d\d[-/]\d\d[T ]\S+ \[(?:TRACE|DEBUG|INFO|WARN|ERR|ERROR)\]|\w{3} [ \d]\d \d\d:\d\d:\d\d \S+ \w+|==> )/

type Fields = Readonly<Record<string, unknown>>

const TIME_FIELDS = 'time @timestamp timestamp ts time_iso8601 time_local start_time accept_date'.split(' ')
const ADDRESS_FIELDS = [
  ...['address', 'remoteAddress', 'remote_addr', 'ip', 'from', 'client_ip', 'remote_ip'],
  ...['x_forwarded_for', 'downstream_remote_address'],
]

function readJsonLine(line: string): LogLine {
  let fields: unknown
  try {
    fields = JSON.parse(line)
  } catch {
    return 'unread'
  }
  if (!isFields(fields)) return 'unread'
  // Caddy puts the request into an object of its own.
  const request = isFields(fields.request) ? { ...fields, ...fields.request } : fields
  const field = (...names: string[]): string | undefined => {
    const value = names
      .map((name) => request[name])
      .find((each) => each !== undefined && each !== '' && each !== '-')
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }
  const [, lineMethod, linePath] =
    /^([A-Z]+) (\S+)/.exec(field('request', 'http_request', 'request_line') ?? '') ?? []
  const groups = {
    method: field('method', 'request_method', 'http_method', ':METHOD') ?? lineMethod,
    path: field('path', 'url', 'uri', 'request_uri', 'http_uri', ':PATH') ?? linePath,
    status: field('status', 'statusCode', 'response_code', 'status_code'),
    time: field(...TIME_FIELDS),
    client: field('accessor') ?? withoutPort(field(...ADDRESS_FIELDS)),
    agent: field('agent', 'userAgent', 'user_agent', 'http_user_agent') ?? headerOf(request, 'User-Agent'),
  }
  const call = callOf(groups)
  if (call !== undefined) return call
  return ['level', '@level', 'msg', '@message', 'message'].some((name) => name in fields) ? 'other' : 'unread'
}

function headerOf({ headers }: Fields, name: string): string | undefined {
  const values = isFields(headers) ? headers[name] : undefined
  const [first] = Array.isArray(values) ? values : []
  return typeof first === 'string' ? first : undefined
}

function callOf(groups: Readonly<Record<string, string | undefined>>): LoggedCall | undefined {
  const { method, path, status, time, client, agent } = groups
  if (method === undefined || path === undefined || !/^[A-Za-z]+$/.test(method)) return undefined
  return {
    method: method.toUpperCase(),
    ...splitPath(path),
    status: status === undefined || !/^\d+$/.test(status) ? undefined : Number(status),
    atMs: time === undefined ? undefined : readTime(time),
    client: withoutPort(client) ?? 'unknown',
    userAgent: agent === undefined || agent === '-' ? undefined : agent,
  }
}

/** An address without its port, which differs for each connection. */
function withoutPort(address: string | undefined): string | undefined {
  if (address === undefined || address === '' || address === '-') return undefined
  return /^(\d+\.\d+\.\d+\.\d+|\[[^\]]*\]):\d+$/.exec(address)?.[1] ?? address
}

function splitPath(target: string): { path: string; options: ReadonlySet<string> } {
  const withoutOrigin = target.replace(/^https?:\/\/[^/]+/, '')
  const [path = '', query = ''] = withoutOrigin.split('?', 2)
  const names = query.split('&').map((pair) => pair.split('=', 1)[0] ?? '')
  return { path, options: new Set(names.filter((each) => each !== '')) }
}

/** Seconds or milliseconds since the epoch, RFC 3339, `2020/10/10 13:55:36` or `10/Oct/2020:13:55:36 -0700`. */
function readTime(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) < 1e11 ? Number(text) * 1_000 : Number(text)
  const [, date, clock, zone = '+0000'] =
    /^(\d{1,2}\/\w{3}\/\d{4}):(\d\d:\d\d:\d\d(?:\.\d+)?)(?: ([+-]\d{4}))?$/.exec(text) ?? []
  const plain = /^(\d{4})\/(\d\d)\/(\d\d) (\S+)$/.exec(text)
  const ms =
    date !== undefined
      ? Date.parse(`${date.replaceAll('/', ' ')} ${clock} ${zone}`)
      : plain !== null
        ? Date.parse(`${plain[1]}-${plain[2]}-${plain[3]}T${plain[4]}Z`)
        : Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
