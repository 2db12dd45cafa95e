/**
 * FUZ-03: damaged requests on raw sockets against the real server, by a caller that may read everything and write nothing.
 * `LATCHKEY_FUZZ=100000` for more, `LATCHKEY_SEED` repeats a run.
 */
import { connect } from 'node:net'
import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { startTestServer } from './server.ts'
import { MANAGEMENT } from './shared-env.ts'

const EXCHANGES = Number(process.env.LATCHKEY_FUZZ ?? 3_000)
const AT_ONCE = 16

const server = await startTestServer({ LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0' })
const Rules = 'acl = "read"\noperator = "read"\nkey_prefix "" { policy = "read" }'
await server.call('PUT', '/acl/policy', { token: MANAGEMENT, body: { Name: 'reader', Rules } })
const body = { Policies: [{ Name: 'reader' }] }
const reader: string = (await server.call('PUT', '/acl/token', { token: MANAGEMENT, body })).body.SecretID

const PATHS = [
  '/v1/acl/tokens',
  '/v1/acl/token/self',
  '/v1/acl/token',
  '/v1/kv/a?raw',
  '/v1/acl/policy/lint',
  '/livez',
  '/',
  '/docs',
]
const METHODS = ['GET', 'GET', 'GET', 'GET', 'GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH']
const HEADERS = [
  'Content-Length: 2',
  'Content-Length: 10',
  'Transfer-Encoding: chunked',
  'Expect: 100-continue',
  'Connection: close',
  'Connection: Upgrade',
  'Accept: application/problem+json',
  'X-Request-Id: a b',
  'X-Service-Namespace: x',
  'Cache-Control: max-age=x',
  'Authorization: Bearer',
]
const BODIES = ['', '{}', '2\r\n{}\r\n0\r\n\r\n', '{"Rules":""}', 'x'.repeat(100)]
const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  '%',
  '%00',
  '//',
  '?',
  '#',
  '\xff',
  'a'.repeat(300),
  'HTTP/1.1',
  '\r\n\r\n',
  ',',
]

/** One or more requests, most of them malformed. */
function randomBytes(random: SeededRandom): Buffer {
  let text = ''
  for (let requests = 1 + random.below(3); requests > 0; requests -= 1) {
    const headers = Array.from({ length: random.below(4) }, () => random.pick(HEADERS))
    const lines = [
      `${random.pick(METHODS)} ${random.pick(PATHS)} HTTP/1.${random.below(2)}`,
      'Host: localhost',
      `X-Service-Token: ${reader}`,
      ...headers,
    ]
    text += `${lines.join('\r\n')}\r\n\r\n${random.pick(BODIES)}`
  }
  for (let damages = random.below(5) - 2; damages > 0; damages -= 1) {
    const at = random.below(text.length)
    text =
      text.slice(0, at) + (random.chance(1 / 4) ? '' : random.pick(PIECES)) + text.slice(at + random.below(3))
  }
  return Buffer.from(random.chance(1 / 10) ? text.slice(0, random.below(text.length)) : text, 'latin1')
}

/** How long a client waits for an answer before it half-closes: a busy server would treat the client as gone. */
const ANSWER_MS = 1_000

/** Sends all bytes, and half-closes at the first answer; resolves with the answers when the server closes. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setTimeout(5_000, () => socket.destroy())
    const patience = setTimeout(() => socket.end(), ANSWER_MS)
    socket.on('data', (data) => {
      text += data.toString('latin1')
      socket.end()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(patience)
      resolve(text)
    })
    socket.write(bytes)
  })
}

test(`FUZ-03: ${EXCHANGES} exchanges: no 5xx, nothing written, and the server keeps answering`, {
  timeout: 3_600_000,
}, async () => {
  const random = new SeededRandom(chooseSeed('FUZ-03 raw'))
  const port = Number(new URL(server.url).port)
  const before = await server.call('GET', '/acl/tokens', { token: MANAGEMENT })
  const statuses = new Map<string, number>()
  let left = EXCHANGES
  const client = async () => {
    while (left > 0) {
      left -= 1
      const bytes = randomBytes(random)
      const text = await exchange(port, bytes)
      for (const [, status = ''] of text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status.startsWith('5')) expect.fail(`${status} for ${JSON.stringify(bytes.toString('latin1'))}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  expect(await server.call('GET', '/acl/tokens', { token: MANAGEMENT })).toEqual(before)
  expect(server.log.filter((line) => line.includes('"level":"error"'))).toEqual([])
  // The requests must be useful: the server understands many of them, and refuses many.
  expect(statuses.get('200') ?? 0).toBeGreaterThan(EXCHANGES / 10)
  expect(statuses.get('400') ?? 0).toBeGreaterThan(EXCHANGES / 10)
})
