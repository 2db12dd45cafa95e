/** The rights of the caller limit the changes that a request makes. Decisions: rights across namespaces. */

import {
  ANONYMOUS_TOKEN_ACCESSOR_ID,
  effectivePolicies,
  GLOBAL_MANAGEMENT_POLICY_ID,
  isGlobalManager,
  unsignedToken,
} from '@latchkey/acl'
import { REDACTED_SECRET_ID, type Role, type Token } from '@latchkey/contract'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { putOf } from '@latchkey/testkit/records/changes'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { aWorld, MANAGEMENT, type Reply, type World } from '@latchkey/testkit/service/world'
import { beforeEach, describe, expect, test } from 'vitest'

/** Every right of its namespace, but not global management. */
const ALL_WRITE = [
  ...['acl', 'operator', 'keyring'].map((kind) => `${kind} = "write"`),
  ...['agent', 'key', 'node', 'service'].map((kind) => `${kind}_prefix "" { policy = "write" }`),
].join('\n')
const MANAGERS = [{ ID: GLOBAL_MANAGEMENT_POLICY_ID }]
const LEGACY_MANAGER = 'secret-of-a-legacy-manager'

interface Scene {
  readonly world: World
  /** A secret with every right of `default`. */
  readonly lesser: string
  /** Linked directly, and through {@link Scene.ops}. */
  readonly direct: Token
  readonly throughRole: Token
  /** A role that links global management. */
  readonly ops: Role
  /** A role and a token without it. */
  readonly plain: Role
  readonly worker: Token
  readonly managerSecrets: readonly string[]
}

async function aScene(edition: 'standard' | 'extended'): Promise<Scene> {
  const world = await aWorld({ edition, version: '1.10.12' })
  const lesser = await world.secretWith(ALL_WRITE)
  const ops = await world.role({ Name: 'ops', Policies: MANAGERS })
  const plain = await world.role({ Name: 'plain' })
  const direct = await world.token({ Policies: MANAGERS })
  const throughRole = await world.token({ Roles: [{ ID: ops.ID }] })
  const worker = await world.token({ Roles: [{ ID: plain.ID }] })
  await world.manage('PUT', '/acl/create', { ID: LEGACY_MANAGER, Type: 'management' })
  await world.manage('PUT', '/acl/create', { ID: 'legacy client', Type: 'client' })
  if (edition === 'extended') await world.manage('PUT', '/namespace', { Name: 'team' })
  const managerSecrets = [MANAGEMENT, LEGACY_MANAGER, direct.SecretID, throughRole.SecretID]
  return { world, lesser, ops, plain, direct, throughRole, worker, managerSecrets }
}

/** Every way to create, keep, change or delete a holder of global management. */
const WAYS_IN: Readonly<Record<string, (scene: Scene) => readonly [string, string, unknown?]>> = {
  'create a token linked by ID': () => ['PUT', '/acl/token', { Policies: MANAGERS }],
  'create a token linked by name': () => ['PUT', '/acl/token', { Policies: [{ Name: 'Global-Management' }] }],
  'create a token linked through a role': ({ ops }) => ['PUT', '/acl/token', { Roles: [{ Name: ops.Name }] }],
  'link it to a token': ({ worker }) => ['PUT', `/acl/token/${worker.AccessorID}`, { Policies: MANAGERS }],
  'link its role to a token': ({ worker, ops }) => [
    'PUT',
    `/acl/token/${worker.AccessorID}`,
    { Roles: [{ ID: ops.ID }] },
  ],
  'link it to the anonymous token': () => [
    'PUT',
    `/acl/token/${ANONYMOUS_TOKEN_ACCESSOR_ID}`,
    { Policies: MANAGERS },
  ],
  'update a manager and keep the link': ({ direct }) => [
    'PUT',
    `/acl/token/${direct.AccessorID}`,
    { Policies: MANAGERS, Description: 'mine' },
  ],
  'update a manager and drop the link, which answers the secret': ({ direct }) => [
    'PUT',
    `/acl/token/${direct.AccessorID}`,
    {},
  ],
  'clone a manager': ({ direct }) => ['PUT', `/acl/token/${direct.AccessorID}/clone`, {}],
  'clone a manager through a role': ({ throughRole }) => [
    'PUT',
    `/acl/token/${throughRole.AccessorID}/clone`,
    {},
  ],
  'delete a manager': ({ direct }) => ['DELETE', `/acl/token/${direct.AccessorID}`],
  'create a role that links it': () => ['PUT', '/acl/role', { Name: 'mine', Policies: MANAGERS }],
  'link it to a role': ({ plain }) => ['PUT', `/acl/role/${plain.ID}`, { Name: 'plain', Policies: MANAGERS }],
  'rename a role that links it': ({ ops }) => [
    'PUT',
    `/acl/role/${ops.ID}`,
    { Name: 'renamed', Policies: MANAGERS },
  ],
  'drop it from a role': ({ ops }) => ['PUT', `/acl/role/${ops.ID}`, { Name: 'ops' }],
  'delete a role that links it': ({ ops }) => ['DELETE', `/acl/role/${ops.ID}`],
  'legacy create': () => ['PUT', '/acl/create', { Type: 'management' }],
  'legacy update of a client': () => ['PUT', '/acl/update', { ID: 'legacy client', Type: 'management' }],
  'legacy update of a manager': () => ['PUT', '/acl/update', { ID: LEGACY_MANAGER, Type: 'client' }],
  'legacy clone': () => ['PUT', `/acl/clone/${LEGACY_MANAGER}`],
  'legacy destroy': () => ['PUT', `/acl/destroy/${LEGACY_MANAGER}`],
  'legacy import': () => [
    'PUT',
    '/internal/acl/legacy-tokens',
    [
      { ID: 'a', Type: 'client' },
      { ID: 'b', Type: 'management' },
    ],
  ],
}

