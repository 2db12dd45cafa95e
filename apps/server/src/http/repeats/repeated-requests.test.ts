/**
 * Requests with known headers are answered exactly as Node would answer them, whatever else their connection carries.
 */
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BoundedMap } from '@latchkey/service'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { expect, test, vi } from 'vitest'
import { converse, exchange, open, read, received, start, write } from '../../../test/echo-server.ts'

test('a request is answered as a repeated one once Node has parsed its headers, on any connection', async () => {
  const { port, repeated } = await start()
  const first = await converse(port, Array(2).fill(read('token/self')))
  expect(repeated).toEqual(['/v1/acl/token/self'])
  expect(new Set(first.map(withoutDate)).size).toBe(1)
  // Other paths, connections and secrets share the headers. Node parses the first request of each connection.
  const others = await converse(port, [
    read('token/1'),
    read('token/2'),
    read('token/3', 'b'),
    read('token/4'),
  ])
  expect(repeated.slice(1)).toEqual(['/v1/acl/token/2', '/v1/acl/token/3', '/v1/acl/token/4'])
  expect(others.map((answer) => /token\/\d \w/.exec(answer)?.[0])).toEqual(
    ['1 a', '2 a', '3 b', '4 a'].map((end) => `token/${end}`),
  )
})

test.each([
  ['an empty secret', ''],
  ['a secret of other characters', 'a:b'],
  ['a secret that ends the line', 'a\r\nX-More: b'],
  ['a secret with a blank', 'a b'],
  ['a secret behind a tab', '\ta'],
  ['the place of a secret', '\0'],
  ['a very long secret', 'x'.repeat(129)],
])('%s is not taken for that of another request', async (_what, secret) => {
  const { port, repeated } = await start()
  const { port: plain } = await start({ fastLane: false })
  const pieces = [read('token/self'), read('token/self', 'b'), read('token/self', secret), read('token/self')]
  expect(await exchange(port, pieces)).toBe(await exchange(plain, pieces))
  expect(repeated[0]).toBe('/v1/acl/token/self')
})

test.each([
  ['Authorization: Bearer a', 'Authorization: Bearer b', 3],
  ['Authorization: Bearer a', 'Authorization: Bearer  b', 2],
  ['Authorization: Bearer a', 'authorization: Bearer b', 2],
  ['X-Consul-Token: a', 'x-consul-token: b', 2],
  // Only headers of secrets are taken apart.
  ['Origin: token: a', 'Origin: token: b', 0],
  ['X-Request-Id: token: a', 'X-Request-Id: token: b', 0],
])('after %s twice, %s and the first again, %i of them were repeated', async (one, other, count) => {
  const { port, repeated } = await start()
  const { port: plain } = await start({ fastLane: false })
  const request = (line: string) => read('token/self').replace(/X-Token: a/i, line)
  const pieces = [one, one, other, one].map(request)
  expect(await exchange(port, pieces)).toBe(await exchange(plain, pieces))
  expect(repeated).toHaveLength(count)
})

test('requests are alike only with the same secret, so that waits of different callers never share an answer (AUTHZ-01)', async () => {
  const { port, service } = await start()
  const reply = vi.spyOn(service, 'reply')
  await converse(port, [read('a'), read('a'), read('a'), read('a', 'b'), read('a', 'b')])
  const alike = reply.mock.calls.map(([request]) => request.alike)
  const [, a1, a2, b1, b2] = alike
  expect([a1, a2, b1, b2].every((each) => each !== undefined)).toBe(true)
  expect([a1 === a2, b1 === b2, a1 === b1]).toEqual([true, true, false])
})

/** Lines of a head in which one credential is easily mistaken for another one. */
const CREDENTIALS = [
  ...['X-Token: a', 'X-Token: b', 'x-token: c', 'X-TOKEN: d', 'X-Token:e', 'X-Token:  f', 'X-Token: g '],
  ...[
    'X-Token:\ti',
    'X-Token: j\t',
    'X-Token: k, l',
    'X-Token: m n',
    'X-Token: ',
    'X-Token: o;p',
    'X-Token: \xe9',
  ],
  ...['X-Token: Bearer q', 'Authorization: Bearer a', 'authorization: bearer b', 'Authorization: X-Token: a'],
  ...['X-B-Token: a\r\nX-Token: ', 'X-B-Token: \r\nX-Token: a', 'X-Token: \r\nX-B-Token: a'],
  ...['X-Token: a\r\nX-B-Token: b', 'X-B-Token: b\r\nX-Token: a', 'X-B-Token: c\r\nX-Token: d'],
  ...[
    'X-Token: a\r\nX-Token: b',
    'X-Token: a\r\nx-token: b',
    'X-Not: X-Token: a',
    'X-Token-X: a',
    'Token: a',
  ],
  ...[
    'X-Token: a\r\n b',
    'X-Token: a\r\n\tX-Token: b',
    'X-Token: a\nX-Token: b',
    'X-Token: \0',
    'X-Token: a\0',
  ],
  ...[
    'X-B-Token: a\r\nX-Token: \0',
    'X-B-Token: \0\r\nX-Token: a',
    'X-Token : a',
    ' X-Token: a',
    'X-Token: a\rb',
  ],
]

