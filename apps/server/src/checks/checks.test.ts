import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Outgoing } from '../outgoing/outgoing.ts'
import { runHttpCheck } from './http-check.ts'
import { runTcpCheck } from './tcp-check.ts'

let server: Server
let origin: string
const seen: {
  readonly url: string
  readonly secret: string | undefined
  readonly agent: string | undefined
  readonly host: string | undefined
}[] = []

const answer: RequestListener = ({ url = '', headers }, response) => {
  const { host, 'x-secret': secret, 'user-agent': agent } = headers
  seen.push({ url, secret: secret as string | undefined, agent, host })
  if (url === '/hang') return
  if (url === '/moved') response.writeHead(302, { Location: '/ok' })
  else if (url === '/loop') response.writeHead(302, { Location: '/loop' })
  else if (url.startsWith('/to?')) response.writeHead(302, { Location: url.slice('/to?'.length) })
  else if (url === '/away') response.writeHead(302, { Location: 'http://169.254.169.254/latest' })
  else response.statusCode = Number(url.slice(1)) || 200
  response.end(url === '/long' ? `${'a'.repeat(100_000)}end` : 'body')
}

beforeAll(async () => {
  server = createHttpServer(answer)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})

const outgoing = new Outgoing({ allowHttp: true })
const http = (path: string, timeoutMs = 20_000, url = `${origin}${path}`, header = {}) =>
  runHttpCheck(
    {
      type: 'http',
      url,
      method: 'GET',
      header: { 'X-Secret': ['s'], ...header },
      body: '',
      skipsVerify: false,
      intervalMs: 1_000,
      timeoutMs,
    },
    { outputBytesMax: 4_096 },
    outgoing,
  )

test('an HTTP check passes with 2xx, warns with 429, and is critical with everything else', async () => {
  expect(await http('/ok')).toEqual({
    status: 'passing',
    output: `HTTP GET ${origin}/ok: 200 OK Output: body`,
  })
  expect([await http('/204'), await http('/429'), await http('/404'), await http('/500')]).toMatchObject([
    { status: 'passing' },
    { status: 'warning' },
    { status: 'critical' },
    { status: 'critical' },
  ])
})

test('an HTTP check sends the first Host of its headers, in any spelling, and by default the host of its URL', async () => {
  seen.length = 0
  for (const header of [{ Host: ['web.example', 'x'] }, { host: ['web.example'] }, { Host: [] }]) {
    expect(await http('/ok', 20_000, `${origin}/ok`, header)).toMatchObject({ status: 'passing' })
  }
  const own = new URL(origin).host
  expect(seen.map(({ host }) => host)).toEqual(['web.example', 'web.example', own])
})

test('over TLS, the certificate must match the URL, whatever the Host', async () => {
  const hello = Promise.withResolvers<string>()
  const tls = createServer((socket) => {
    socket.once('data', (bytes) => {
      hello.resolve(bytes.toString('latin1'))
      socket.destroy()
    })
  })
  await new Promise<void>((listening) => tls.listen(0, 'localhost', listening))
  const url = `https://localhost:${(tls.address() as AddressInfo).port}/`
  expect(await http('/', 20_000, url, { Host: ['web.example'] })).toMatchObject({ status: 'critical' })
  expect(await hello.promise).toContain('localhost')
  expect(await hello.promise).not.toContain('web.example')
  await new Promise((closed) => tls.close(closed))
})

test('an HTTP check keeps the end of a long answer, names itself and follows redirects by the rules', async () => {
  const long = await http('/long')
  expect(long.output.endsWith('aend')).toBe(true)
  expect(long.output.length).toBeLessThan(4_300)
  seen.length = 0
  expect(await http('/moved')).toMatchObject({ status: 'passing' })
  expect(seen).toMatchObject([
    { url: '/moved', secret: 's', agent: 'Latchkey Health Check' },
    { url: '/ok', secret: 's' },
  ])
  expect((await http('/loop')).output).toContain('stopped after 5 redirects')
  expect(await http('/away')).toEqual({
    status: 'critical',
    output: `Get "${origin}/away": address not allowed`,
  })
})

test('a redirect to another origin gets no header of the check, which may contain a credential', async () => {
  const other = createHttpServer(answer)
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening))
  seen.length = 0
  const { port } = other.address() as AddressInfo
  expect(await http(`/to?http://127.0.0.1:${port}/ok`)).toMatchObject({ status: 'passing' })
  expect(seen.map(({ secret }) => secret)).toEqual(['s', undefined])
  other.closeAllConnections()
  await new Promise((closed) => other.close(closed))
})

