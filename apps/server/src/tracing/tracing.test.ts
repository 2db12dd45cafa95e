import type { IncomingMessage, ServerResponse } from 'node:http'
import { startHostileServer } from '@latchkey/testkit/process/hostile-server'
import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { pino } from 'pino'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { isTraced, loadConfig } from '../config/config.ts'
import { openTracing } from './open-tracing.ts'
import { RequestSpans } from './request-spans.ts'
import { summaryOf } from './statement-spans.ts'
import { WatchedExporter } from './watched-exporter.ts'

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }

afterEach(() => {
  vi.unstubAllEnvs()
})

function aRequest(headers: Record<string, string>) {
  return {
    request: { method: 'GET', headers, socket: {} } as IncomingMessage,
    response: { writableEnded: true } as ServerResponse,
  }
}

test('the trace of a trusted proxy is continued; a malformed header begins a new one', async () => {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const spans = new RequestSpans(provider.getTracer('test'))
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`
  for (const header of [traceparent, 'ff-nonsense'])
    await spans.request({ ...aRequest({ traceparent: header }), isTrusted: true }, async () => {})
  const [continued, begun] = exporter.getFinishedSpans()
  expect(continued?.parentSpanContext).toMatchObject({ ...CALLER, isRemote: true })
  expect(continued?.spanContext().traceId).toBe(CALLER.traceId)
  expect(begun?.parentSpanContext).toBeUndefined()
})

test('an unreachable collector causes one warning, and does not stop the server', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:1')
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '1')
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  const tracing = openTracing(loadConfig({}), log)
  for (let i = 0; i < 2_000; i += 1)
    await tracing.requests.request({ ...aRequest({}), isTrusted: false }, async () => {})
  await tracing.close()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('traces cannot be exported')
})

test('spans are exported again after a collector has left many exports without an end', async () => {
  let answer = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'
  const collector = await startHostileServer((socket) => socket.write(answer))
  onTestFinished(() => collector.close())
  const url = `http://127.0.0.1:${collector.port}/v1/traces`
  const log = pino({ level: 'silent' })
  const exporter = new WatchedExporter(() => new OTLPTraceExporter({ url }), log, 500)
  const code = () => new Promise((done) => exporter.export([], (result) => done(result.code)))
  // The library allows 30 exports in flight.
  const codes = new Set(await Promise.all(Array.from({ length: 40 }, code)))
  expect(codes).toEqual(new Set([ExportResultCode.FAILED]))
  answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
  expect(await code()).toBe(ExportResultCode.SUCCESS)
})

test('nothing is traced without a collector, or where the standard variable switches it off', () => {
  const isTracedWith = (env: Record<string, string>) => isTraced(loadConfig(env))
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  expect(isTracedWith({})).toBe(false)
  expect(isTracedWith(collector)).toBe(true)
  expect(isTracedWith({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/traces' })).toBe(true)
  expect(isTracedWith({ ...collector, OTEL_SDK_DISABLED: 'true' })).toBe(false)
})

test.each([
  [{ name: 'commit-rows', text: 'SELECT latchkey_commit_rows($1)' }, 'commit-rows'],
  [{ text: 'SELECT "public"."policy"."id" FROM "public"."policy" WHERE "name" = $1' }, 'SELECT policy'],
  ['INSERT INTO change (index) VALUES ($1)', 'INSERT change'],
  ['UPDATE "commit_index" SET index = 1', 'UPDATE commit_index'],
  ['BEGIN', 'BEGIN'],
  ["SELECT 'canary'", 'SELECT'],
])('the span of %o is named %s', (statement, name) => {
  expect(summaryOf(statement)).toBe(name)
})
