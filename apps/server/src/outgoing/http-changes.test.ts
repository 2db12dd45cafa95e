import { createServer, type RequestListener, type Server } from 'node:http'
import type { ChangesSource } from '@latchkey/service'
import { freePorts, listenOnFreePort } from '@latchkey/testkit/process/ports'
import { afterEach, expect, test } from 'vitest'
import { httpChanges } from './http-changes.ts'
import { PrimaryClient } from './primary-client.ts'

const SECRET = '77777777-2222-4333-8444-555555555555'
const servers: Server[] = []
const clients: PrimaryClient[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  return listenOnFreePort(server)
}

/** Limits that a test waits for are short; all others are too long to matter. */
function at(ports: readonly number[], limits = {}): ChangesSource {
  const primary = new PrimaryClient({
    origins: ports.map((port) => `http://127.0.0.1:${port}`),
    tls: async () => ({}),
    limits: { connectMsMax: 60_000, answerMsMax: 60_000, silenceMsMax: 60_000, ...limits },
  })
  clients.push(primary)
  return httpChanges({ primary, token: async () => SECRET, reader: 'dc2', headerPrefix: 'X-Service-' })
}

const never = new AbortController().signal

async function failureOf(changes: ChangesSource): Promise<Error> {
  const error = await changes.ask({ index: 7 }, never).then(
    () => expect.fail('it was answered'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error)) throw error
  expect(error.message).not.toMatch(/127|localhost|7777/)
  return error
}

test('requests carry the token and the name of the reader over one connection, and an answer has the cursor of the next page', async () => {
  const asked: unknown[] = []
  const ports = new Set<number | undefined>()
  const port = await listening(({ url, headers, socket }, response) => {
    asked.push([url, headers['x-service-token']])
    ports.add(socket.remotePort)
    response.setHeader('X-Service-Next-Cursor', 'tokens.1').end('{"Index":9}')
  })
  const changes = at([port])
  expect(await changes.ask({}, never)).toEqual({ changes: { Index: 9 }, nextCursor: 'tokens.1' })
  await changes.ask({ index: 9, wait: '14s' }, never)
  expect(asked).toEqual([
    ['/v1/acl/changes?reader=dc2', SECRET],
    ['/v1/acl/changes?index=9&wait=14s&reader=dc2', SECRET],
  ])
  expect(ports.size).toBe(1)
})

test('the next address is tried if one does not answer, and is tried first from then on', async () => {
  const [closed = 0] = await freePorts(1)
  const port = await listening((_request, response) => void response.end('{}'))
  const changes = at([closed, port])
  await changes.ask({}, never)
  expect((await changes.ask({}, never)).changes).toEqual({})
})

test.each([
  ['caller_unknown', 'The primary refused: the replication token is unknown there'],
  ['privilege_missing', 'The primary refused: the replication token lacks acl:write'],
  ['legacy_mode', 'The primary refused: The ACL system is in legacy mode'],
])('SEC-03: a refusal with %s is reported in our words, whatever its text', async (code, message) => {
  const port = await listening((_request, response) => {
    response.writeHead(403).end(JSON.stringify({ code, detail: `you sent ${SECRET}` }))
  })
  const error = await failureOf(at([port]))
  expect(error).toMatchObject({ code })
  expect(error.message).toContain(message)
})

test.each<[string, RequestListener, string]>([
  [
    'a redirect is not followed',
    (_, response) => response.writeHead(302, { Location: '/v1/acl/changes' }).end(),
    'The primary answered with status 302',
  ],
  [
    'a refusal of something else',
    (_, response) => response.writeHead(403).end(SECRET),
    'The primary answered with status 403',
  ],
  [
    'no JSON, which is not quoted',
    (_, response) => response.end(`{"SecretID":"${SECRET}"`),
    'The primary answered with something else than JSON',
  ],
  [
    'an answer that is cut off',
    (_, response) => response.writeHead(200, { 'Content-Length': 10 }).write('{', () => response.destroy()),
    'The primary cannot be asked: the answer was cut off',
  ],
  [
    'an answer without end',
    (_, response) => {
      const more = () => response.write(Buffer.alloc(1_048_576), () => response.destroyed || more())
      more()
    },
    'The primary cannot be asked: the answer is too long',
  ],
])('%s', async (_case, listener, message) => {
  expect((await failureOf(at([await listening(listener)]))).message).toBe(message)
})

test('a primary that hangs is abandoned some time after the wait is over', async () => {
  const port = await listening(() => {})
  const error = await failureOf(at([port], { answerMsMax: 50 }))
  expect(error.message).toBe('The primary cannot be asked: no answer in time')
})

test('an aborted request ends at once', async () => {
  const arrived = Promise.withResolvers<void>()
  const port = await listening(() => arrived.resolve())
  const leaving = new AbortController()
  const asked = at([port]).ask({}, leaving.signal)
  await arrived.promise
  leaving.abort(new Error('it ends'))
  await expect(asked).rejects.toThrow('it ends')
})
