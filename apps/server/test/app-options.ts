import { BlockList } from 'node:net'
import { pino } from 'pino'
import { Backpressure } from '../src/http/api/backpressure.ts'
import type { AppOptions } from '../src/http/app.ts'
import { HostGuard } from '../src/http/host-guard.ts'
import { connectionSlots } from '../src/http/listener/connection-limit.ts'
import type { HttpServerOptions } from '../src/http/listener/http-server.ts'
import { createMetrics } from '../src/telemetry/metrics.ts'

/** Options of an app for a service: with the fast lane, without pages and logs, and always ready. */
export function appOptions(service: AppOptions['service'], own: Partial<AppOptions> = {}): AppOptions {
  return {
    service,
    unread: new Backpressure(),
    clientOf: () => undefined,
    guard: new HostGuard({ host: '127.0.0.1', allowedHosts: [] }),
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

/** Any number of connections. */
export const UNLIMITED: HttpServerOptions['connections'] = {
  slots: connectionSlots(0),
  answers429: true,
  trustedProxies: new BlockList(),
  onRefused() {},
}

/** Options of a listener on a free port. */
export function listenerOptions(
  own: Pick<HttpServerOptions, 'listener'> & Partial<HttpServerOptions>,
): HttpServerOptions {
  return { host: '127.0.0.1', port: 0, isShared: false, connections: UNLIMITED, ...own }
}