test.each(Object.entries(WAYS_IN))(
  '403 privilege_missing: %s, with only acl:write, in the extended edition',
  async (_name, way) => {
    const scene = await aScene('extended')
    const { world, lesser } = scene
    const [method, path, body] = way(scene)
    const before = world.store.snapshot()
    expect(await world.ask(method, path, { token: lesser, body })).toMatchObject({
      status: 403,
      code: 'privilege_missing',
    })
    expect(world.store.snapshot()).toEqual(before)
    expect((await world.ask(method, path, { token: MANAGEMENT, body })).status).toBe(200)
  },
)

test.each(Object.entries(WAYS_IN))(
  '%s: acl:write is enough in the standard edition, as in the reference',
  async (_name, way) => {
    const scene = await aScene('standard')
    const [method, path, body] = way(scene)
    expect((await scene.world.ask(method, path, { token: scene.lesser, body })).status).toBe(200)
  },
)

test('403 privilege_missing: rename the built-in policy, which would free its name', async () => {
  const { world, lesser } = await aScene('extended')
  const path = `/acl/policy/${GLOBAL_MANAGEMENT_POLICY_ID}`
  const policy = (await world.manage('GET', path)) as object
  const body = { ...policy, Name: 'harmless' }
  expect((await world.ask('PUT', path, { token: lesser, body })).code).toBe('privilege_missing')
  expect((await world.ask('PUT', path, { token: MANAGEMENT, body })).status).toBe(200)
})