test('a credential is that of its own head, whatever credentials were seen with the same other headers', async () => {
  const random = new SeededRandom(chooseSeed('credentials'))
  const { port, repeated } = await start()
  const { port: plain } = await start({ fastLane: false })
  for (let round = 0; round < fuzzCount(60); round += 1) {
    const heads = Array.from({ length: 6 }, () =>
      read('tokens').replace('X-Token: a', random.pick(CREDENTIALS)),
    )
    expect(await exchange(port, heads), heads.join('')).toBe(await exchange(plain, heads))
  }
  expect(repeated.length).toBeGreaterThan(30)
})

test('heads that never repeat are learned less often than heads that do', async () => {
  const learned = vi.spyOn(BoundedMap.prototype, 'set')
  const { port, repeated } = await start()
  const unique = (i: number) => read('tokens').replace('X-Token', `X-Trace: ${i}\r\nX-Token`)
  await converse(
    port,
    Array.from({ length: 4_000 }, (_, i) => unique(i)),
  )
  expect(learned.mock.calls.length).toBeLessThan(2_200)
  const known = Array.from({ length: 40 }, () => read('token/self'))
  await converse(port, known)
  expect(repeated.length).toBeGreaterThan(10)
})

function withoutDate(answer: string): string {
  return answer.replace(/^Date: .*\r\n/m, '')
}

