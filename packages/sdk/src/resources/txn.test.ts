import { expect, test } from 'vitest'
import { clientOf } from '../../test/client.ts'
import { json, plain, problem, startServer } from '../../test/test-server.ts'
import { ContractBroken, Invalid, Unavailable } from '../errors.ts'

const made = { Results: [{ KV: { Key: 'a' } }], Errors: null }
const bodyOf = (request: { readonly body: string } | undefined) => JSON.parse(request?.body ?? '')

test('a builder sends its operations in order, with values in base64', async () => {
  await using server = await startServer(json(made))
  const outcome = await clientOf(server)
    .txn.begin()
    .checkNotExists('a')
    .set('a', 'ü', { flags: 7 })
    .cas('b', 9, new Uint8Array([0, 255]))
    .get('a')
    .getTree('a/')
    .checkIndex('c', 5)
    .delete('d')
    .deleteCas('e', 3)
    .deleteTree('')
    .checkSession('f', 'id')
    .lock('f', 'id', 'x')
    .unlock('f', 'id', '')
    .add({ Node: { Verb: 'get', Node: { Node: 'n' } } })
    .commit()
  expect(outcome).toEqual({ committed: true, results: made.Results })
  expect(server.requests[0]).toMatchObject({ method: 'PUT', url: '/v1/txn' })
  expect(bodyOf(server.requests[0])).toEqual([
    { KV: { Verb: 'check-not-exists', Key: 'a' } },
    { KV: { Verb: 'set', Key: 'a', Value: 'w7w=', Flags: 7 } },
    { KV: { Verb: 'cas', Key: 'b', Index: 9, Value: 'AP8=' } },
    { KV: { Verb: 'get', Key: 'a' } },
    { KV: { Verb: 'get-tree', Key: 'a/' } },
    { KV: { Verb: 'check-index', Key: 'c', Index: 5 } },
    { KV: { Verb: 'delete', Key: 'd' } },
    { KV: { Verb: 'delete-cas', Key: 'e', Index: 3 } },
    { KV: { Verb: 'delete-tree', Key: '' } },
    { KV: { Verb: 'check-session', Key: 'f', Session: 'id' } },
    { KV: { Verb: 'lock', Key: 'f', Session: 'id', Value: 'eA==' } },
    { KV: { Verb: 'unlock', Key: 'f', Session: 'id', Value: '' } },
    { Node: { Verb: 'get', Node: { Node: 'n' } } },
  ])
})

test('flags beyond 2^53 are sent with all their digits', async () => {
  await using server = await startServer(json(made))
  await clientOf(server).txn.begin().set('a', '', { flags: 0xe0f69a2baa414de0n }).commit()
  expect(server.requests[0]?.body).toContain('"Flags":16210313421097356768')
})

test('409 with errors is an outcome; 409 of another kind is not', async () => {
  const Errors = [{ OpIndex: 1, What: 'key "a" exists' }]
  const conflict = (value: unknown) =>
    plain(409, JSON.stringify(value), { 'Content-Type': 'application/json' })
  await using server = await startServer(conflict({ Results: null, Errors }))
  await expect(clientOf(server).txn.apply([{}])).resolves.toEqual({ committed: false, errors: Errors })
  await using other = await startServer(conflict('no'))
  await expect(clientOf(other).txn.apply([])).rejects.toThrow(ContractBroken)
  await using large = await startServer(problem(413, 'transaction_too_large'))
  await expect(clientOf(large).txn.apply([])).rejects.toThrow(Invalid)
})

test('a consistency mode goes along; without one nothing does', async () => {
  await using server = await startServer(json(made))
  const { txn } = clientOf(server)
  await txn.begin().get('a').commit({ consistency: 'stale' })
  await txn.begin().get('a').commit()
  expect(server.requests.map(({ url }) => url)).toEqual(['/v1/txn?stale', '/v1/txn'])
})

test.each([
  ['get', true],
  ['check-index', true],
  ['set', true],
  ['cas', false],
  ['delete-cas', false],
] as const)('503 without an outcome: %s is retried: %s', async (Verb, isRetried) => {
  await using server = await startServer(problem(503, 'unavailable'), json(made))
  const sent = clientOf(server).txn.apply([{ KV: { Verb, Key: 'a' } }], { retries: 1 })
  if (isRetried) await expect(sent).resolves.toMatchObject({ committed: true })
  else await expect(sent).rejects.toThrow(Unavailable)
  expect(server.requests).toHaveLength(isRetried ? 2 : 1)
})
