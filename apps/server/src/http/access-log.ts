/** One line of JSON per answer. */

import type { Socket } from 'node:net'
import { AclError, ENDPOINTS } from '@latchkey/contract'
import { ownStatusOf, type WireReply } from '@latchkey/service'
import type { Answerable } from '../logging/access-choice.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { logPath } from './log-path.ts'

interface Recorded {
  readonly requestId: string
  /** One of the methods that Node's parser accepts. */
  readonly method: string
  readonly url: string
  readonly headers: { readonly 'user-agent'?: string | undefined }
  readonly socket: Pick<Socket, 'remoteAddress'>
}

/** Logs an answer. `ms`: from the request to its answer. */
export type AccessLog = (reply: WireReply, request: Recorded, ms: number) => void

export interface Records {
  readonly metrics: Pick<Metrics, 'request'>
  readonly accessLog: AccessLog | undefined
}

/** Counts an answer, and logs it. @param request its `since` is `performance.now()` at its arrival. */
export function recordAnswer(
  reply: WireReply,
  request: Recorded & { readonly since: number },
  { metrics, accessLog }: Records,
): void {
  const ms = performance.now() - request.since
  metrics.request(reply.endpoint ?? 'none', ownStatusOf(reply), ms / 1_000)
  accessLog?.(reply, request, ms)
}

/**
 * Formats lines by hand, with the same first fields as the logger: this takes a twentieth of a hot read's time instead
 * of a quarter (bench/README.md). Every field is listed here and none is a secret; text from a client is quoted as
 * JSON.
 *
 * @param stream receives lines including their line end.
 * @param isLogged whether an answer gets a line.
 */
export function createAccessLog(
  stream: { write(line: string): unknown },
  isLogged: (answer: Answerable) => boolean,
): AccessLog {
  const time = isoClock()
  return (reply, { requestId, method, url, headers, socket }, ms) => {
    const { status, endpoint, accessorId, error } = reply
    const ownStatus = ownStatusOf(reply)
    const { remoteAddress: address } = socket
    const { 'user-agent': agent } = headers
    if (!isLogged({ method, url, status: ownStatus, endpoint, ms })) return
    const path = endpoint === undefined ? logPath(url) : `/v1${ENDPOINTS[endpoint].path}`
    stream.write(
      `{"level":"info","time":"${time()}","pid":${process.pid},"id":${quote(requestId)},"method":"${method}"` +
        `,"path":${quote(path)},"status":${status},"ms":${Math.round(ms * 1_000) / 1_000}` +
        (error instanceof AclError ? `,"code":"${error.code}","ownStatus":${ownStatus}` : '') +
        (endpoint === undefined ? '' : `,"endpoint":"${endpoint}"`) +
        (accessorId === undefined ? '' : `,"accessor":${quote(accessorId)}`) +
        (address === undefined ? '' : `,"address":"${address}"`) +
        (agent === undefined ? '' : `,"agent":${quote(agent)}`) +
        '}\n',
    )
  }
}

const quote: (text: string) => string = JSON.stringify

/** The time as text, formatted once per millisecond. */
function isoClock(): () => string {
  let at = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== at) {
      at = now
      text = new Date(now).toISOString()
    }
    return text
  }
}
