/** One line of JSON per answer. */

import type { Socket } from 'node:net'
import { ENDPOINTS } from '@latchkey/contract'
import type { WireReply } from '@latchkey/service'
import type { Answerable } from '../logging/access-choice.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { logPath } from './log-path.ts'

/** The fields of a line. */
export interface Answered {
  readonly reply: WireReply
  readonly requestId: string
  /** One of the methods that Node's parser accepts. */
  readonly method: string
  readonly url: string
  /** Milliseconds from the request to its answer. */
  readonly ms: number
  readonly address: string | undefined
  readonly agent: string | undefined
}

export interface AccessLog {
  answered(answered: Answered): void
}

/** Counts an answer, and logs it. */
export function recordAnswer(
  reply: WireReply,
  request: {
    readonly requestId: string
    readonly method: string
    readonly url: string
    readonly headers: { readonly 'user-agent'?: string | undefined }
    readonly socket: Pick<Socket, 'remoteAddress'>
    /** `performance.now()` at its arrival. */
    readonly since: number
  },
  {
    metrics,
    accessLog,
  }: { readonly metrics: Pick<Metrics, 'request'>; readonly accessLog: AccessLog | undefined },
): void {
  const ms = performance.now() - request.since
  metrics.request(reply.endpoint ?? 'none', reply.status, ms / 1_000)
  accessLog?.answered({
    reply,
    requestId: request.requestId,
    method: request.method,
    url: request.url,
    ms,
    address: request.socket.remoteAddress,
    agent: request.headers['user-agent'],
  })
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
  return {
    answered({ reply, requestId, method, url, ms, address, agent }) {
      const { status, endpoint, accessorId } = reply
      if (!isLogged({ method, url, status, endpoint, ms })) return
      const path = endpoint === undefined ? logPath(url) : `/v1${ENDPOINTS[endpoint].path}`
      stream.write(
        `{"level":"info","time":"${time()}","pid":${process.pid},"id":${quote(requestId)},"method":"${method}"` +
          `,"path":${quote(path)},"status":${status},"ms":${Math.round(ms * 1_000) / 1_000}` +
          (endpoint === undefined ? '' : `,"endpoint":"${endpoint}"`) +
          (accessorId === undefined ? '' : `,"accessor":${quote(accessorId)}`) +
          (address === undefined ? '' : `,"address":"${address}"`) +
          (agent === undefined ? '' : `,"agent":${quote(agent)}`) +
          '}\n',
      )
    },
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
