/** What a trace collector receives from a server. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type ReceivedSpan, startOtlpReceiver } from './otlp-receiver.ts'
import { startTestServer } from './server.ts'
import { MANAGEMENT } from './shared-env.ts'

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const WRITES = 24
/** More than the database connections. */
const READS = 8

let spans: readonly ReceivedSpan[]
let exported: Buffer
let exitCode: number | null
/** Texts sent or answered that must not be exported. */
const secrets: string[] = [MANAGEMENT]

beforeAll(async () => {
  const collector = await startOtlpReceiver()
  const server = await startTestServer({
    LATCHKEY_DRAIN_TIME: '0s',
    LATCHKEY_SHUTDOWN_TIMEOUT: '60s',
    LATCHKEY_DATABASE_CONNECTIONS: '2',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })
  const create = async () => {
    const Description = `canary-${randomUUID()}`
    const { body } = await server.call('PUT', '/acl/token', { token: MANAGEMENT, body: { Description } })
    secrets.push(body.SecretID, Description)
    return body
  }
  // Alone, so that it is the first trace.
  await create()
  await Promise.all(Array.from({ length: WRITES }, create))
  await server.call('PUT', '/acl/policy', { token: MANAGEMENT, body: { Name: 'p', Rules: 'acl = "read"' } })
  await server.call('GET', `/acl/token/self?token=${MANAGEMENT}&ns=canary-in-a-query`)
  secrets.push('canary-in-a-query')
  const keys = Array.from({ length: READS }, (_, i) => `canary-in-path-${i}`)
  await Promise.all(keys.map((key) => server.call('GET', `/kv/${key}`, { token: MANAGEMENT })))
  secrets.push(...keys)
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`
  await fetch(`${server.url}/v1/acl/token/self`, { headers: { traceparent, 'X-Service-Token': MANAGEMENT } })
  await server.stop()
  exitCode = server.process.exitCode
  spans = collector.spans
  exported = collector.bytes()
  await collector.close()
})

function named(name: string): readonly ReceivedSpan[] {
  return spans.filter((span) => span.name === name)
}

function childOf(parent: ReceivedSpan | undefined, name: string): ReceivedSpan | undefined {
  return spans.find((span) => span.parentId === parent?.spanId && span.name === name)
}

test('the spans of a write are one tree, from the request to the statement', () => {
  const [request] = named('PUT /v1/acl/token')
  expect(request).toMatchObject({
    parentId: '',
    attributes: {
      'http.request.method': 'PUT',
      'http.route': '/v1/acl/token',
      'http.response.status_code': 200,
      'url.scheme': 'http',
    },
  })
  const operation = childOf(request, 'tokens.create')
  const commit = childOf(operation, 'store commit')
  expect(commit?.attributes).toMatchObject({ 'latchkey.changes': 1, 'latchkey.index': expect.any(Number) })
  const group = childOf(commit, 'commit group')
  const statement = childOf(group, 'commit-rows')
  expect(statement?.attributes).toMatchObject({ 'db.system.name': 'postgresql' })
  const ofTrace = spans.filter(({ traceId }) => traceId === request?.traceId)
  expect(ofTrace).toHaveLength(5)
})

test('every span except that of a request has a parent, including the statements of a transaction', () => {
  const [request] = named('PUT /v1/acl/policy')
  const ofTrace = spans.filter(({ traceId }) => traceId === request?.traceId)
  expect(ofTrace.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['policies.create', 'commit group', 'BEGIN', 'INSERT policy', 'COMMIT']),
  )
  const orphans = spans.filter(
    ({ traceId, parentId }) =>
      parentId !== '' && !spans.some((span) => span.traceId === traceId && span.spanId === parentId),
  )
  expect(orphans).toEqual([])
})

test('a statement that waits for a connection belongs to the read that sent it', () => {
  const reads = named('kv.read')
  expect(reads).toHaveLength(READS)
  for (const read of reads) expect(childOf(read, 'SELECT kv')).toBeDefined()
})

test('each write is in one group, which is linked with it', () => {
  const groups = named('commit group')
  const commits = named('store commit')
  expect(commits).toHaveLength(WRITES + 2)
  for (const group of groups)
    expect(group.links).toHaveLength(Number(group.attributes['latchkey.writes']) - 1)
  const groupOf = ({ spanId, links }: ReceivedSpan) =>
    groups.filter((group) => group.parentId === spanId || links.includes(group.spanId))
  for (const commit of commits) expect(groupOf(commit)).toHaveLength(1)
  const written = groups.reduce((sum, { attributes }) => sum + Number(attributes['latchkey.writes']), 0)
  expect(written).toBe(WRITES + 2)
})

test('an untrusted caller does not choose the trace of its request; the trace only has a link to the span of the caller', () => {
  const request = spans.find(({ links }) => links.includes(CALLER.spanId))
  expect(request).toMatchObject({ name: 'GET /v1/acl/token/self', parentId: '' })
  expect(request?.traceId).not.toBe(CALLER.traceId)
})

test('LEAK-01: no secret, query, path or body is exported; the server exports its last spans before it exits', () => {
  expect(exitCode).toBe(0)
  expect(named('GET /v1/kv/:Key')).toHaveLength(READS)
  expect(exported.includes('deployment.environment.name')).toBe(true)
  expect(secrets.filter((secret) => exported.includes(secret))).toEqual([])
})
