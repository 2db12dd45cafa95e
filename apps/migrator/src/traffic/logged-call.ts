/** A call of an access log, whatever the format of its line. */

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

/** A call, a line that is not a call, or a line that may be a call and cannot be read. */
export type LogLine = LoggedCall | 'other' | 'unread'

export const METHODS = 'GET|HEAD|PUT|POST|DELETE|OPTIONS|PATCH|CONNECT|TRACE'

const METHOD_LENGTH_MAX = 20
const NAME_LENGTH_MAX = 200

export function callOf(groups: Readonly<Record<string, string | undefined>>): LoggedCall | undefined {
  const { method = '', path, status, time, client, agent } = groups
  if (path === undefined || !/^[A-Za-z]+$/.test(method) || method.length > METHOD_LENGTH_MAX) return undefined
  return {
    method: method.toUpperCase(),
    ...splitPath(path),
    status: status === undefined || !/^\d+$/.test(status) ? undefined : Number(status),
    atMs: time === undefined ? undefined : readTime(time),
    client: withoutPort(client)?.slice(0, NAME_LENGTH_MAX) ?? 'unknown',
    userAgent: agent === undefined || agent === '-' ? undefined : agent.slice(0, NAME_LENGTH_MAX),
  }
}

/** An address without its port, which differs for each connection. */
function withoutPort(address: string | undefined): string | undefined {
  if (address === undefined || address === '' || address === '-') return undefined
  return /^(\d+\.\d+\.\d+\.\d+|\[[^\]]*\]):\d+$/.exec(address)?.[1] ?? address
}

/** Decodes the path as the service does: `//v1/acl/%63reate` reaches `/v1/acl/create`. */
function splitPath(target: string): { path: string; options: ReadonlySet<string> } {
  const [encoded = '', query = ''] = target.replace(/^https?:\/\/[^/]+/i, '').split('?', 2)
  const names = query.split(/[&;]/).map((pair) => pair.split('=', 1)[0] ?? '')
  const path = encoded
    .replace(/(?:%[\da-f]{2})+/gi, (text) => Buffer.from(text.replaceAll('%', ''), 'hex').toString('utf8'))
    .replace(/\/{2,}/g, '/')
  return { path, options: new Set(names.filter((each) => each !== '')) }
}

/** Seconds to nanoseconds since the epoch, RFC 3339, `2020/10/10 13:55:36` or `10/Oct/2020:13:55:36 -0700`. */
export function readTime(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return readEpoch(Number(text))
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

/** The largest time that a `Date` represents is 8.64e15 ms. */
function readEpoch(value: number): number | undefined {
  const ms = value < 1e11 ? value * 1_000 : value < 1e14 ? value : value < 1e17 ? value / 1e3 : value / 1e6
  return ms < 8.64e15 ? Math.round(ms) : undefined
}