describe('a login gives rights in one namespace (extended edition)', () => {
  const METHOD = {
    Name: 'ci',
    Type: 'jwt',
    Config: { JWKSURL: 'https://ci.example/keys', ClaimMappings: { team: 'team' } },
  }
  const CHOOSING = { ...METHOD, NamespaceRules: [{ BindNamespace: 'team' }] }
  const CLUSTER = { Host: 'https://kubernetes.example', CACert: 'pem', ServiceAccountJWT: 'a.b.c' }
  const MAPPING = { Name: 'ci', Type: 'kubernetes', Config: { ...CLUSTER, MapNamespaces: true } }
  const RULE = { AuthMethod: 'ci', BindType: 'service', BindName: 'web' }
  const EDITION = { edition: 'extended', version: '1.10.12' } as const
  const logIn = (world: World) =>
    world.ask('POST', '/acl/login', {
      body: { AuthMethod: 'ci', BearerToken: unsignedToken({ team: 'a' }, world.clock.now()) },
    })

  test.each([
    ['create a method with NamespaceRules', undefined, ['PUT', '/acl/auth-method', CHOOSING]],
    ['add NamespaceRules', METHOD, ['PUT', '/acl/auth-method/ci', CHOOSING]],
    ['remove NamespaceRules', CHOOSING, ['PUT', '/acl/auth-method/ci', METHOD]],
    ['delete a method with NamespaceRules', CHOOSING, ['DELETE', '/acl/auth-method/ci', undefined]],
    ['add a rule to such a method', CHOOSING, ['PUT', '/acl/binding-rule', RULE]],
    ['create a method with MapNamespaces', undefined, ['PUT', '/acl/auth-method', MAPPING]],
    ['add a rule to a method with MapNamespaces', MAPPING, ['PUT', '/acl/binding-rule', RULE]],
  ] as const)(
    '403 privilege_missing: %s, with only acl:write',
    async (_name, before, [method, path, body]) => {
      const world = await aWorld(EDITION)
      await world.manage('PUT', '/namespace', { Name: 'team' })
      const token = await world.secretWith(ALL_WRITE)
      if (before) await world.manage('PUT', '/acl/auth-method', before)
      expect(await world.ask(method, path, { token, body })).toMatchObject({
        status: 403,
        code: 'privilege_missing',
      })
      expect((await world.ask(method, path, { token: MANAGEMENT, body })).status).toBe(200)
    },
  )

  test('acl:write alone suffices for a method without NamespaceRules, and its rules', async () => {
    const world = await aWorld(EDITION)
    const token = await world.secretWith(ALL_WRITE)
    expect((await world.ask('PUT', '/acl/auth-method', { token, body: METHOD })).status).toBe(200)
    expect((await world.ask('PUT', '/acl/binding-rule', { token, body: RULE })).status).toBe(200)
  })

  test.each(['extended', 'standard'] as const)(
    'a role with global management: %s edition',
    async (edition) => {
      const world = await aWorld({ ...EDITION, edition })
      await world.role({ Name: 'ops', Policies: MANAGERS })
      await world.manage('PUT', '/acl/auth-method', METHOD)
      await world.manage('PUT', '/acl/binding-rule', { ...RULE, BindType: 'role', BindName: 'ops' })
      const claims = { Claims: { team: 'a' } }
      const explained = await world.manage('POST', '/acl/auth-method/ci/explain', claims)
      const isGiven = edition === 'standard'
      expect(explained).toMatchObject({ Rules: [{ Applies: isGiven, Name: 'ops' }] })
      expect(await logIn(world)).toMatchObject(
        isGiven ? { status: 200 } : { status: 403, code: 'login_unbound' },
      )
    },
  )
})

describe('the secret of a global manager grants every namespace', () => {
  const reads = ({ direct, throughRole }: Scene) => [
    ...[`/acl/token/${direct.AccessorID}`, `/acl/token/${direct.AccessorID}?expanded`],
    ...[`/acl/token/${throughRole.AccessorID}`, '/acl/tokens', '/acl/tokens?limit=100'],
    ...['/acl/tokens?ns=*', '/acl/list', '/internal/acl/legacy-tokens', '/internal/acl/migration'],
  ]

  test('acl:write in default sees all secrets but this one (extended edition)', async () => {
    const scene = await aScene('extended')
    const { world, lesser, managerSecrets, worker } = scene
    for (const path of reads(scene)) {
      // Twice, and the manager first, so that cached texts and lists contain the secrets.
      for (let i = 0; i < 2; i += 1) {
        await world.manage('GET', path)
        const reply = await world.ask('GET', path, { token: lesser })
        expect(reply.status).toBe(200)
        for (const secret of managerSecrets) expect(reply.text, path).not.toContain(secret)
      }
    }
    const list = await world.ask('GET', '/acl/tokens', { token: lesser })
    expect(list.text).toContain(worker.SecretID)
    expect(list.text).toContain(REDACTED_SECRET_ID)
    const legacy = await world.ask('GET', '/acl/list', { token: lesser })
    expect(legacy.text).toContain('legacy client')
  })

  test('acl:write no longer sees a secret after a role gives its token global management', async () => {
    const { world, lesser, plain, worker } = await aScene('extended')
    const list = () => world.ask('GET', '/acl/tokens', { token: lesser })
    expect((await list()).text).toContain(worker.SecretID)
    await world.manage('PUT', `/acl/role/${plain.ID}`, { Name: 'plain', Policies: MANAGERS })
    expect((await list()).text).not.toContain(worker.SecretID)
    const read = await world.ask('GET', `/acl/token/${worker.AccessorID}`, { token: lesser })
    expect(read.json).toMatchObject({ SecretID: REDACTED_SECRET_ID })
  })

  test('a global manager sees it, as does acl:write in the standard edition', async () => {
    for (const edition of ['standard', 'extended'] as const) {
      const scene = await aScene(edition)
      const token = edition === 'standard' ? scene.lesser : scene.direct.SecretID
      const text = async (path: string) => (await scene.world.ask('GET', path, { token })).text
      expect(await text('/acl/tokens')).toContain(scene.throughRole.SecretID)
      expect(await text('/acl/list')).toContain(LEGACY_MANAGER)
    }
  })
})

