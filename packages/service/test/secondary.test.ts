/** Requests that a secondary datacenter handles, and those that it forwards to its primary. */
import type { ClusterRecord, ReplicationRecord, SystemKey, SystemValues } from '@latchkey/acl'
import { unsignedToken } from '@latchkey/acl'
import { deleteOf, putOf } from '@latchkey/testkit/records/changes'
import { aMethod, anId, aPolicy, aRole, aToken } from '@latchkey/testkit/records/record-builders'
import { aWorld, MANAGEMENT } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'
import { putSystem } from '../src/store/changes.ts'
import type { Change } from '../src/store/store.ts'

const SECONDARY = { datacenter: 'dc2', primaryDatacenter: 'dc1' } as const

const system = <K extends SystemKey>(key: K, value: SystemValues[K]) => putSystem(key, value, undefined)
const cursor = (index: number): Change => {
  const Value: ReplicationRecord = { cluster: anId(1), index, skipped: [] }
  return system('replication', Value)
}

test('the store of a secondary accepts global records only together with the replication cursor', async () => {
  const { store } = await aWorld(SECONDARY)
  const [token, policy, role] = [aToken(), aPolicy(), aRole()]
  const writes: readonly Change[] = [
    putOf('tokens', token, 0),
    putOf('policies', policy, 0),
    deleteOf('roles', role),
  ]
  const own: Change = putOf('tokens', aToken({ Local: true }), 0)
  for (const write of writes) {
    await expect(store.commit([own, write])).rejects.toThrow('only replication changes global records')
  }
  expect(await store.tokenBySecret(token.SecretID)).toBeUndefined()
  await store.commit([own, putOf('authMethods', aMethod(), 0)])
  await store.commit([...writes, cursor(2)])
  expect(store.directory().policy(policy.ID)).toBeDefined()
})

test('after its promotion, and in legacy mode, it accepts all records', async () => {
  const promoted: ClusterRecord = { ID: anId(1), promoted: { at: '2026-01-31T12:00:00Z', from: 'dc1' } }
  for (const change of [system('cluster', promoted), system('acl-mode', { mode: 'legacy' })]) {
    const { store } = await aWorld(SECONDARY)
    await store.commit([change])
    await store.commit([putOf('policies', aPolicy(), 0)])
  }
})

test('copy_incomplete, to be retried: an unknown secret, until the first copy is complete', async () => {
  const { ask, store } = await aWorld({ ...SECONDARY, isBootstrapped: false })
  const local = aToken({ Local: true })
  await store.commit([putOf('tokens', local, 0)])
  const codeOf = async (token?: string) =>
    (await ask('GET', '/acl/token/self', { ...(token ? { token } : {}) })).code
  const refused = await ask('GET', '/acl/token/self', { token: MANAGEMENT })
  expect([refused.status, refused.headers['Retry-After'], refused.code]).toEqual([
    503,
    '1',
    'copy_incomplete',
  ])
  expect([await codeOf(), await codeOf(local.SecretID)]).toEqual(['caller_unknown', undefined])
  // The replication status needs no right and stays readable.
  expect((await ask('GET', '/acl/replication', { token: MANAGEMENT })).status).toBe(200)

  // A token that has arrived gives no rights before all records on which its rights depend.
  const global = aToken()
  await store.commit([putOf('tokens', global, 0), cursor(0)])
  expect([await codeOf(MANAGEMENT), await codeOf(global.SecretID)]).toEqual([
    'copy_incomplete',
    'copy_incomplete',
  ])
  expect(await codeOf(local.SecretID)).toBeUndefined()

  await store.commit([cursor(7)])
  expect([await codeOf(MANAGEMENT), await codeOf(global.SecretID)]).toEqual(['caller_unknown', undefined])
})

test('403: the anonymous token has no rights until the first copy is complete, even if the default policy allows', async () => {
  const { ask, store } = await aWorld({ ...SECONDARY, isBootstrapped: false, defaultPolicy: 'allow' })
  const write = async () => (await ask('PUT', '/kv/x', { body: 'x' })).status
  const missing = await write()
  await store.commit([cursor(0)])
  const begun = await write()
  await store.commit([cursor(7)])
  expect([missing, begun, await write()]).toEqual([403, 403, 200])
})

