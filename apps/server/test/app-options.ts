import type { Service } from '@latchkey/service'
import { pino } from 'pino'
import { UnreadAnswers } from '../src/http/api/unread-answers.ts'
import type { AppOptions } from '../src/http/app.ts'
import { Door } from '../src/http/door.ts'
import { createMetrics } from '../src/telemetry/metrics.ts'

/** Options of an app that answers for a service: with the fast lane, without pages and logs, and always ready. */
export function appOptions(service: Pick<Service, 'handle'>, own: Partial<AppOptions> = {}): AppOptions {
  return {
    service,
    unread: new UnreadAnswers(),
    clientOf: () => undefined,
    door: new Door({ host: '127.0.0.1', allowedHosts: [] }),
    fastLane: true,
    docs: (_request, _response, next) => next(),
    log: pino({ level: 'silent' }),
    accessLog: undefined,
    metrics: createMetrics(),
    notReady: async () => [],
    closing: new AbortController().signal,
    ...own,
  }
}
