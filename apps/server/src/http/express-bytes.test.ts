/** Every answer has the same bytes through the fast lane, through Express, and directly from the service. */
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type AnyRoute, PROBLEM_JSON, parseServiceVersion, profileOf, ROUTE_LIST } from '@latchkey/contract'
import { buildOpenApi } from '@latchkey/contract/openapi'
import type { Service } from '@latchkey/service'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { aWorld, MANAGEMENT, type WorldOptions } from '@latchkey/testkit/service/world'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appOptions, listenerOptions } from '../../test/app-options.ts'
import { createApiListener, createApp } from './app.ts'
import { type HttpServer, type HttpServerOptions, startHttpServer } from './listener/http-server.ts'

type Edition = 'standard' | 'extended'

interface Sent {
  readonly method: string
  /** The target of the request line. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

const servers: HttpServer[] = []
const sharedAgent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(async () => {
  sharedAgent.destroy()
  for (const server of servers) await server.close(0)
})

const WAYS = ['the service alone', 'with the lane', 'Express alone', 'repeated'] as const
/** Requests that were begun without Node's messages. */
const repeated = new Set<string>()

/** The accessor of a token that every service has. */
const KNOWN = 'b0000000-0000-4000-8000-00000000000b'

/** Starts a deterministic service in memory, and returns its port. */
async function start(way: (typeof WAYS)[number], options: WorldOptions): Promise<number> {
  const world = await aWorld(options)
  const record = aToken({ AccessorID: KNOWN, SecretID: KNOWN, Description: 'known' })
  await world.store.commit([{ table: 'tokens', op: 'put', record, expect: 0 }])
  const server = await startHttpServer(listenerOptions(wayThrough(way, world.service)))
  servers.push(server)
  return Number(server.address.split(':').at(-1))
}

function wayThrough(
  way: (typeof WAYS)[number],
  service: Service,
): Pick<HttpServerOptions, 'listener' | 'reader'> {
  const options = appOptions(service, { fastLane: way === 'with the lane' || way === 'repeated' })
  if (way === 'the service alone') {
    const { answer } = createApiListener(options)
    return { listener: (request, response) => answer(request, response) }
  }
  const { listener, reader } = createApp(options)
  if (way !== 'repeated' || !reader) return { listener }
  const { begin } = reader
  reader.begin = (plain, socket) => {
    const repeat = begin.call(reader, plain, socket)
    if (repeat) repeated.add(`${plain.method} ${plain.url.replace(/\?.*/, '')}`)
    return repeat
  }
  return { listener, reader }
}

/** An answer without its date. */
async function answerTo(
  { method, target, headers, body }: Sent,
  port: number,
  agent = sharedAgent,
): Promise<string> {
  const request = httpRequest({ agent, port, host: '127.0.0.1', method, path: target, headers })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const { httpVersion, statusCode, statusMessage, rawHeaders } = response
  const lines: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i] !== 'Date') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  }
  const line = `HTTP/${httpVersion} ${statusCode} ${statusMessage}`
  return [line, ...lines, '', await text(response)].join('\n')
}

/** The answer on a connection that has sent a request with the same headers, to an endpoint that does not exist. */
async function repeatedAnswerTo(sent: Sent, port: number): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await answerTo({ ...sent, target: '/v1/nothing' }, port, agent)
  const last = await answerTo(sent, port, agent)
  agent.destroy()
  return last
}

/** The example of a route's body, from the documentation. */
function bodiesOf(edition: Edition): (route: AnyRoute) => string | undefined {
  const { paths } = buildOpenApi({
    profile: profileOf(parseServiceVersion('1.10')),
    headerPrefix: 'X-Service-',
    edition,
  })
  return ({ method, path }) => {
    const key = path.replace(/^\/v1/, '').replaceAll(/:(\w+)/g, '{$1}')
    const operation = (paths[`/v1${key}`] ?? paths[key])?.[method.toLowerCase() as 'put'] as
      | {
          requestBody?: {
            content?: Record<string, { example?: unknown; examples?: Record<string, { value?: unknown }> }>
          }
        }
      | undefined
    const [content] = Object.values(operation?.requestBody?.content ?? {})
    const value = content?.example ?? Object.values(content?.examples ?? {})[0]?.value
    return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
  }
}

