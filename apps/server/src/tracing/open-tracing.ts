/** OpenTelemetry traces. This file and its imports are loaded only if a collector is configured. */

import { PRODUCT_VERSION } from '@latchkey/contract'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { CommitSpans } from './commit-spans.ts'
import { RequestSpans } from './request-spans.ts'
import { traceStatements } from './statement-spans.ts'
import { WatchedExporter } from './watched-exporter.ts'

export interface Tracing {
  readonly requests: RequestSpans
  readonly commits: CommitSpans
  /** Makes spans of the statements on the connections of a pool that has no connections yet. */
  traceStatements(pool: pg.Pool): void
  /** Exports ended spans within the time limit of a shutdown, unless the collector was unreachable. */
  close(): Promise<void>
}

type OpenConfig = Pick<
  Config,
  'tracesSampler' | 'tracesSamplerArg' | 'nodeName' | 'datacenter' | 'shutdownTimeoutMs'
>

export function openTracing(config: OpenConfig, log: Pick<Logger, 'info' | 'warn'>): Tracing {
  const exporter = new WatchedExporter(() => new OTLPTraceExporter(), log)
  const provider = new TracerProvider({
    resource: resourceOf(config),
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const tracer = provider.getTracer('latchkey', PRODUCT_VERSION)
  return {
    requests: new RequestSpans(tracer),
    commits: new CommitSpans(tracer),
    traceStatements: (pool) => traceStatements(pool, tracer),
    close: async () => {
      // The exporter logs its failures.
      const ended = provider.shutdown().catch(() => {})
      if (exporter.isFailing) return
      const late = new Promise<'late'>((resolve) => {
        setTimeout(resolve, config.shutdownTimeoutMs, 'late').unref()
      })
      if ((await Promise.race([ended, late])) === 'late') exporter.giveUp()
    },
  }
}

/** Environment variables take precedence over the server's own attributes. */
function resourceOf({ nodeName, datacenter }: OpenConfig): Resource {
  const own = resourceFromAttributes({
    'service.name': 'latchkey',
    'service.version': PRODUCT_VERSION,
    'service.instance.id': `${nodeName}/${process.pid}`,
    'latchkey.datacenter': datacenter,
  })
  return own.merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }))
}

function samplerOf({ tracesSampler, tracesSamplerArg }: OpenConfig): Sampler {
  const root = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(tracesSamplerArg),
  }
  const [name = '', parent] = tracesSampler.split('parentbased_').reverse()
  const sampler = root[name as keyof typeof root]()
  return parent === undefined ? sampler : new ParentBasedSampler({ root: sampler })
}
