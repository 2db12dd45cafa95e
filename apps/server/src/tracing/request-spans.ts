/** Spans of a request and of the operation that answers it. Decisions: tracing. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ENDPOINTS } from '@latchkey/contract'
import { ownStatusOf, type WireReply, type WireRequest } from '@latchkey/service'
import {
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'

type Handle = (wire: WireRequest) => WireReply | Promise<WireReply>

/** A request as its span sees it: nothing else of it is exported. */
interface TracedRequest {
  readonly request: Pick<IncomingMessage, 'method' | 'headers' | 'socket'>
  readonly response: Pick<ServerResponse, 'writableEnded'>
  /** Whether the caller may decide what is traced. */
  readonly isTrusted: boolean
}

/** Other methods share one name, so that clients cannot invent names of spans. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
const OTHER_METHOD = '_OTHER'

export class RequestSpans {
  private readonly tracer: Tracer

  constructor(tracer: Tracer) {
    this.tracer = tracer
  }

  /** Runs the answer to a request in a span. `isSampled`: whether the sampler chose it. */
  async request(traced: TracedRequest, answer: (isSampled: boolean) => Promise<void>): Promise<void> {
    const { request, response } = traced
    const { parent, links } = callerOf(traced)
    const method = methodOf(request.method)
    const attributes = {
      'http.request.method': method,
      'url.scheme': 'encrypted' in request.socket ? 'https' : 'http',
    }
    const span = this.tracer.startSpan(method, { kind: SpanKind.SERVER, attributes, links }, parent)
    if (!span.isRecording()) return answer(false)
    await context.with(trace.setSpan(parent, span), () => answer(true))
    if (!response.writableEnded) fail(span, 'unanswered')
    span.end()
  }

  /** The same handler, with a span inside the span of its request. */
  operation(handle: Handle): Handle {
    return async (wire) => {
      const request = trace.getActiveSpan()
      // Its name is only known after routing.
      const span = this.tracer.startSpan('operation')
      const reply = await context.with(trace.setSpan(context.active(), span), async () => handle(wire))
      describe(span, request, wire, reply)
      span.end()
      return reply
    }
  }
}

function describe(span: Span, request: Span | undefined, wire: WireRequest, reply: WireReply): void {
  const { endpoint, status } = reply
  const method = methodOf(wire.method)
  span.updateName(endpoint ?? 'none')
  request?.setAttributes({ 'http.response.status_code': status, 'latchkey.request_id': wire.requestId })
  if (endpoint !== undefined) {
    const route = `/v1${ENDPOINTS[endpoint].path}`
    request?.setAttribute('http.route', route)
    request?.updateName(`${method} ${route}`)
  }
  const ownStatus = ownStatusOf(reply)
  if (ownStatus < 500) return
  fail(span, String(ownStatus))
  if (request) fail(request, String(ownStatus))
}

/** Marks a span as failed, without a message, which could contain what a client sent. */
export function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Continues the trace of a trusted caller. For any other caller, the new trace only links to the caller's. */
function callerOf({ request, isTrusted }: TracedRequest): {
  readonly parent: Context
  readonly links: Link[]
} {
  const { traceparent } = request.headers
  const caller = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null
  if (caller === null) return { parent: ROOT_CONTEXT, links: [] }
  if (!isTrusted) return { parent: ROOT_CONTEXT, links: [{ context: caller }] }
  return { parent: trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }), links: [] }
}

function methodOf(method = ''): string {
  return METHODS.has(method) ? method : OTHER_METHOD
}