/** Parts of a head that each keep Node from treating the next request like the previous one. */
test.each([
  ['a body', 'Content-Length: 0\r\n'],
  ['a chunked body', 'Transfer-Encoding: chunked\r\n'],
  ['an end of the connection', 'Connection: close\r\n'],
  ['an end of the connection, as old proxies spell it', 'Proxy-Connection: close\r\n'],
  ['an upgrade', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
  ['an unknown expectation', 'Expect: foo\r\n'],
  ['a header twice', 'X-Token: b\r\n'],
  ['a second host', 'Host: 127.0.0.1\r\n'],
  ['no host', undefined],
  ['many characters', `X-Long: ${'x'.repeat(2_100)}\r\n`],
])('a head with %s is never answered as a repeated one', async (_what, header) => {
  const { port, repeated } = await start()
  const request =
    header === undefined
      ? read('token/self').replace('Host: 127.0.0.1\r\n', '')
      : read('token/self').replace('\r\n\r\n', `\r\n${header}\r\n`)
  const body = header?.startsWith('Transfer') ? '0\r\n\r\n' : ''
  for (let connection = 0; connection < 3; connection += 1) {
    const socket = await open(port)
    for (const text of [...Array(3).fill(read('token/known')), ...Array(3).fill(request + body)]) {
      if (!socket.writable) break
      socket.write(text)
      await Promise.race([once(socket, 'data'), once(socket, 'close')])
    }
  }
  expect(new Set(repeated)).toEqual(new Set(['/v1/acl/token/known']))
})

test.each(['HTTP/1.0', 'http/1.1', 'HTTP/1.1 '])('the version %j is left to Node', async (version) => {
  const { port, repeated } = await start()
  const known = read('token/self')
  await converse(port, Array(4).fill(known))
  const count = repeated.length
  const socket = await open(port)
  for (let i = 0; i < 3; i += 1) {
    socket.write(known)
    await once(socket, 'data')
  }
  socket.write(known.replace('HTTP/1.1', version))
  await Promise.race([once(socket, 'data'), once(socket, 'close')])
  expect(repeated).toHaveLength(count + 2)
})

test('bytes in the middle of a body are not learned as a head', async () => {
  const { port, repeated } = await start()
  const inner = read('token/inner')
  const socket = await open(port)
  const answers = received(socket)
  for (const text of [read('a'), read('a'), read('a')]) {
    socket.write(text)
    await once(socket, 'data')
  }
  const before = repeated.length
  // The body looks like a head. The request behind it arrives with the end of the body.
  socket.write(`PUT /v1/acl/token HTTP/1.1\r\nHost: x\r\nContent-Length: ${inner.length}\r\n\r\n`)
  await nextTurn()
  socket.write(inner + read('token/behind'))
  await expect.poll(() => answers.text()).toContain('GET /v1/acl/token/behind a ;')
  // At the start of a request, the same bytes are two requests.
  for (let i = 0; i < 3; i += 1) {
    socket.write(read('b'))
    await once(socket, 'data')
  }
  socket.write(inner + read('token/behind'))
  await expect.poll(() => answers.text().match(/GET \/v1\/acl\/token\/behind/g)).toHaveLength(2)
  expect(answers.text()).toContain('GET /v1/acl/token/inner a ;HTTP/1.1 200')
  expect(repeated.slice(before)).not.toContain('/v1/acl/token/inner')
})

test('the body of a request that Node refuses by itself is not answered as a read', async () => {
  const { port } = await start()
  await converse(port, Array(4).fill(read('token/self')))
  const socket = await open(port)
  const answers = received(socket)
  const statuses = () => [...answers.text().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  const body = read('token/self')
  for (let i = 1; i <= 3; i += 1) {
    socket.write(read('token/self'))
    await expect.poll(statuses).toHaveLength(i)
  }
  const refused = `PUT /v1/acl/token HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(read('token/self') + refused)
  await expect.poll(statuses).toEqual([200, 200, 200, 200, 417])
  socket.write(body)
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  socket.write(read('token/last', 'new'))
  await expect.poll(() => answers.text()).toContain('/v1/acl/token/last new ;')
  expect(statuses()).toEqual([200, 200, 200, 200, 417, 200])
})

/**
 * Bytes that end within the empty line of a head; then a body that ends like a head; then the start of another head.
 */
function splitInEmptyLine(start: string): readonly string[] {
  const body = `${'x'.repeat(start.length - 4)}\r\n\r\n`
  const head = `PUT /v1/acl/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r`
  return [head, `\n${body}${start}`]
}

test('the rest of a head is neither treated as a request nor learned with the headers of another one', async () => {
  const { port } = await start()
  const { port: plain } = await start({ fastLane: false })
  const known = read('token/self')
  const victim = 'GET /v1/acl/token/self HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
  for (const last of [known, victim]) {
    for (const start of [
      'PUT /v1/acl/token/own HTTP/1.1\r\nX-A: ',
      'GET /v1/acl/token/own HTTP/1.1\r\nX-Token: foreign\r\nX-A: ',
    ]) {
      const pieces = [known, known, known, ...splitInEmptyLine(start), last]
      expect(await exchange(port, pieces)).toBe(await exchange(plain, pieces))
    }
  }
  expect(await exchange(port, [victim, victim, victim])).not.toContain('foreign')
})

/** Requests that Node answers or refuses without emitting an event. */
const UNANNOUNCED = [
  'GET /v1/acl/tokens HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
  'GARBAGE\r\n\r\n',
  'GET /v1/acl/tokens HTTP/1.1\r\nHost : x\r\n\r\n',
  'PUT /v1/acl/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 2\r\n\r\n',
  'GET /v1/acl/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
]

test.each(UNANNOUNCED)('a read with %j behind it is not learned as one read', async (behind) => {
  const { port } = await start()
  const { port: plain } = await start({ fastLane: false })
  const pieces = [...Array(3).fill(read('token/self')), read('token/self', 'other') + behind]
  for (let connection = 0; connection < 3; connection += 1) {
    expect(await exchange(port, pieces)).toBe(await exchange(plain, pieces))
  }
})

/** A way to split a conversation into the pieces that the server reads. */
function* piecesOf(text: string, random: SeededRandom): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const isHead = random.chance(0.6)
    // Sometimes the split is within the empty line.
    const missing = random.chance(0.1) ? random.below(4) : 0
    const end = isHead ? text.indexOf('\r\n\r\n', at) + 4 - missing : at + 1 + random.below(200)
    const next = end > at + 3 || !isHead ? end : text.length
    yield text.slice(at, next)
    at = next
  }
}

test('random requests in random pieces get the same bytes with and without repeats, and run once', async () => {
  const random = new SeededRandom(chooseSeed('repeated requests'))
  const { port, repeated, handedOver, service } = await start()
  const { port: plain, service: other } = await start({ fastLane: false })
  for (let round = 0; round < fuzzCount(60); round += 1) {
    const requests = Array.from({ length: 2 + random.below(19) }, () => randomRequest(random))
    const pieces = [...piecesOf(requests.join(''), random)]
    const [expected, actual] = await Promise.all([exchange(plain, pieces), exchange(port, pieces)])
    expect(actual, `round ${round}`).toBe(expected)
    expect(service.asked, `round ${round}`).toEqual(other.asked)
  }
  expect(repeated.length).toBeGreaterThan(handedOver())
  expect(handedOver()).toBeGreaterThan(0)
})

const ODD = [
  read('token/a%2Fb'),
  read('token/self').replace('GET', 'HEAD'),
  read('token/self').replace('X-Token: a', 'X-Token:a'),
  read('token/self').replace('X-Token: a', 'X-Token: a\r\nX-Token: b'),
  `\r\n${read('token/self')}`,
  read('token/self').replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'),
  write(read('token/inner')).replace('\r\n\r\n', '\r\nExpect: foo\r\n\r\n'),
  // Requests that end a connection do so at once, whether or not earlier answers have been sent.
  ...UNANNOUNCED.slice(0, 1),
]

function randomRequest(random: SeededRandom): string {
  if (random.chance(0.1)) return random.pick(ODD)
  const path = random.pick(['token/self', 'tokens', 'token/1', 'token/slow', 'token/huge', 'token/stream'])
  if (random.chance(0.3))
    return write(random.pick(['', 'body', 'long', read('token/inner'), '\r\n\r\n']), path)
  return read(path, random.pick(['a', 'b', 'c', 'a, b', 'Bearer a', 'a\tb']))
}