test('copy_incomplete: token replication has only now been turned on', async () => {
  const { ask, store } = await aWorld({ ...SECONDARY, isBootstrapped: false, defaultPolicy: 'allow' })
  const withoutTokens: ReplicationRecord = { cluster: anId(1), index: 7, skipped: [], withoutTokens: true }
  await store.commit([system('replication', withoutTokens)])
  expect((await ask('GET', '/acl/token/self', { token: MANAGEMENT })).code).toBe('copy_incomplete')
  expect((await ask('PUT', '/kv/x', { body: 'x' })).status).toBe(403)
  await store.commit([cursor(8)])
  expect((await ask('GET', '/acl/token/self', { token: MANAGEMENT })).code).toBe('caller_unknown')
})

test('copy_incomplete: the last part of the first copy arrives while the token of a request is looked up', async () => {
  const { ask, store } = await aWorld({ ...SECONDARY, isBootstrapped: false })
  await store.commit([cursor(0)])
  const global = aToken()
  // The caller is looked up in the store, which answers before the commit.
  Object.defineProperty(store, 'memory', { value: undefined })
  const find = store.tokenBySecret.bind(store)
  store.tokenBySecret = async (secretId) => {
    const found = await find(secretId)
    await store.commit([putOf('tokens', global, 0), cursor(7)])
    store.tokenBySecret = find
    return found
  }
  const codes = [await ask('GET', '/acl/token/self', { token: global.SecretID })]
  codes.push(await ask('GET', '/acl/token/self', { token: global.SecretID }))
  expect(codes.map(({ code }) => code)).toEqual(['copy_incomplete', undefined])
})

test('in legacy mode, an unknown secret may only still arrive if the data began without copies', async () => {
  for (const [beganEmpty, status] of [
    [true, 503],
    [undefined, 403],
  ] as const) {
    const { ask, store } = await aWorld({ ...SECONDARY, isBootstrapped: false })
    const local = aToken({ Local: true })
    const mode = system('acl-mode', { mode: 'legacy', ...(beganEmpty ? { beganEmpty } : {}) })
    await store.commit([mode, putOf('tokens', local, 0)])
    const statusOf = async (token: string) => (await ask('GET', '/kv/?recurse', { token })).status
    expect([await statusOf(MANAGEMENT), await statusOf(local.SecretID)]).toEqual([status, 404])
    expect((await ask('GET', '/acl/token/self', { token: MANAGEMENT })).status).toBe(status)
  }
})

test('a global token of a login is not an orphan, although its auth method is unknown here', async () => {
  const { ask, store } = await aWorld(SECONDARY)
  const made = { AuthMethod: 'of-the-primary', AuthMethodNamespace: 'default', AuthMethodGeneration: 7 }
  const [global, local] = [aToken(made), aToken({ ...made, Local: true })]
  await store.commit([putOf('tokens', global, 0), putOf('tokens', local, 0), cursor(8)])
  const statusOf = async ({ SecretID: token }: typeof global) =>
    (await ask('GET', '/acl/token/self', { token })).status
  expect([await statusOf(global), await statusOf(local)]).toEqual([200, 403])
  expect((await store.orphanedTokens(10)).map(({ AccessorID }) => AccessorID)).toEqual([local.AccessorID])
})

test('403 login_refused: a login at an auth method of a former primary, whose tokens are global', async () => {
  const { ask, manage, store, clock } = await aWorld(SECONDARY)
  const method = aMethod({ Name: 'ci', TokenLocality: 'global' })
  await store.commit([putOf('authMethods', method, 0)])
  await manage('PUT', '/acl/binding-rule', { AuthMethod: 'ci', BindType: 'service', BindName: 'web' })
  const body = { AuthMethod: 'ci', BearerToken: unsignedToken({}, clock.now()) }
  const { code, text } = await ask('POST', '/acl/login', { body })
  expect([code, text]).toEqual([
    'login_refused',
    expect.stringContaining('only the primary datacenter "dc1" creates them'),
  ])
})

test('after its promotion, a global token of a login at the former primary logs out', async () => {
  const { ask, store, manage } = await aWorld(SECONDARY)
  const made = aToken({ AuthMethod: 'of-the-primary', AuthMethodNamespace: 'default' })
  await store.commit([putOf('tokens', made, 0), cursor(8)])
  await manage('PUT', '/acl/replication/promote', { Datacenter: 'dc2' })
  const logout = () => ask('POST', '/acl/logout', { token: made.SecretID })
  expect([(await logout()).status, (await logout()).status]).toEqual([200, 403])
})
