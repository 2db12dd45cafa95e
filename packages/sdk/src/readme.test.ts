import { readFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { CALLER_SECRET } from '../test/client.ts'
import { aToken } from '../test/records.ts'
import { json, problem, type Reply, startServer } from '../test/test-server.ts'
import { createClient } from './index.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}

test('the first example of the README is test/readme-example.ts', () => {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? []
  expect(example).toBe(read('../test/readme-example.ts'))
})

test('the README names every resource of a client', () => {
  const [, calls = ''] = /## Calls\n([\s\S]*?)\n## /.exec(read('../README.md')) ?? []
  const client = createClient({ address: 'http://127.0.0.1:1', env: false })
  expect(Object.keys(client).filter((resource) => !calls.includes(`.${resource}\``))).toEqual([])
})

test('the first example does what the README says', async () => {
  const missing = { resource: 'key', segment: 'web/port', access: 'write' }
  const replies: Readonly<Record<string, Reply>> = {
    'PUT /v1/acl/policy': json({ ID: 'p', Name: 'web-read' }),
    'PUT /v1/acl/token': (response, request) => json(aToken(JSON.parse(request.body)))(response, request),
    'POST /v1/internal/acl/authorize': json([
      { Resource: 'key', Segment: 'web/port', Access: 'read', Allow: true },
    ]),
    'PUT /v1/kv/web/port': problem(403, 'privilege_missing', { missing }),
  }
  await using server = await startServer((response, request) =>
    replies[`${request.method} ${request.url}`]?.(response, request),
  )
  vi.stubEnv('LATCHKEY_ADDR', server.address)
  vi.stubEnv('LATCHKEY_TOKEN', CALLER_SECRET)
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  await import('../test/readme-example.ts')
  expect(log.mock.calls).toEqual([[true], [missing]])
  const secrets = server.requests.map(({ headers }) => headers['x-service-token'])
  const { SecretID } = JSON.parse(server.requests[1]?.body ?? '')
  expect(secrets).toEqual([CALLER_SECRET, CALLER_SECRET, SecretID, SecretID])
})