test('403: from 1.11 on, the type of a legacy token does not make it a global manager (spec 9.1)', async () => {
  const world = await aWorld({ edition: 'extended', version: '1.11' })
  await world.manage('PUT', '/namespace', { Name: 'team' })
  const { ID } = await world.policy({ Name: 'writer', Rules: ALL_WRITE })
  const record = aToken({ Type: 'management', Policies: [{ ID }] })
  world.store.commitNow([putOf('tokens', record, 0)])
  const token = record.SecretID
  expect((await world.ask('PUT', '/acl/token', { token, body: {} })).status).toBe(200)
  for (const body of [{ Policies: MANAGERS }, { Namespace: 'team' }]) {
    const reply = await world.ask('PUT', '/acl/token', { token, body })
    expect(reply).toMatchObject({ status: 403, code: 'privilege_missing' })
  }
})

describe('defaults of a namespace (CVE-2021-41805)', () => {
  let world: World
  let operator: string
  let admin: string

  beforeEach(async () => {
    world = await aWorld({ edition: 'extended' })
    await world.manage('PUT', '/namespace', { Name: 'team' })
    await world.policy({ Name: 'reader', Rules: 'acl = "read"', Namespace: 'team' })
    await world.policy({ Name: 'reader', Rules: 'acl = "read"' })
    await world.role({ Name: 'ops', Policies: MANAGERS })
    operator = await world.secretWith('operator = "write"')
    admin = await world.secretWith(ALL_WRITE)
  })

  const update = (name: string, token: string, ACLs?: object, more: object = {}) =>
    world.ask('PUT', `/namespace/${name}`, { token, body: { ...more, ...(ACLs ? { ACLs } : {}) } })

  test.each(['default', 'team'])(
    '403: a caller with only operator:write sets defaults of %s',
    async (name) => {
      for (const link of ['reader', 'global-management']) {
        const reply = await update(name, operator, { PolicyDefaults: [{ Name: link }] })
        expect(reply.status).not.toBe(200)
        if (link === 'reader') expect(reply.code).toBe('privilege_missing')
      }
      expect(await world.manage('GET', `/namespace/${name}`)).toMatchObject({
        ACLs: { PolicyDefaults: [], RoleDefaults: [] },
      })
      expect((await world.ask('GET', '/acl/tokens')).code).toBe('privilege_missing')
    },
  )

  test.each([{ PolicyDefaults: [{ Name: 'reader' }] }, { RoleDefaults: [{ Name: 'plain' }] }])(
    '403: a caller with only operator:write clears them, which would allow what they deny: %j',
    async (ACLs) => {
      await world.role({ Name: 'plain' })
      await world.manage('PUT', '/namespace/default', { ACLs })
      expect((await update('default', operator)).code).toBe('privilege_missing')
      expect((await update('default', operator, ACLs, { Description: 'new' })).status).toBe(200)
    },
  )

  test('200: operator:write creates a namespace without defaults and changes its description', async () => {
    const made = await world.ask('PUT', '/namespace', { token: operator, body: { Name: 'new' } })
    expect(made.status).toBe(200)
    expect((await update('new', operator, undefined, { Description: 'described' })).status).toBe(200)
  })

  test('200: the first update of `default` creates its record', async () => {
    const { json } = await update('default', operator, undefined, { Description: 'first' })
    const { CreateIndex, ModifyIndex } = json as { CreateIndex: number; ModifyIndex: number }
    expect(CreateIndex).toBe(ModifyIndex)
  })

  test('a dangling default does not count as a change', async () => {
    const policy = await world.policy({ Name: 'gone', Namespace: 'team' })
    const role = await world.role({ Name: 'gone', Namespace: 'team' })
    const ACLs = { PolicyDefaults: [{ ID: policy.ID }], RoleDefaults: [{ ID: role.ID }] }
    await world.manage('PUT', '/namespace/team', { ACLs })
    await world.manage('DELETE', `/acl/policy/${policy.ID}?ns=team`)
    await world.manage('DELETE', `/acl/role/${role.ID}?ns=team`)
    const read = (await world.manage('GET', '/namespace/team')) as { ACLs: object }
    expect((await update('team', operator, read.ACLs, { Description: 'new' })).status).toBe(200)
  })

  test('acl:write in a namespace sets the defaults of only that namespace', async () => {
    const ACLs = { PolicyDefaults: [{ Name: 'reader' }] }
    expect((await update('default', admin, ACLs)).status).toBe(200)
    expect((await update('team', admin, ACLs)).code).toBe('privilege_missing')
    expect((await update('team', MANAGEMENT, ACLs)).status).toBe(200)
  })

  test.each([
    { PolicyDefaults: MANAGERS },
    { PolicyDefaults: [{ Name: 'reader' }, { Name: 'GLOBAL-MANAGEMENT' }] },
    { RoleDefaults: [{ Name: 'ops' }] },
  ])('400 field_invalid: global management is never a default, for any caller: %j', async (ACLs) => {
    for (const token of [admin, MANAGEMENT]) {
      expect((await update('default', token, ACLs)).code).toBe('field_invalid')
      expect((await update('team', token, ACLs)).status).not.toBe(200)
    }
  })

  test('400 field_invalid: a default role links global management', async () => {
    const role = await world.role({ Name: 'shared' })
    await world.manage('PUT', '/namespace/default', { ACLs: { RoleDefaults: [{ ID: role.ID }] } })
    const body = { Name: 'shared', Policies: MANAGERS }
    const reply = await world.ask('PUT', `/acl/role/${role.ID}`, { token: MANAGEMENT, body })
    expect(reply.code).toBe('field_invalid')
  })

  test('a stored default of global management grants nothing and is not shown as effective', async () => {
    const ops = world.store.directory().roleByName('default', 'ops')
    const record = {
      Name: 'default',
      Description: '',
      PolicyDefaults: MANAGERS,
      RoleDefaults: [{ ID: ops?.ID ?? '' }],
      CreateIndex: 0,
      ModifyIndex: 0,
    }
    await world.store.commit([putOf('namespaces', record, 0)])
    expect((await world.ask('GET', '/acl/tokens')).code).toBe('privilege_missing')
    expect((await world.ask('GET', '/acl/tokens', { token: operator })).code).toBe('privilege_missing')
    const expanded = await world.manage('GET', `/acl/token/${ANONYMOUS_TOKEN_ACCESSOR_ID}?expanded`)
    expect(expanded).toMatchObject({
      ExpandedPolicies: null,
      ExpandedRoles: null,
      NamespaceDefaultPolicyIDs: null,
      NamespaceDefaultRoleIDs: null,
    })
    // An update that keeps it is refused; one that omits it removes it.
    expect((await update('default', MANAGEMENT, { PolicyDefaults: MANAGERS })).code).toBe('field_invalid')
    expect((await update('default', MANAGEMENT)).status).toBe(200)
  })
})