test.each(['http://10.0.0.1/', 'http://198.51.100.1/', 'http://[fc00::1]/', 'http://[64:ff9b::a00:1]/'])(
  'SSRF-01: a redirect from this machine to %s, of another class of address, is not followed',
  async (location) => {
    expect(await http(`/to?${location}`, 2_000)).toMatchObject({
      status: 'critical',
      output: expect.stringMatching(/: address not allowed$/),
    })
  },
)

const [outside] = Object.values(networkInterfaces())
  .flat()
  .flatMap((each) => (each?.internal === false && each.family === 'IPv4' ? [each.address] : []))

test.skipIf(outside === undefined)(
  'SSRF-01: a redirect from another address to this machine is not followed, by address or name',
  async () => {
    const { port } = new URL(origin)
    const elsewhere = createHttpServer(answer)
    await new Promise<void>((listening) => elsewhere.listen(0, outside, listening))
    const from = `http://${outside}:${(elsewhere.address() as AddressInfo).port}`
    seen.length = 0
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:7f00:1]']) {
      const path = `/to?http://${host}:${port}/ok`
      expect(await http(path, 2_000, `${from}${path}`)).toMatchObject({
        status: 'critical',
        output: expect.stringMatching(/: address not allowed$/),
      })
    }
    expect(seen.map(({ url }) => url.slice(0, 4))).toEqual(['/to?', '/to?', '/to?'])
    expect(await http('', 2_000, `${from}/to?${from}/ok`)).toMatchObject({ status: 'passing' })
    elsewhere.closeAllConnections()
    await new Promise((closed) => elsewhere.close(closed))
  },
)

test('SSRF-01: HTTP and TCP checks connect to no metadata address, and only to hosts that are allowed', async () => {
  expect(await http('', 1_000, 'http://169.254.169.254/')).toMatchObject({
    status: 'critical',
    output: 'Get "http://169.254.169.254/": address not allowed',
  })
  const tcp = { type: 'tcp', intervalMs: 1_000, timeoutMs: 20_000 } as const
  const refused = { status: 'critical', output: expect.stringContaining('address not allowed') }
  expect(await runTcpCheck({ ...tcp, address: '169.254.169.254:80' }, outgoing)).toMatchObject(refused)
  expect(
    await runTcpCheck(
      { ...tcp, address: origin.slice('http://'.length) },
      new Outgoing({ allowHttp: true, hosts: ['web.example'] }),
    ),
  ).toMatchObject(refused)
})

test('SSRF-01: a TCP check connects to no host that has a forbidden address among others', async () => {
  for (const addresses of [
    ['169.254.169.254', '127.0.0.1'],
    ['127.0.0.1', '169.254.169.254'],
  ]) {
    const resolve = (_host: string, _options: unknown, done: (error: null, found: object[]) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      )
    const resolving = new Outgoing({ allowHttp: true, resolve: resolve as never })
    const run = { type: 'tcp', intervalMs: 1_000, timeoutMs: 1_000, address: 'web.example:80' } as const
    expect(await runTcpCheck(run, resolving)).toMatchObject({
      status: 'critical',
      output: expect.stringContaining('address not allowed'),
    })
  }
})

test('an HTTP check that gets no answer in time, or no connection, is critical', async () => {
  expect(await http('/hang', 50)).toMatchObject({
    status: 'critical',
    output: expect.stringContaining('timeout'),
  })
  expect(await http('', 20_000, 'http://127.0.0.1:1/')).toMatchObject({
    status: 'critical',
    output: expect.stringContaining('ECONNREFUSED'),
  })
})

test('a TCP check passes if it connects, and otherwise says why', async () => {
  const tcp = { type: 'tcp', intervalMs: 1_000, timeoutMs: 20_000 } as const
  const address = origin.slice('http://'.length)
  expect(
    await runTcpCheck(
      { ...tcp, address: address.replace('127.0.0.1', 'LOCALHOST') },
      new Outgoing({ allowHttp: true, hosts: ['localhost'] }),
    ),
  ).toMatchObject({ status: 'passing' })
  expect(await runTcpCheck({ ...tcp, address }, outgoing)).toEqual({
    status: 'passing',
    output: `TCP connect ${address}: Success`,
  })
  expect(await runTcpCheck({ ...tcp, address: '127.0.0.1:1' }, outgoing)).toMatchObject({
    status: 'critical',
    output: expect.stringContaining('ECONNREFUSED'),
  })
  expect((await runTcpCheck({ ...tcp, address: 'nowhere' }, outgoing)).status).toBe('critical')
})
