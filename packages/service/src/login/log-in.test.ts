/**
 * Races that clients cannot provoke: records on which a login depends are deleted while it writes its token. Decisions: login.
 */
import { unsignedToken } from '@latchkey/acl'
import { aWorld, type World } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'
import type { Change } from '../store/store.ts'

const METHOD = { Name: 'ci', Type: 'jwt', Config: { JWKSURL: 'https://ci.example/keys' } }
const RULE = { AuthMethod: 'ci', BindType: 'role', BindName: 'ops' }

const isLogin = (change: Change) => change.table === 'tokens' && change.op === 'put'

/** Logs in, and runs another event right before the token is written. */
async function logInDuring(world: World, event: () => Promise<unknown>) {
  const { store } = world
  const commit = store.commit.bind(store)
  let isFirst = true
  store.commit = async (changes) => {
    if (isFirst && changes.some(isLogin)) {
      isFirst = false
      await event()
    }
    return commit(changes)
  }
  const body = { AuthMethod: 'ci', BearerToken: unsignedToken({}, world.clock.now()) }
  return world.ask('POST', '/acl/login', { body })
}

async function aScene() {
  const world = await aWorld()
  const role = await world.role({ Name: 'ops' })
  await world.manage('PUT', '/acl/auth-method', METHOD)
  await world.manage('PUT', '/acl/binding-rule', RULE)
  const tokens = () => world.store.snapshot().tokens.size
  return { world, role, tokens, before: tokens() }
}

test('the token stays if nothing else happens', async () => {
  const { world, tokens, before } = await aScene()
  expect((await logInDuring(world, async () => undefined)).status).toBe(200)
  expect(tokens()).toBe(before + 1)
})

test('403 auth_method_unknown: the method is deleted, and none of its tokens is left', async () => {
  const { world, tokens, before } = await aScene()
  const reply = await logInDuring(world, () => world.manage('DELETE', '/acl/auth-method/ci'))
  expect(reply).toMatchObject({ status: 403, code: 'auth_method_unknown' })
  expect(tokens()).toBe(before)
})

test('403 auth_method_unknown: the method is replaced by another one with the same name', async () => {
  const { world, tokens, before } = await aScene()
  const reply = await logInDuring(world, async () => {
    await world.manage('DELETE', '/acl/auth-method/ci')
    await world.manage('PUT', '/acl/auth-method', METHOD)
  })
  expect(reply).toMatchObject({ status: 403, code: 'auth_method_unknown' })
  expect(tokens()).toBe(before)
})

test('403 login_unbound: the only role is deleted, and no token without rights is left', async () => {
  const { world, role, tokens, before } = await aScene()
  const reply = await logInDuring(world, () => world.manage('DELETE', `/acl/role/${role.ID}`))
  expect(reply).toMatchObject({ status: 403, code: 'login_unbound' })
  expect(tokens()).toBe(before)
})
