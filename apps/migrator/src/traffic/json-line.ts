/** Finds the call in the fields of a JSON line, whatever the proxy or collector that wrote it. */
import { callOf, type LoggedCall, METHODS } from './logged-call.ts'

/** Names and values of a line, nested objects included, in order. */
type Leaf = readonly [name: string, value: string]

const DEPTH_MAX = 8
const METHOD = new RegExp(`^(?:${METHODS})$`, 'i')
const PATH = /^(?:https?:\/\/[^/]+)?\/\S*$/i
const API_PATH = /\/v1(?:[/?]|$)/

/** The ends of names without `_`, `-`, `.` and upper case: `DownstreamStatus`, `http.request.method`, `:METHOD`. */
const NAMES = {
  method: /(?:method|verb)$/,
  path: /(?:path|url|uri|target|uristem|original)$/,
  query: /(?:^|url|uri)(?:query|querystring|args)$/,
  status: /(?:status|statuscode|responsecode)$/,
  time: /^(?:time|timestamp|ts|timeiso8601|timelocal|starttime|startutc|acceptdate|datetime|realtimetimestamp)$/,
  accessor: /^accessor$/,
  client:
    /^(?:address|ip|from|client|xforwardedfor|(?:client|remote|downstreamremote)(?:address|addr|ip|host))$/,
  agent: /^(?:agent|useragent|requestuseragent|httpuseragent|clientrequestuseragent|csuseragent)$/,
}

/** @param readText reads a string of the line that is itself a line of a log, as Docker and journald wrap it. */
export function readJsonCall(
  value: unknown,
  readText: (text: string) => LoggedCall | undefined,
): LoggedCall | undefined {
  const leaves = leavesOf(value)
  const find = (name: keyof typeof NAMES, isFit: (text: string) => boolean = (text) => text !== '-') =>
    leaves
      .filter(([key, text]) => NAMES[name].test(key) && text !== '' && isFit(text))
      .map(([, text]) => text)
  const paths = find('path', isPath)
  const method = find('method', (text) => METHOD.test(text))[0]
  const known = {
    status: find('status', (text) => /^\d{3}$/.test(text))[0],
    time: find('time')[0],
    client: find('accessor')[0] ?? find('client')[0],
    agent: find('agent')[0],
  }
  const query = find('query')[0]?.replace(/^\?/, '')
  const call = (path: string | undefined) =>
    callOf({ ...known, method, path: query === undefined || path?.includes('?') ? path : `${path}?${query}` })
  const path = bestOf(paths)
  if (method !== undefined && path !== undefined && API_PATH.test(path)) return call(path)
  for (const [, text] of leaves) {
    const inner = / |"/.test(text) ? readText(text) : undefined
    if (inner !== undefined) return complete(inner, callOf({ ...known, method: 'GET', path: '/' }))
  }
  if (method !== undefined && path !== undefined) return call(path)
  const texts = leaves.map(([, text]) => text)
  const anyMethod = method ?? texts.find((text) => METHOD.test(text) && text === text.toUpperCase())
  const anyPath = bestOf([...paths, ...texts.filter((text) => isPath(text) && API_PATH.test(text))])
  return callOf({ ...known, method: anyMethod, path: anyPath })
}

function isPath(text: string): boolean {
  return PATH.test(text)
}

/** Of several paths, such as those of a file, a route and a URL: the longest of this API, which has the query. */
function bestOf(paths: readonly string[]): string | undefined {
  const ours = paths.filter((path) => API_PATH.test(path)).sort((a, b) => b.length - a.length)
  return ours[0] ?? paths[0]
}

function complete(inner: LoggedCall, outer: LoggedCall | undefined): LoggedCall {
  if (outer === undefined) return inner
  return {
    ...inner,
    status: inner.status ?? outer.status,
    atMs: inner.atMs ?? outer.atMs,
    client: inner.client === 'unknown' ? outer.client : inner.client,
    userAgent: inner.userAgent ?? outer.userAgent,
  }
}

function leavesOf(value: unknown, name = '', depth = 0): Leaf[] {
  if (typeof value === 'string' || typeof value === 'number') return [[name, String(value)]]
  if (typeof value !== 'object' || value === null || depth === DEPTH_MAX) return []
  if (isBytes(value)) return [[name, Buffer.from(value).toString('utf8')]]
  if (Array.isArray(value)) return value.flatMap((each) => leavesOf(each, name, depth + 1))
  const entries = Object.entries(value)
  // The list of attributes of OpenTelemetry: { "key": "url.path", "value": { "stringValue": "/v1/kv/a" } }.
  const key = 'key' in value && typeof value.key === 'string' && 'value' in value ? value.key : undefined
  if (key !== undefined) return leavesOf('value' in value ? value.value : undefined, plain(key), depth + 1)
  return entries.flatMap(([each, inner]) =>
    leavesOf(inner, each.endsWith('Value') ? name : plain(each), depth + 1),
  )
}

/** journald writes a text with control characters, such as colours, as an array of bytes. */
function isBytes(value: object): value is number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each) => Number.isInteger(each) && each >= 0 && each < 256)
  )
}

/** A name without its prefix, upper case and punctuation: `http.request.method` and `:METHOD` are `method`. */
function plain(key: string): string {
  return (key.split('.').at(-1) ?? '').toLowerCase().replace(/[^a-z\d]/g, '')
}
