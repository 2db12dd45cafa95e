/** Spans of the statements that a request sends to the database. Decisions: tracing. */
import { context, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api'
import type pg from 'pg'
import { sqlStateOf } from '../database/database-error.ts'
import { fail } from './request-spans.ts'

/** A simplified form of the driver's own type, which has an overload for each form. */
type Query = (...args: unknown[]) => unknown

/** A statement: its text, or its text with a name. */
interface Statement {
  readonly text?: string
  readonly name?: string
}

/** Makes spans of statements, below the span that is active when a connection is requested. */
export function traceStatements(pool: pg.Pool, tracer: Tracer): void {
  const connect = pool.connect.bind(pool) as (callback?: () => void) => unknown
  // Otherwise, a callback that waits for a connection would run in the context of the statement that frees it.
  const connectInContext = (callback?: () => void) =>
    callback === undefined ? connect() : connect(context.bind(context.active(), callback))
  pool.connect = connectInContext as typeof pool.connect
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as Query
    const traced: Query = (...args) => {
      if (!trace.getActiveSpan()?.isRecording()) return query(...args)
      return runInSpan(startSpan(tracer, args[0]), query, args)
    }
    client.query = traced as typeof client.query
  })
}

function startSpan(tracer: Tracer, statement: unknown): Span {
  const summary = summaryOf(statement)
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary }
  return tracer.startSpan(summary, { kind: SpanKind.CLIENT, attributes })
}

function runInSpan(span: Span, query: Query, args: readonly unknown[]): unknown {
  const end = (error?: unknown) => {
    if (error) fail(span, sqlStateOf(error) ?? 'connection')
    span.end()
  }
  const callback = args.at(-1)
  if (typeof callback === 'function') {
    const whenDone = (error: unknown, result: unknown) => {
      end(error)
      callback(error, result)
    }
    return query(...args.slice(0, -1), context.bind(context.active(), whenDone))
  }
  const answer = query(...args)
  if (answer instanceof Promise) answer.then(() => end(), end)
  else span.end()
  return answer
}

/** The name of a prepared statement, or its verb and first table: never the text, which may contain anything. */
export function summaryOf(statement: unknown): string {
  const { name, text = '' }: Statement =
    typeof statement === 'string' ? { text: statement } : ((statement ?? {}) as Statement)
  if (name !== undefined) return name
  const [, verb = 'statement'] = /^\s*(?:WITH\b.*?\)\s*)?([a-z]+)/is.exec(text) ?? []
  const [, target] = /\b(?:FROM|INTO|UPDATE)\s+(?:"?\w+"?\.)?"?(\w+)"?/i.exec(text) ?? []
  return target === undefined ? verb.toUpperCase() : `${verb.toUpperCase()} ${target}`
}
