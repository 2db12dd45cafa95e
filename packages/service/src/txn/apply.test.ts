/** Bodies of transactions. The conformance suite tests what the operations do. */
import { aWorld, MANAGEMENT } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'

test('400: an operation of two kinds is refused by its place, and nothing is written (decisions: transactions)', async () => {
  const { ask, manage } = await aWorld()
  const KV = { Verb: 'set', Key: 'a' }
  const Service = { Verb: 'set', Node: 'n', Service: { Service: 's' } }
  const two = await ask('PUT', '/txn', { token: MANAGEMENT, body: [{ KV }, { KV, Service }] })
  expect(two).toMatchObject({ status: 400, code: 'field_invalid', text: expect.stringContaining('[1]') })
  expect((await ask('GET', '/kv/a', { token: MANAGEMENT })).status).toBe(404)
  expect(await manage('PUT', '/txn', [{ KV, Service: null }, {}])).toMatchObject({ Errors: null })
})

test('before 1.4.1, kinds other than KV are unknown fields, and ignored (spec 9.3)', async () => {
  const { manage } = await aWorld({ version: '1.4.0' })
  const operation = { KV: { Verb: 'set', Key: 'a' }, Service: { Verb: 'set', Node: 'n', Service: {} } }
  expect(await manage('PUT', '/txn', [operation])).toMatchObject({ Results: [{ KV: { Key: 'a' } }] })
})