/** The value of the parameter in the path. */
const PARAMS = [
  'unknown',
  'a/b/c',
  'a%2Fb',
  '%61',
  'caf%C3%A9',
  'caf\u00e9',
  '',
  '.',
  '..',
  '../tokens',
  '%2E%2E/x',
  'a//b',
  '%zz',
  '%',
  '%00',
  'a;b=c',
  'a+b*(c)',
]
/** Different spellings of a whole path. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => `${path}?pretty`,
  (path) => `${path}?dc=nowhere`,
  (path) => `${path}?stale&index=1&wait=1ms&ns=default&token=x`,
  (path) => `${path}?a[b]=c&a=%zz&=&&`,
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replace('/v1/', '/v1//'),
  (path) => path.replace('/v1/', '/v1/./'),
  (path) => path.replace('/v1/', '/v1/../v1/'),
  (path) => path.replace('/v1/', '/%76%31/'),
  (path) => path.replaceAll('/', '%2F').replace('%2F', '/'),
  (path) => path.replace('/v1/', '/v1%2f'),
  (path) => path.replace('acl', 'ACL'),
  (path) => path.replace('acl', '%61cl'),
  (path) => `http://127.0.0.1${path}`,
]
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'DELETE', 'PATCH', 'PROPFIND']

function* requestsTo(route: AnyRoute, body: string | undefined): Generator<Sent> {
  const pathTo = (param: string) => route.path.replace(/:\w+/, () => param)
  const { method } = route
  const own = pathTo(KNOWN)
  const headers = { 'X-Service-Token': MANAGEMENT, 'X-Request-Id': 'request-1' }
  for (const other of METHODS)
    if (other !== method) yield { method: other, target: own, headers, body: undefined }
  for (const spelled of SPELLINGS) yield { method, target: spelled(own), headers, body }
  if (route.path.includes(':')) {
    for (const param of PARAMS) yield { method, target: pathTo(param), headers, body }
  }
  yield { method, target: own, headers: { 'X-Request-Id': 'request-2' }, body }
  yield {
    method,
    target: own,
    headers: { ...headers, 'X-Service-Token': 'unknown', Accept: PROBLEM_JSON },
    body,
  }
  yield {
    method,
    target: own,
    headers: { ...headers, Host: 'localhost', 'If-None-Match': '*', Accept: 'text/html' },
    body,
  }
  yield { method, target: own, headers, body: '{' }
  yield {
    method,
    target: own,
    headers: { ...headers, 'Content-Type': 'text/plain', 'Accept-Encoding': 'gzip' },
    body,
  }
}

/** Paths without a route: one that is not implemented, the prefix, and its neighbours. */
const STRAY = [
  '/v1/',
  '/v1/nothing',
  '/v1/agent/services',
  '/v1/catalog/nodes?x=%zz',
  '/v1/%zz',
  '/v1/kv',
  '//',
  '/v1/?',
]

describe.each([
  ['standard', '1.11', 1],
  ['standard', '0.9', 3],
  ['extended', '1.10', 3],
] as const)('%s edition, version %s, one in %i requests', (edition, version, sampled) => {
  const bodyOf = bodiesOf(edition)
  let ports: readonly number[]
  beforeAll(async () => {
    ports = await Promise.all(WAYS.map((way) => start(way, { edition, version, seed: 7 })))
  })

  async function compare(requests: Iterable<Sent>): Promise<number> {
    let count = 0
    for (const sent of requests) {
      const [alone, ...others] = await Promise.all(
        ports.map((port, i) =>
          WAYS[i] === 'repeated' ? repeatedAnswerTo(sent, port) : answerTo(sent, port),
        ),
      )
      for (const [i, other] of others.entries()) {
        expect(other, `${sent.method} ${sent.target} ${WAYS[i + 1]}`).toBe(alone)
      }
      count += 1
    }
    return count
  }

  test.each(ROUTE_LIST)('$name: the same bytes on every way', async (route) => {
    const requests = [...requestsTo(route, bodyOf(route))].filter((_, i) => i % sampled === 0)
    expect(await compare(requests)).toBeGreaterThan(20 / sampled)
  })

  test('no route: the same bytes on every way', async () => {
    const headers = { 'X-Service-Token': MANAGEMENT, 'X-Request-Id': 'request-1' }
    const stray = STRAY.flatMap((target) =>
      METHODS.map((method) => ({ method, target, headers, body: undefined })),
    )
    await compare(stray)
  })
})

test('requests to every route were repeated', () => {
  const missing = ROUTE_LIST.filter(({ method, path }) => {
    const own = path.replace(/:\w+/, () => KNOWN)
    return !repeated.has(`${method} ${own}`)
  })
  expect(missing.map(({ name }) => name)).toEqual([])
})