/** A nearly valid request about any existing record. */
function aCall(random: SeededRandom, scene: Scene): { method: string; path: string; body?: unknown } {
  const { tokens, policies, roles } = scene.world.store.snapshot()
  const accessors = [...tokens.values()].flatMap(({ AccessorID }) => (AccessorID === '' ? [] : [AccessorID]))
  const at = () => random.pick(accessors)
  const policy = () => random.pick([...policies.values()])
  const role = () => random.pick([...roles.values()])
  const policyLinks = () =>
    random.chance(0.5) ? [] : [random.chance(0.4) ? MANAGERS[0] : { ID: policy().ID }]
  const roleLinks = () => (random.chance(0.5) ? [] : [{ ID: role().ID }])
  const ns = () => random.pick(['', '', '', '?ns=team', '?ns=*', '?ns=default'])
  const links = () => ({ Policies: policyLinks(), Roles: roleLinks() })
  const name = () => random.pick(['a', 'b', 'ops', 'plain', 'global-management'])
  const legacyId = () => random.pick(['legacy client', 'x', 'y', at()])
  const Type = () => random.pick(['client', 'management'])
  const calls = [
    () => ({ method: 'PUT', path: `/acl/token${ns()}`, body: links() }),
    () => ({ method: 'PUT', path: `/acl/token/${at()}${ns()}`, body: links() }),
    () => ({ method: 'PUT', path: `/acl/token/${at()}/clone${ns()}`, body: {} }),
    () => ({ method: 'DELETE', path: `/acl/token/${at()}` }),
    () => ({ method: 'GET', path: `/acl/token/${at()}${random.pick(['', '?expanded'])}` }),
    () => ({ method: 'GET', path: `/acl/tokens${ns()}` }),
    () => ({ method: 'PUT', path: '/acl/role', body: { Name: name(), Policies: policyLinks() } }),
    () => ({
      method: 'PUT',
      path: `/acl/role/${role().ID}`,
      body: { Name: name(), Policies: policyLinks() },
    }),
    () => ({ method: 'DELETE', path: `/acl/role/${role().ID}` }),
    () => ({ method: 'PUT', path: '/acl/policy', body: { Name: name(), Rules: ALL_WRITE } }),
    () => {
      const { ID, Rules } = policy()
      return { method: 'PUT', path: `/acl/policy/${ID}`, body: { Name: name(), Rules } }
    },
    () => ({ method: 'DELETE', path: `/acl/policy/${policy().ID}` }),
    () => ({
      method: 'PUT',
      path: `/namespace/${random.pick(['default', 'team', 'a'])}`,
      body: { ACLs: { PolicyDefaults: policyLinks(), RoleDefaults: roleLinks() } },
    }),
    () => ({ method: 'PUT', path: '/namespace', body: { Name: name() } }),
    () => ({ method: 'DELETE', path: `/namespace/${name()}` }),
    () => ({ method: 'PUT', path: '/acl/create', body: { ID: legacyId(), Type: Type() } }),
    () => ({ method: 'PUT', path: '/acl/update', body: { ID: legacyId(), Type: Type() } }),
    () => ({ method: 'PUT', path: `/acl/clone/${legacyId()}` }),
    () => ({ method: 'PUT', path: `/acl/destroy/${legacyId()}` }),
    () => ({ method: 'GET', path: random.pick(['/acl/list', '/internal/acl/legacy-tokens']) }),
    () => ({ method: 'PUT', path: '/internal/acl/legacy-tokens', body: [{ ID: legacyId(), Type: Type() }] }),
    () => ({ method: 'PUT', path: '/acl/bootstrap' }),
  ]
  return random.pick(calls)()
}

