/** Spans of the store's work for a request: a commit, its group, a check with the database. Decisions: tracing. */
import { AclError } from '@latchkey/contract'
import { type Store, StoreConflict } from '@latchkey/service'
import {
  context,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { fail } from './request-spans.ts'

const NOT_TRACED = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)

export class CommitSpans {
  private readonly tracer: Tracer

  constructor(tracer: Tracer) {
    this.tracer = tracer
  }

  /** The same store, with a span for each commit and each check whether a read is current. */
  store<T extends Store>(store: T): T {
    const commit: Store['commit'] = (changes, options) =>
      this.run('store commit', async (span) => {
        span.setAttribute('latchkey.changes', changes.length)
        const index = await store.commit(changes, options)
        span.setAttribute('latchkey.index', index)
        return index
      })
    const refresh: Store['refresh'] = (mode) => {
      if (store.memory?.freshness(mode) !== undefined) return store.refresh(mode)
      return this.run('store refresh', () => store.refresh(mode))
    }
    // Everything else is inherited from the store.
    return Object.assign(Object.create(store) as T, { commit, refresh })
  }

  current(): Span | undefined {
    return trace.getActiveSpan()
  }

  /** Keeps the work of many requests out of the span of the request that started it. */
  detached(work: () => void): () => void {
    return context.bind(ROOT_CONTEXT, work)
  }

  /** Sends a group of commits in a child of the first traced commit's span, linked with the others. */
  group<T>(members: readonly (Span | undefined)[], send: () => Promise<T>): Promise<T> {
    const [first, ...others] = members.filter((span) => span?.isRecording()) as readonly Span[]
    if (first === undefined) return send()
    const parent = trace.setSpan(ROOT_CONTEXT, first)
    return context.with(parent, () =>
      this.run('commit group', (span) => {
        span.setAttribute('latchkey.writes', members.length)
        span.addLinks(others.map((other) => ({ context: other.spanContext() })))
        for (const other of others) other.addLink({ context: span.spanContext() })
        return send()
      }),
    )
  }

  /** Makes no span without a parent, for example in the server's jobs. */
  private async run<T>(name: string, work: (span: Span) => Promise<T>): Promise<T> {
    if (!trace.getActiveSpan()?.isRecording()) return work(NOT_TRACED)
    const span = this.tracer.startSpan(name)
    try {
      return await context.with(trace.setSpan(context.active(), span), () => work(span))
    } catch (error) {
      if (error instanceof StoreConflict) span.setAttribute('latchkey.conflict', error.reason)
      else fail(span, error instanceof AclError ? error.code : 'internal')
      throw error
    } finally {
      span.end()
    }
  }
}
