/** `/v1` on plain Node requests, without Express. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '@latchkey/acl'
import type { Logger } from 'pino'
import type { Metrics } from '../telemetry/metrics.ts'
import type { AccessLog } from './access-log.ts'
import { ClientSignals } from './client-signals.ts'
import { EndOfTurn } from './end-of-turn.ts'
import { requestIdOf } from './request-id.ts'
import { NodeWireRequest, writeReply } from './wire-adapter.ts'

export interface ApiListenerOptions {
  readonly api: Pick<Api, 'handle'>
  readonly log: Logger
  readonly metrics: Metrics
  /** For a line per answer. */
  readonly accessLog: AccessLog | undefined
  /** Aborted when the server ends all waits. */
  readonly closing: AbortSignal
}

export type ApiListener = (request: IncomingMessage, response: ServerResponse) => void

/** The one way into the API, for Express and for the lane before it. */
export function createApiListener(options: ApiListenerOptions): ApiListener {
  const { api, log, metrics, accessLog } = options
  const signals = new ClientSignals(options.closing)
  const endOfTurn = new EndOfTurn()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now()
    const requestId = requestIdOf(request)
    const signal = mayWait(request.url) ? signals.signalOf(response) : undefined
    const wire = new NodeWireRequest(request, response, { requestId, signal })
    try {
      const reply = await api.handle(wire)
      await endOfTurn.reached()
      await writeReply(reply, response)
      const ms = performance.now() - startedAt
      metrics.request(reply.endpoint ?? 'none', reply.status, ms / 1_000)
      accessLog?.answered({
        reply,
        requestId,
        method: wire.method,
        url: wire.url,
        ms,
        address: request.socket.remoteAddress,
        agent: request.headers['user-agent'],
      })
    } catch (error) {
      log.error({ err: error, id: requestId }, 'an answer could not be written')
      response.destroy()
    }
  }

  return (request, response) => void answer(request, response)
}

/** Only a blocking query can outlive its client, so only it pays for a signal: `index`, or what may stand for it. */
function mayWait(url: string | undefined): boolean {
  return url !== undefined && /[?&](?:index=|[^=&?]*%)/.test(url)
}