test('AUTHZ-01: callers without global management never create a manager or see the secret of one', {
  timeout: 7_200_000,
}, async () => {
  const random = new SeededRandom(chooseSeed('no right grows'))
  const counts = { accepted: 0, refused: 0 }
  for (let round = 0; round < fuzzCount(40); round += 1) {
    const scene = await aScene('extended')
    const { world, lesser, managerSecrets } = scene
    const inTeam = await world.policy({ Name: 'writer', Rules: ALL_WRITE, Namespace: 'team' })
    const ofTeam = await world.token({ Namespace: 'team', Policies: [{ ID: inTeam.ID }] })
    const secrets = ['anonymous', lesser, lesser, lesser, ofTeam.SecretID]
    for (let step = 0; step < 100; step += 1) {
      const { method, path, body } = aCall(random, scene)
      const token = random.pick(secrets)
      const reply = await world.ask(method, path, { token, body })
      counts[reply.status === 200 ? 'accepted' : 'refused'] += 1
      for (const secret of managerSecrets) expect(reply.text, `${method} ${path}`).not.toContain(secret)
      secrets.push(...secretsIn(reply))
      expectNoNewManager(scene, `${method} ${path} ${JSON.stringify(body)}`)
    }
  }
  expect(counts.accepted).toBeGreaterThan(counts.refused / 10)
})

function secretsIn(reply: Reply): readonly string[] {
  return [...reply.text.matchAll(/"SecretID":"([^"<]+)"/g)].flatMap(([, secret]) => secret ?? [])
}

function expectNoNewManager({ world, managerSecrets }: Scene, what: string): void {
  const directory = world.store.directory()
  for (const token of world.store.snapshot().tokens.values()) {
    if (managerSecrets.includes(token.SecretID)) continue
    expect(isGlobalManager(token, directory), what).toBe(false)
    const sources = effectivePolicies(token, directory, { datacenter: 'dc1' })
    expect(
      sources.map(({ policyId }) => policyId),
      what,
    ).not.toContain(GLOBAL_MANAGEMENT_POLICY_ID)
  }
  expect(directory.namespace('team')?.PolicyDefaults, what).toEqual([])
}
