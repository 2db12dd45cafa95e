/** Concurrency and order of checks in the token handlers. The conformance suite tests the client's view. */

import { AclError, limits, type Token } from '@latchkey/contract'
import { deleteOf } from '@latchkey/testkit/records/changes'
import { type AskOptions, aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { beforeEach, describe, expect, test } from 'vitest'

const MISSING = '11111111-1111-4111-8111-111111111111'

let world: World
let token: Token
let path: string
beforeEach(async () => {
  world = await aWorld()
  token = await world.token({ Description: 'first' })
  path = `/acl/token/${token.AccessorID}`
})

const ask = (method: string, at: string, options: AskOptions = {}) =>
  world.ask(method, at, { token: MANAGEMENT, ...options })

describe('create (spec 4.2)', () => {
  test('an expired token keeps its IDs until it is reaped (decisions: tokens)', async () => {
    const { AccessorID } = await world.token({ ExpirationTTL: '1m' })
    await world.clock.advance(60_000)
    const create = () => ask('PUT', '/acl/token', { body: { AccessorID } })
    expect((await create()).code).toBe('id_in_use')
    const [record] = world.store.expiredNow(world.clock.now(), 1)
    if (!record) expect.fail('not expired')
    await world.store.commit([deleteOf('tokens', record, record.ModifyIndex)])
    expect((await create()).status).toBe(200)
  })

  test('COH-08: one of 64 equal concurrent creates wins', async () => {
    const body = { AccessorID: MISSING }
    const replies = await Promise.all(Array.from({ length: 64 }, () => ask('PUT', '/acl/token', { body })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ code }) => code === 'id_in_use')).toHaveLength(63)
  })
})

describe('update (spec 4.5)', () => {
  test('COH-09: 32 concurrent updates all succeed, one after another', async () => {
    const before = world.store.tableIndex('tokens')
    const replies = await Promise.all(
      Array.from({ length: 32 }, (_, i) => ask('PUT', path, { body: { Description: `${i}` } })),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    expect(world.store.tableIndex('tokens')).toBe(before + 32)
  })
})

describe('order of checks (decisions: order of checks)', () => {
  test('reports the first error: method, query options, caller, right, then body', async () => {
    const body = 'not JSON'
    const powerless = token.SecretID
    expect((await world.ask('POST', '/acl/token', { token: 'nobody', body })).code).toBe('method_not_allowed')
    expect((await world.ask('PUT', '/acl/token?ns=a', { token: 'nobody', body })).code).toBe(
      'namespace_unsupported',
    )
    expect((await world.ask('PUT', '/acl/token?%', { token: 'nobody', body })).code).toBe('query_invalid')
    expect((await world.ask('PUT', '/acl/token', { token: 'nobody', body })).code).toBe('caller_unknown')
    expect((await world.ask('PUT', '/acl/token', { token: powerless, body })).code).toBe('privilege_missing')
    expect((await world.ask('PUT', '/acl/token', { body })).code).toBe('privilege_missing')
    expect((await ask('PUT', '/acl/token', { body })).code).toBe('body_malformed')
    expect((await ask('PUT', '/acl/token/nope', { body })).code).toBe('id_invalid')
  })
})

test('a body that has arrived is decoded and checked in the same turn, a long one in a turn of its own', async () => {
  const reply = (body: string) =>
    world.service.reply({
      method: 'PUT',
      url: '/v1/acl/token',
      header: (name) => (name === 'x-service-token' ? MANAGEMENT : undefined),
      readBody: (bytesMax) => {
        if (body.length > bytesMax) throw new AclError('body_too_large', 'too large')
        return new TextEncoder().encode(body)
      },
      requestId: 'request-1',
    })
  // The first request compiles the rights of its caller.
  expect(await reply('{}')).toMatchObject({ status: 200 })
  expect(reply('not JSON')).toMatchObject({ status: 400 })
  expect(reply(' '.repeat(limits.BODY_BYTES_MAX + 1))).toMatchObject({ status: 413 })
  const long = reply(`{"Description":"${'x'.repeat(limits.ANONYMOUS_BODY_BYTES_MAX)}"}`)
  expect(long).toBeInstanceOf(Promise)
  expect(await long).toMatchObject({ status: 400 })
})
