/** Finds the call in a line of an access log: in known formats all of it, elsewhere at least method and path. */
import { LEGACY_ENDPOINTS, REQUIRED_METHODS, requiredMethodOf } from '@latchkey/contract'
import { readJsonCall } from './json-line.ts'
import { callOf, type LoggedCall, type LogLine, METHODS } from './logged-call.ts'

/** Calls begin early in a line of text. The bound keeps the time for a hostile line short. */
const TEXT_LENGTH_MAX = 16 * 1024

/** @param custom tried first, with groups `method`, `path` and perhaps `client`, `status`, `time`, `agent` */
export function readLogLine(raw: string, custom?: RegExp): LogLine {
  const line = withoutColours(raw)
  const groups = custom?.exec(line)?.groups
  if (groups !== undefined) return callOf(groups) ?? 'unread'
  if (line.trim() === '') return 'other'
  const { text, isWrapped } = unwrap(line)
  const call = readCall(text)
  if (call !== undefined) return call
  const isOther = isWrapped || OTHER_LINE.test(text) || isMessage(text)
  return BAD_REQUEST.test(text) || (isOther && !mayBeCall(text)) ? 'other' : 'unread'
}

function withoutColours(line: string): string {
  // A log that was truncated while it was written begins with zeros.
  const text = line.replace(/^\0+/, '').replace(/\r$/, '')
  return text.includes('\u001b') ? text.replace(/\u001b\[[\d;]*[A-Za-z]/g, '') : text
}

const TIME = [
  String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*`,
  String.raw`\w{3} [ \d]\d \d\d:\d\d:\d\d\S*`,
  String.raw`\w{3} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* \w+`,
  String.raw`\d{9,}\.\d+`,
].join('|')

/** What collectors write before the line of a service. */
const WRAPPERS: readonly RegExp[] = [
  // Syslog of RFC 5424: <14>1 2026-11-21T03:00:00Z host nginx 3 - - …
  /^<\d+>\d+ \S+ \S+ \S+ \S+ \S+ (?:-|(?:\[[^\]]*\])+) ?\uFEFF?/,
  // Syslog of RFC 3164, and journald in all its forms: Nov 21 03:00:00 host envoy[12]: …
  new RegExp(String.raw`^(?:<\d+>)?(?:${TIME}) (?!\[)\S+ [\w./@()-]+(?:\[\d+\])?: `),
  // Kubernetes: 2026-11-21T03:00:00.000000000Z stdout F …
  /^\S+ (?:stdout|stderr) [FP] /,
  // Docker Compose: proxy-1  | …
  /^[\w.-]+ +\| ?/,
  // kubectl logs --prefix: [pod/proxy-1/nginx] …
  /^\[pod\/\S+\] /,
  // docker logs --timestamps. The legacy service also writes a time like that, before its level.
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z (?! *\[[A-Z]+\])/,
]

function unwrap(line: string): { text: string; isWrapped: boolean } {
  let text = line
  for (let depth = 0; depth < WRAPPERS.length; depth += 1) {
    const wrapper = WRAPPERS.map((each) => each.exec(text)?.[0]).find((found) => found !== undefined)
    if (wrapper === undefined) break
    text = text.slice(wrapper.length)
  }
  return { text, isWrapped: text !== line }
}

function readCall(text: string): LoggedCall | undefined {
  const fields = parse(text)
  return fields === undefined
    ? readText(text.slice(0, TEXT_LENGTH_MAX))
    : readJsonCall(fields, (inner) => readCall(unwrap(withoutColours(inner.trimEnd())).text))
}

/** The JSON object with which a line ends; undefined if there is none. */
function parse(text: string): object | undefined {
  const start = /\{\s*"/.exec(text)?.index
  if (start === undefined) return undefined
  try {
    const fields: unknown = JSON.parse(text.slice(start).replace(/\s*,\s*$/, ''))
    return typeof fields === 'object' && fields !== null ? fields : undefined
  } catch {
    return undefined
  }
}

const PATTERNS: readonly RegExp[] = [
  // The legacy service: 2019/08/01 12:00:00 [DEBUG] http: Request PUT /v1/acl/create (1.2ms) from=10.0.0.1:5555
  // Refused calls, the only ones that it logs by default: … [ERR] http: Request PUT /v1/acl/create, error: … from=10.0.0.1:5555
  /^\s*(?<time>\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d) \[\w+\] (?:agent: )?http: Request (?<method>[A-Z]+) (?<path>\S+?)(?: \([^)]*\)|, error: .*?)?(?: from=(?<client>\S+))?\s*$/,
  // Later: 2021-08-01T12:00:00.000Z [DEBUG] agent.http: Request finished: method=PUT url=/v1/acl/create from=10.0.0.1:5555
  /^\s*(?<time>\d{4}-\d\d-\d\dT\S+) \[\w+\]\s+agent\.http: Request (?:finished|error): method=(?<method>[A-Z]+) url=(?<path>\S+) from=(?<client>\S+)/,
  // HAProxy: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- … "GET / HTTP/1.1"
  /(?<!\S)(?<client>[\da-fA-F.:]{3,45}):\d+ \[(?<time>[^\]]{1,40})\] \S+ \S+ [-+\d/]+ (?<status>\d{3}|-1) \+?\d+ .*"(?<method>[A-Z]+) (?<path>[^\s"]+)[^"]*"\s*$/,
  // Envoy: [2016-04-15T20:17:00.310Z] "POST /v1/kv/a HTTP/2" 204 - 154 0 226 100 "10.0.35.28" "agent" …
  /^\s*\[(?<time>\d{4}-\d\d-\d\dT[^\]]+)\] "(?<method>[A-Z]+) (?<path>\S+)[^"]*" (?<status>\d+)(?: [^\s"]+)*(?: "(?<client>[^"]*)")?(?: "(?<agent>[^"]*)")?/,
  // Common and combined format, with or without a virtual host in front.
  /^(?:\S+:\d+ )?(?<client>\S+) \S+ [^"]{0,200}?\[(?<time>[^\]]{1,40})\] "(?<method>[A-Za-z]+) (?<path>\S+)(?: HTTP\/[\d.]+)?" (?<status>\d{3}) \S+(?: "[^"]*" "(?<agent>(?:[^"\\]|\\.)*)")?/,
]

function readText(text: string): LoggedCall | undefined {
  for (const pattern of PATTERNS) {
    const found = pattern.exec(text)?.groups
    if (found !== undefined) return isCutOff(found.path ?? '', text) ? undefined : callOf(found)
  }
  return readAnywhere(text)
}

const PATH = String.raw`(?:https?:\/\/[^\s"'\\/]+)?\/[^\s"'\\<>]*`
const REQUEST = new RegExp(String.raw`(?<![\w./-])(?<method>${METHODS})(?<gap>[\s,;|]{1,9})(?<path>${PATH})`)
const METHOD_FIELD = new RegExp(
  String.raw`(?:method|verb)[\\"']{0,4}\s?[:=]\s?[\\"']{0,4}(?<method>${METHODS})\b`,
  'i',
)
const METHOD_WORD = new RegExp(String.raw`(?<![\w./-])(?<method>${METHODS})(?![\w./-])`)
const API_PATH = /(?<![\w./-])(?:https?:\/\/[^\s"'\\/]+)?(?:\/[\w.-]+){0,4}?\/{1,2}v1\/[^\s"'\\<>]*/i

/** Method and path of a line in an unknown format, with what else can be recognized. */
function readAnywhere(text: string): LoggedCall | undefined {
  const request = REQUEST.exec(text)?.groups
  const method = request?.method ?? METHOD_FIELD.exec(text)?.groups?.method ?? METHOD_WORD.exec(text)?.[0]
  const found = request?.path ?? API_PATH.exec(text)?.[0]
  if (method === undefined || found === undefined || isCutOff(found, text)) return undefined
  const separator = /[,;|]/.exec(text[text.indexOf(found) - 1] ?? '')?.[0]
  const path = (separator === undefined ? found : (found.split(separator, 1)[0] ?? '')).replace(
    /[,;:)\]}]+$/,
    '',
  )
  const after = text.slice(text.indexOf(found) + found.length)
  return callOf({
    method,
    path,
    status: (/^[^"]{0,20}"?[\s,;|]+(\d{3})(?!\S)/.exec(after) ??
      /status\w*\W{1,4}(\d{3})\b/i.exec(text))?.[1],
    time: /\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?|\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?/.exec(
      text,
    )?.[0],
    client: /\bfrom=(\S+)/.exec(text)?.[1] ?? /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/.exec(text)?.[0],
    agent: /agent["']?[:=]\s?"([^"]+)"/i.exec(text)?.[1],
  })
}

const PATHS = [...LEGACY_ENDPOINTS, ...REQUIRED_METHODS].map(({ path }) => `/v1${path}`)

/** Whether a line ends inside its path, because its writer or a collector bounds the length of lines. */
function isCutOff(path: string, text: string): boolean {
  if (/(?:\.\.\.|\u2026)$/.test(path)) return true
  if (!text.endsWith(path)) return false
  const api = path.replace(/^https?:\/\/[^/]*/i, '')
  const isKnown = PATHS.includes(api) || requiredMethodOf(api.replace('/v1', '')) !== undefined
  return (
    hasOpenQuote(text) || (api.startsWith('/v1/') && !isKnown && PATHS.some((each) => each.startsWith(api)))
  )
}

function hasOpenQuote(text: string): boolean {
  return (text.match(/(?<!\\)"/g)?.length ?? 0) % 2 === 1
}

/** Lines of the legacy service, HAProxy and syslog that are not calls. */
const OTHER_LINE =
  /^\s*(?:\d{4}[-/]\d\d[-/]\d\d[T ]\S+ \[(?:TRACE|DEBUG|INFO|WARN|ERR|ERROR)\]|\w{3} [ \d]\d \d\d:\d\d:\d\d \S+ \w+|==> )/

function isMessage(text: string): boolean {
  const fields = parse(text)
  return (
    fields !== undefined &&
    ['level', '@level', 'msg', '@message', 'message', 'MESSAGE', 'log'].some((name) => name in fields)
  )
}

/** A request that no service received, because the proxy could not read it either. */
const BAD_REQUEST = /"(?:-|<BADREQ>|(?:\\x[\dA-Fa-f]{2})[^"]*)"(?: (?:0|4\d\d) |\s*$)/

const TRACE = new RegExp(String.raw`\/v1\/|HTTP\/\d|(?<![\w.-])(?:${METHODS})(?![\w.-])`)

/** Whether a line without a readable call shows a trace of one, or is incomplete. */
function mayBeCall(text: string): boolean {
  // journald leaves out a long text unless it is told to show all.
  if (/"MESSAGE"\s*:\s*null/.test(text)) return true
  return TRACE.test(text) || hasOpenQuote(text) || (text.startsWith('{') && parse(text) === undefined)
}
