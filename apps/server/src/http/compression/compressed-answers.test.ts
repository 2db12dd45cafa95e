/** Compressed answers over HTTP. */
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync } from 'node:zlib'
import { ROUTE_LIST } from '@latchkey/contract'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appOptions } from '../../../test/app-options.ts'
import { createApp } from '../app.ts'

const PAGE_ORIGIN = 'https://console.example.com'

let world: World
let server: Server
/** Everything that compression must not change. */
const secrets: string[] = [MANAGEMENT]

beforeAll(async () => {
  world = await aWorld({ edition: 'extended' })
  for (let i = 0; i < 20; i += 1) {
    const { SecretID } = await world.token({ Description: `token ${i}` })
    secrets.push(SecretID)
    await world.policy({ Name: `policy-${i}`, Rules: `key_prefix "app/${i}/" { policy = "write" }` })
    await world.manage('PUT', `/kv/app/${i}`, SecretID)
  }
  const { listener } = createApp(appOptions(world.service, { corsOrigins: [PAGE_ORIGIN] }))
  server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterAll(() => {
  server.close()
})

async function get(path: string, token: string, headers: Readonly<Record<string, string>> = {}) {
  const { port } = server.address() as AddressInfo
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    path,
    agent: false,
    headers: { 'X-Service-Token': token, 'Accept-Encoding': 'br', ...headers },
  })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const bytes = await buffer(response)
  const encoding = response.headers['content-encoding']
  return {
    encoding,
    vary: response.headers.vary,
    bytes,
    text: String(encoding === 'br' ? brotliDecompressSync(bytes) : bytes),
  }
}

test('a list without secrets is compressed, and one with secrets is not', async () => {
  const reader = await world.secretWith('acl = "read"')
  secrets.push(reader)
  const hidden = await get('/v1/acl/tokens', reader)
  expect(hidden).toMatchObject({ encoding: 'br', vary: 'Origin, Accept-Encoding' })
  expect(hidden.bytes.length).toBeLessThan(hidden.text.length / 2)
  expect(JSON.parse(hidden.text)).toEqual((await world.ask('GET', '/acl/tokens', { token: reader })).json)
  const shown = await get('/v1/acl/tokens', MANAGEMENT)
  expect(shown).toMatchObject({ encoding: undefined, vary: 'Origin' })
  expect(shown.text).toContain(secrets[1])
})

test('an answer is unchanged for a client that accepts no encoding, and has a Vary header', async () => {
  const plain = await get('/v1/acl/policies', MANAGEMENT, { 'Accept-Encoding': 'identity' })
  expect(plain).toMatchObject({ encoding: undefined, vary: 'Origin, Accept-Encoding' })
  const compressed = await get('/v1/acl/policies', MANAGEMENT)
  expect(compressed).toMatchObject({ encoding: 'br', text: plain.text })
})

const READS = ROUTE_LIST.filter(
  ({ method, blocking, right }) => method === 'GET' && (blocking ?? right !== 'none'),
)

test.each(READS)('$name: a compressed answer contains no secret', async ({ path }) => {
  const { AccessorID } = await world.token()
  for (const name of [AccessorID, secrets[1], 'app', 'policy-1', 'default']) {
    for (const query of ['', '?recurse&keys', '?recurse', '?limit=100']) {
      const { encoding, text } = await get(`${path.replace(/:\w+/, name ?? '')}${query}`, MANAGEMENT)
      if (encoding === undefined) continue
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
  }
})
