/**
 * Sends the real server requests that no client library would send. FUZ-03, DOS-02 to DOS-04, INJ-02. The requests carry
 * the management token, so that a smuggled request would have an effect.
 */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { converse } from './echo-server.ts'
import { exchange, openConnection, type Piece, type RawOptions } from './raw-http.ts'
import { startTestServer } from './server.ts'
import { MANAGEMENT } from './shared-env.ts'
import { waitersOf } from './waiters-of.ts'

const HEAD = `Host: x\r\nX-Service-Token: ${MANAGEMENT}\r\n`
const MIB = 1_048_576

const server = await startTestServer({
  LATCHKEY_ACCESS_LOG: 'all',
  LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0',
  LATCHKEY_ALLOWED_HOSTS: 'x,y',
})
const port = Number(new URL(server.url).port)

const send = (text: string | readonly Piece[], options?: RawOptions) =>
  exchange(port, typeof text === 'string' ? [text] : text, options)

async function countTokens(): Promise<number> {
  const { body } = await server.call('GET', '/acl/tokens', { token: MANAGEMENT })
  return (body as readonly unknown[]).length
}

describe('forms of a request line', () => {
  const SELF = '/v1/acl/token/self'
  test.each([
    ['origin form', `GET ${SELF} HTTP/1.1\r\n${HEAD}`, 200],
    ['absolute form', `GET http://x${SELF} HTTP/1.1\r\n${HEAD}`, 200],
    [
      'absolute form, with another host and scheme',
      `GET HTTPS://y:99${SELF}?pretty HTTP/1.1\r\n${HEAD}`,
      200,
    ],
    ['absolute form, with doubled slashes', `GET http://x//v1//acl/tokens HTTP/1.1\r\n${HEAD}`, 301],
    ['absolute form, without a path', `GET http://x HTTP/1.1\r\n${HEAD}`, 200],
    ['percent-encoded in every part', `GET /%761/a%63l/%74oken%2Fse%6Cf HTTP/1.1\r\n${HEAD}`, 200],
    ['HTTP/1.0, without Host', `GET ${SELF} HTTP/1.0\r\nX-Service-Token: ${MANAGEMENT}\r\n`, 200],
    ['HTTP/1.1 without Host', `GET ${SELF} HTTP/1.1\r\nX-Service-Token: ${MANAGEMENT}\r\n`, 400],
    ['HTTP/2 in cleartext', 'PRI * HTTP/2.0\r\n', 400],
    ['an unknown version', `GET ${SELF} HTTP/9.9\r\n${HEAD}`, 400],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${HEAD}`, 404],
    ['GET *', `GET * HTTP/1.1\r\n${HEAD}`, 404],
    ['no path', `GET  HTTP/1.1\r\n${HEAD}`, 400],
    ['a path without a slash', `GET v1/acl/tokens HTTP/1.1\r\n${HEAD}`, 400],
    ['a backslash', `GET /v1\\acl\\tokens HTTP/1.1\r\n${HEAD}`, 404],
    ['dots', `GET /v1/x/../acl/tokens HTTP/1.1\r\n${HEAD}`, 404],
    ['a NUL', `GET /v1/acl/tokens\0 HTTP/1.1\r\n${HEAD}`, 400],
    ['bytes above 127', `GET /v1/kv/\u00e9 HTTP/1.1\r\n${HEAD}`, 400],
    ['an unknown method', `BREW ${SELF} HTTP/1.1\r\n${HEAD}`, 400],
    ['a method in lower case', `get ${SELF} HTTP/1.1\r\n${HEAD}`, 400],
    ['TRACE', `TRACE ${SELF} HTTP/1.1\r\n${HEAD}`, 405],
    ['HEAD', `HEAD ${SELF} HTTP/1.1\r\n${HEAD}`, 405],
    ['a path of 9,000 characters', `GET /v1/kv/${'a'.repeat(9_000)} HTTP/1.1\r\n${HEAD}`, 414],
    ['a line of 20,000 characters', `GET /v1/kv/${'a'.repeat(20_000)} HTTP/1.1\r\n${HEAD}`, 431],
    ['a client that speaks TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ])('%s', async (_name, request, status) => {
    const { statuses } = await send(`${request}Connection: close\r\n\r\n`)
    expect(statuses).toEqual([status])
  })

  test('CONNECT is not supported: the connection closes without an answer', async () => {
    expect(await send('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toMatchObject({ text: '', closed: true })
  })

  test('an upgrade is ignored: the request is answered as plain HTTP', async () => {
    const request = `GET ${SELF} HTTP/1.1\r\n${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
    expect((await send(request, { answers: 1 })).statuses).toEqual([200])
  })
})

describe('headers', () => {
  const ask = (headers: string) =>
    send(`GET /v1/acl/token/self HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`)

  test.each([
    ['a folded value', `Host: x\r\nX-Service-Token:\r\n ${MANAGEMENT}\r\n`, 400],
    ['a space before the colon', `Host: x\r\nX-Service-Token : ${MANAGEMENT}\r\n`, 400],
    ['a NUL in a value', `${HEAD}X-A: a\0b\r\n`, 400],
    ['a name with a space', `${HEAD}X A: b\r\n`, 400],
    ['no colon', `${HEAD}X-A\r\n`, 400],
    ['two Hosts', `${HEAD}Host: y\r\n`, 400],
    ['two equal Hosts, in another case', `${HEAD}hOST: x\r\n`, 400],
    ['bare line feeds', HEAD.replaceAll('\r\n', '\n'), 400],
    ['20,000 characters of a value', `${HEAD}X-A: ${'a'.repeat(20_000)}\r\n`, 431],
    ['2,000 headers', `${HEAD}${'X-A: b\r\n'.repeat(2_500)}`, 431],
    ['names in another case', `HOST: x\r\nx-SERVICE-token: ${MANAGEMENT}\r\n`, 200],
    ['no space after the colon', `Host:x\r\nX-Service-Token:${MANAGEMENT}\r\n`, 200],
    ['bytes above 127 in a token', 'Host: x\r\nX-Service-Token: \u00e9\r\n', 403],
  ])('%s', async (_name, headers, status) => {
    expect((await ask(headers)).statuses).toEqual([status])
  })

  test('INJ-05: of a repeated token header the first applies, whoever added the others', async () => {
    const good = `X-Service-Token: ${MANAGEMENT}\r\n`
    const bad = 'X-Service-Token: nobody\r\n'
    expect((await ask(`Host: x\r\n${good}${bad}`)).statuses).toEqual([200])
    expect((await ask(`Host: x\r\n${bad}${good}`)).statuses).toEqual([403])
    expect((await ask(`Host: x\r\nAuthorization: Bearer nobody\r\n${good}`)).statuses).toEqual([200])
    const bearers = `Authorization: Bearer ${MANAGEMENT}\r\nAuthorization: Bearer nobody\r\n`
    expect((await ask(`Host: x\r\n${bearers}`)).statuses).toEqual([200])
  })
})

describe('DOS-03: lengths', () => {
  const PUT = `PUT /v1/acl/token HTTP/1.1\r\n${HEAD}`
  const SMUGGLED = `PUT /v1/acl/token HTTP/1.1\r\n${HEAD}Content-Length: 2\r\n\r\n{}`

  /** Bodies that two programs could read differently. Each hides a request that must never be answered. */
  const SMUGGLING: readonly (readonly [string, string])[] = [
    ['a length and chunks', `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks and a length', `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`],
    ['two lengths', `Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['two equal lengths', `Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`],
    ['a list of lengths', `Content-Length: 2, 2\r\n\r\n{}`],
    ['a negative length', `Content-Length: -1\r\n\r\n`],
    ['a length with a sign', `Content-Length: +2\r\n\r\n{}`],
    ['a length with a space in it', `Content-Length: 0 2\r\n\r\n{}`],
    ['a hexadecimal length', `Content-Length: 0x2\r\n\r\n{}`],
    ['a length of 2^66', `Content-Length: 73786976294838206464\r\n\r\n{}`],
    ['an empty length', `Content-Length:\r\n\r\n`],
    ['an unknown encoding', `Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['identity', `Transfer-Encoding: identity\r\n\r\n{}`],
    ['chunked twice', `Transfer-Encoding: chunked, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    [
      'two encodings',
      `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
    ['gzip, then chunked', `Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['an encoding behind a vertical tab', `Transfer-Encoding: \x0bchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['an encoding with a space before the colon', `Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['an invalid chunk size', `Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['a negative chunk size', `Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size of 2^68', `Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n`],
    ['chunks that end in bare line feeds', `Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n`],
    ['a chunk longer than it says', `Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`],
    ['a chunk without its terminator', `Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n`],
  ]

  test.each(SMUGGLING)(
    '%s: refused, the connection closed; neither it nor what follows has an effect',
    async (_name, rest) => {
      const before = await countTokens()
      const { statuses, closed } = await send(`${PUT}${rest}${SMUGGLED}`)
      expect(statuses).toEqual([400])
      expect(closed).toBe(true)
      expect(await countTokens()).toBe(before)
    },
  )

  test.each([
    ['chunks', `Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n`],
    [
      'chunks with extensions and trailers',
      `Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nX-A: b\r\n\r\n`,
    ],
    ['chunked in another case', `Transfer-Encoding: Chunked\r\n\r\n002\r\n{}\r\n0\r\n\r\n`],
    ['a length with leading zeros', `Content-Length: 002\r\n\r\n{}`],
  ])('%s pass, and the next request follows', async (_name, rest) => {
    expect((await send(`${PUT}${rest}${SMUGGLED}`, { answers: 2 })).statuses).toEqual([200, 200])
  })

  test('a length that is too short: the surplus bytes are not a valid request', async () => {
    const { statuses, closed } = await send(`${PUT}Content-Length: 1\r\n\r\n{}`)
    // The surplus may be refused before the first request is answered.
    expect(new Set(statuses)).toEqual(new Set([400]))
    expect(closed).toBe(true)
  })

  test('a length that is too long: the server waits, and nothing is written if the client disconnects', async () => {
    const before = await countTokens()
    const sent = await send(`${PUT}Content-Length: 3\r\n\r\n{}`, { waitMs: 300 })
    expect(sent).toMatchObject({ text: '', closed: false })
    expect(await countTokens()).toBe(before)
  })

  test('a request without length or chunks has no body', async () => {
    const { statuses, text } = await send(`${PUT}\r\n`, { answers: 1 })
    expect(statuses).toEqual([400])
    expect(text).toContain('A JSON body is required')
  })

  test('a million chunks of one byte are counted like any other body', async () => {
    const before = await countTokens()
    const chunk = '1\r\nx\r\n'
    const pieces = Array.from({ length: 110 }, () => chunk.repeat(10_000))
    const { statuses } = await send([`${PUT}Transfer-Encoding: chunked\r\n\r\n`, ...pieces], {
      waitMs: 240_000,
      answers: 1,
    })
    expect(statuses).toEqual([413])
    expect(await countTokens()).toBe(before)
  })

  test('a body with Content-Encoding is not decompressed', async () => {
    const gzip = Buffer.from('H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==', 'base64')
    const head = `${PUT}Content-Encoding: gzip\r\nContent-Length: ${gzip.length}\r\n\r\n`
    expect((await send([head, gzip], { answers: 1 })).statuses).toEqual([400])
  })
})

describe('Expect: 100-continue', () => {
  const put = (headers: string) =>
    `PUT /v1/acl/token HTTP/1.1\r\n${headers}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`

  test('100 Continue is sent once the caller is known and authorized', async () => {
    const { text } = await send([put(HEAD), 50, '{}'], { waitMs: 2_000 })
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
  })

  test('DOS-04: 100 Continue is not sent for a body that will not be read', async () => {
    const { statuses, closed } = await send(put('Host: x\r\n'))
    expect(statuses).toEqual([403])
    expect(closed).toBe(true)
  })

  test('another expectation is refused', async () => {
    const request = `GET /v1/acl/token/self HTTP/1.1\r\n${HEAD}Expect: the-unexpected\r\nConnection: close\r\n\r\n`
    expect((await send(request)).statuses).toEqual([417])
  })
})

describe('DOS-04: a refused body is not read', () => {
  const memoryOf = (pid = 0) =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024

  /** Uploads as fast as the server reads, until it cuts the connection. */
  function upload(head: string, bytes: number, chunked = false): Promise<{ answer: string; sent: number }> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      const piece = Buffer.alloc(65_536, 'x')
      const chunk = chunked ? Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]) : piece
      let answer = ''
      socket.on('data', (data) => {
        answer += data.toString('latin1')
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve({ answer, sent: socket.bytesWritten }))
      socket.write(head)
      const pump = () => {
        while (socket.bytesWritten < bytes && !socket.destroyed && socket.write(chunk));
      }
      socket.on('drain', pump)
      pump()
    })
  }

  const ANONYMOUS = 'PUT /v1/acl/token HTTP/1.1\r\nHost: x\r\n'
  test.each([
    ['an anonymous upload of 1 GiB', `${ANONYMOUS}Content-Length: 1073741824\r\n\r\n`, false, '403 '],
    ['an endless anonymous upload', `${ANONYMOUS}Transfer-Encoding: chunked\r\n\r\n`, true, '403 '],
    [
      'an upload of 1 GiB by a caller that may write',
      `PUT /v1/acl/token HTTP/1.1\r\n${HEAD}Content-Length: 1073741824\r\n\r\n`,
      false,
      '413 ',
    ],
    [
      'an endless upload by a caller that may write',
      `PUT /v1/acl/token HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
      true,
      '413 ',
    ],
    [
      'an upload of 1 GiB to an unknown path',
      `PUT /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n`,
      false,
      '404 ',
    ],
    // A client that is too busy to read before the reset misses the answer, because TCP discards it: retry.
  ])('%s is answered, cut, and costs little', { retry: 2 }, async (_name, head, chunked, status) => {
    const before = memoryOf(server.process.pid)
    const { answer, sent } = await upload(head, 1_024 * MIB, chunked)
    expect(answer).toContain(`HTTP/1.1 ${status}`)
    // The kernel buffers of both ends come on top of the discarded bytes.
    expect(sent).toBeLessThan(200 * MIB)
    expect(memoryOf(server.process.pid) - before).toBeLessThan(16 * MIB)
  })

  test('a client library reads the refusal of a body that is too large', async () => {
    for (let i = 0; i < 5; i += 1) {
      const response = await fetch(`${server.url}/v1/acl/token`, {
        method: 'PUT',
        headers: { 'X-Service-Token': MANAGEMENT },
        body: 'x'.repeat(MIB + 1),
      })
      expect(response.status).toBe(413)
    }
  })
})

describe('a foreign Host', () => {
  const TOKEN = `X-Service-Token: ${MANAGEMENT}\r\n`
  test.each([
    ['with a token', 'GET /v1/acl/token/self', TOKEN, 200],
    ['with a Bearer token', 'GET /v1/acl/token/self', `Authorization: Bearer ${MANAGEMENT}\r\n`, 200],
    ['with a token in the query', `GET /v1/kv/a?keys&token=${MANAGEMENT}`, '', 404],
    ['with a token, on the own datacenter', 'GET /v1/agent/self?dc=dc1', TOKEN, 200],
    ['with an unknown token', 'GET /v1/kv/a', 'X-Service-Token: nobody\r\n', 403],
    ['without a token', 'GET /v1/kv/a', '', 421],
    ['with the anonymous secret', 'GET /v1/kv/a', 'X-Consul-Token: anonymous\r\n', 421],
    ['with the anonymous secret first', 'GET /v1/kv/a?token=anonymous', TOKEN, 421],
    [
      'with a secret that a forwarded request ignores',
      'GET /v1/kv/a',
      `X-Service-Forwarded: dc9\r\nX-Consul-Token: a\r\n`,
      421,
    ],
    ['for another datacenter', 'GET /v1/kv/a?dc=dc1&dc=dc2', TOKEN, 421],
    ['on bootstrap', 'PUT /v1/acl/bootstrap', `${TOKEN}Content-Length: 0\r\n`, 421],
    ['on a login', 'POST /v1/acl/login', `${TOKEN}Content-Length: 2\r\n\r\n{}`, 421],
    [
      'on a question of rights',
      'POST /v1/internal/acl/authorize',
      `${TOKEN}Content-Length: 2\r\n\r\n[]`,
      421,
    ],
    ['on a route that needs no right', 'GET /v1/status/leader', TOKEN, 421],
    ['on an unknown path', 'GET /v1/acl//token/self', TOKEN, 421],
    ['on a page', 'GET /livez', TOKEN, 421],
  ])('%s: the same status from Node and for repeated headers', async (_what, line, rest, status) => {
    const body = rest.includes('\r\n\r\n') ? '' : '\r\n'
    const request = `${line} HTTP/1.1\r\nHost: consul:8500\r\n${rest}${body}`
    const answers = await converse(port, Array(3).fill(request))
    expect(answers.map((answer) => Number(answer.split(' ', 2)[1]))).toEqual([status, status, status])
  })

  test('without ACLs, no secret helps; beyond loopback, the server takes its own names and none below', async () => {
    const env = { LATCHKEY_ACL_ENABLED: 'off', LATCHKEY_NODE_NAME: 'node-7', HOST: '0.0.0.0' }
    const open = Number(new URL((await startTestServer(env)).url).port)
    for (const [host, status] of [
      ['evil.example', 421],
      ['web.service.consul', 421],
      ['CONSUL.:8500', 200],
      ['node-7', 200],
      [hostname(), 200],
    ] as const) {
      const request = `GET /v1/catalog/nodes HTTP/1.1\r\nHost: ${host}\r\nX-Service-Token: a\r\n\r\n`
      expect([host, (await exchange(open, [request], { answers: 1 })).statuses]).toEqual([host, [status]])
    }
  })
})

describe('a client that disconnects', () => {
  test.each(['index=999999', 'ind%65x=999999', 'x=%31&%69ndex=999999'])(
    'a wait with %s ends when its client disconnects',
    async (option) => {
      const lines = () => server.log.filter((line) => line.includes('"endpoint":"tokens.list"')).length
      const before = lines()
      const client = await openConnection(port)
      client.write(`GET /v1/acl/tokens?${option}&wait=60s HTTP/1.1\r\n${HEAD}\r\n`)
      await expect.poll(() => waitersOf(server, MANAGEMENT)).toBe(1)
      client.destroy()
      // An answer that nobody reads is logged like any other.
      await expect.poll(lines).toBe(before + 1)
    },
  )
})
