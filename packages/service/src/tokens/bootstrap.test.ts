/** The first management token, once. Spec 9.2; RACE-01. */

import { GLOBAL_MANAGEMENT_POLICY_ID } from '@latchkey/acl'
import { policySchema, type Token } from '@latchkey/contract'
import { deleteOf } from '@latchkey/testkit/records/changes'
import { aWorld, MANAGEMENT, type WorldOptions } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'
import { ensureBuiltins } from './builtins.ts'

const aFreshWorld = (options: WorldOptions = {}) => aWorld({ isBootstrapped: false, ...options })

test('needs no token, ignores an unknown one, and reads no body', async () => {
  const world = await aFreshWorld()
  expect((await world.ask('PUT', '/acl/bootstrap', { token: 'nobody', body: '{{{' })).status).toBe(200)
})

test('bootstrap_elsewhere, with the primary: in a secondary datacenter, whose global tokens are copies', async () => {
  const world = await aFreshWorld({ datacenter: 'dc2', primaryDatacenter: 'dc1' })
  const { code, text } = await world.ask('PUT', '/acl/bootstrap')
  expect(code).toBe('bootstrap_elsewhere')
  expect(text).toBe('Permission denied: bootstrap in the primary datacenter "dc1"')
})

test('RACE-01: one of 64 concurrent calls wins and creates one token', async () => {
  const world = await aFreshWorld()
  const replies = await Promise.all(Array.from({ length: 64 }, () => world.ask('PUT', '/acl/bootstrap')))
  const won = replies.filter(({ status }) => status === 200)
  expect(won).toHaveLength(1)
  expect(replies.filter(({ code }) => code === 'bootstrap_done')).toHaveLength(63)
  const token = won.map(({ json }) => (json as Token).SecretID).join()
  expect((await world.ask('GET', '/acl/tokens', { token })).json).toHaveLength(2)
})

describe('reset', () => {
  test('works once; the old token remains valid, and the index advances', async () => {
    let isThere = true
    const world = await aWorld({
      cluster: {
        takeBootstrapReset: async () => {
          const taken = isThere ? 'accepted' : 'none'
          isThere = false
          return taken
        },
      },
    })
    const before = world.store.directory().system('bootstrap')?.ModifyIndex ?? 0
    const reply = await world.ask('PUT', '/acl/bootstrap')
    expect(reply.status).toBe(200)
    expect(world.store.directory().system('bootstrap')?.ModifyIndex).toBeGreaterThan(before)
    expect((await world.ask('GET', '/acl/token/self', { token: MANAGEMENT })).status).toBe(200)
    expect((await world.ask('PUT', '/acl/bootstrap')).code).toBe('bootstrap_done')
  })

  test('bootstrap_reset_invalid: another index', async () => {
    const world = await aWorld({ cluster: { takeBootstrapReset: async () => ({ wrong: 7 }) } })
    const index = world.store.directory().system('bootstrap')?.ModifyIndex
    expect(await world.ask('PUT', '/acl/bootstrap')).toMatchObject({
      status: 400,
      code: 'bootstrap_reset_invalid',
      text: `Invalid bootstrap reset index (specified 7, reset index: ${index})`,
    })
  })
})

describe('built-in records', () => {
  test('the policy global-management and the anonymous token', async () => {
    const world = await aWorld()
    const policy = await world.manage('GET', `/acl/policy/${GLOBAL_MANAGEMENT_POLICY_ID}`)
    expect(policySchema.parse(policy)).toMatchObject({
      Name: 'global-management',
      Description: 'Builtin Policy that grants unlimited access',
    })
    expect(await world.manage('GET', '/acl/token/00000000-0000-0000-0000-000000000002')).toMatchObject({
      SecretID: 'anonymous',
      Description: 'Anonymous Token',
      Hash: 'RNVFSWnfd5DUOuB8vplp+imivlIna3fKQVnkUHh21cA=',
    })
  })

  test('are created once; a second start only restores deleted ones', async () => {
    const world = await aWorld()
    const context = {
      random: { bytes: (count: number) => new Uint8Array(count).fill(7) },
      now: world.clock.now(),
      initialManagementToken: MANAGEMENT,
    }
    const before = world.store.snapshot()
    await ensureBuiltins(world.store, context)
    expect(world.store.snapshot()).toEqual(before)
    const policy = world.store.directory().policy(GLOBAL_MANAGEMENT_POLICY_ID)
    if (!policy) expect.fail('no policy')
    await world.store.commit([deleteOf('policies', policy)])
    await ensureBuiltins(world.store, context)
    expect(world.store.directory().policy(GLOBAL_MANAGEMENT_POLICY_ID)?.Rules).toBe(policy.Rules)
  })

  test('many processes may start concurrently on one store', async () => {
    const world = await aFreshWorld()
    const context = {
      random: { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) },
      now: world.clock.now(),
      initialManagementToken: MANAGEMENT,
    }
    await Promise.all(Array.from({ length: 8 }, () => ensureBuiltins(world.store, context)))
    expect((await world.ask('GET', '/acl/tokens', { token: MANAGEMENT })).json).toHaveLength(2)
  })
})
