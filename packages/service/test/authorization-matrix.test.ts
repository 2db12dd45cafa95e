/**
 * AUTHZ-01: every endpoint of the contract with every method and every kind of caller, and every indirect way to a right.
 * The expectations derive from method and path, with exceptions by hand; they are independent of the rights that the
 * contract declares.
 */

import { unsignedToken } from '@latchkey/acl'
import { ENDPOINTS, type EndpointName, endpoint, REDACTED_SECRET_ID } from '@latchkey/contract'
import { aNode } from '@latchkey/testkit/records/catalog-builders'
import { putOf } from '@latchkey/testkit/records/changes'
import { anId, aToken } from '@latchkey/testkit/records/record-builders'
import type { AskOptions, Reply, World } from '@latchkey/testkit/service/world'
import {
  aWorld,
  endIntentionsMigration,
  MANAGEMENT,
  START,
  WITH_FAILING,
} from '@latchkey/testkit/service/world'
import { beforeAll, describe, expect, test } from 'vitest'
import type { MemorySnapshot } from '../src/store/memory-store.ts'

const CALLERS = [
  ...['anonymous', 'without rights', 'acl:read', 'acl:write', 'reads all', 'writes all', 'manages'],
  ...['denied', 'of another namespace', 'rights of another datacenter', 'local of another datacenter'],
  ...['expired', 'deleted', 'unknown', 'malformed'],
] as const
type Caller = (typeof CALLERS)[number]

/** 200, the code of the refusal, or the status of an answer without one. */
type Outcome =
  | 'ok'
  | '409'
  | 'privilege_missing'
  | 'caller_unknown'
  | 'bootstrap_done'
  | 'endpoint_not_built'
  | 'replication_refused'
  | 'not_found'
  | 'field_invalid'
type Row = Readonly<Record<Caller, Outcome>>

const STRANGERS = {
  'local of another datacenter': 'caller_unknown',
  expired: 'caller_unknown',
  deleted: 'caller_unknown',
  unknown: 'caller_unknown',
  malformed: 'caller_unknown',
} as const
const MANAGERS_ALONE = {
  ...STRANGERS,
  anonymous: 'privilege_missing',
  'without rights': 'privilege_missing',
  'acl:read': 'privilege_missing',
  'acl:write': 'privilege_missing',
  'reads all': 'privilege_missing',
  'writes all': 'privilege_missing',
  manages: 'ok',
  denied: 'privilege_missing',
  'of another namespace': 'privilege_missing',
  'rights of another datacenter': 'privilege_missing',
} as const satisfies Row
const READS_ALL: Row = { ...MANAGERS_ALONE, 'reads all': 'ok', 'writes all': 'ok' }
const WRITES_ALL: Row = { ...MANAGERS_ALONE, 'writes all': 'ok' }
const READS_ACL: Row = { ...READS_ALL, 'acl:read': 'ok', 'acl:write': 'ok' }
const WRITES_ACL: Row = { ...WRITES_ALL, 'acl:write': 'ok' }
const outcomeOfAll = (outcome: Outcome) =>
  Object.fromEntries(CALLERS.map((caller) => [caller, outcome])) as Row
const ANYONE = outcomeOfAll('ok')
/** Answers contain only what the caller may read, which may be nothing. */
const FILTERED: Row = { ...ANYONE, ...STRANGERS }

/** Answers leave out what the caller may not read. */
const SHOWS_WHAT_MAY_BE_READ: Row = { ...ANYONE, ...STRANGERS }

/** Endpoints whose required right does not follow from method and path. */
const SPECIAL: { readonly [N in EndpointName]?: Row } = {
  // A secret is the right to see its own token. Spec 4.4.
  'tokens.self': { ...ANYONE, ...STRANGERS, anonymous: 'caller_unknown' },
  'tokens.bootstrap': outcomeOfAll('bootstrap_done'),
  'policies.lint': ANYONE,
  'policies.whatIf': READS_ACL,
  // Any caller may ask about itself; an unknown secret is refused.
  'decisions.authorize': { ...ANYONE, ...STRANGERS },
  'decisions.whoCan': READS_ACL,
  'legacy.translate': READS_ACL,
  // The credential is the identity provider's; a presented token is ignored.
  'login.login': ANYONE,
  // Like login; this service has no client for OpenID providers.
  'login.authUrl': outcomeOfAll('endpoint_not_built'),
  'login.callback': outcomeOfAll('endpoint_not_built'),
  // Only a token from a login can log out, and none of these is one.
  'login.logout': { ...outcomeOfAll('privilege_missing'), ...STRANGERS, anonymous: 'caller_unknown' },
  // The secret in the path is the credential.
  'legacy.info': ANYONE,
  // Both show secrets.
  'legacy.list': WRITES_ACL,
  'legacy.export': WRITES_ACL,
  'intentions.list': SHOWS_WHAT_MAY_BE_READ,
  'configEntries.list': SHOWS_WHAT_MAY_BE_READ,
  'intentions.migration': READS_ACL,
  // What the caller may not read does not exist for it, and an intention may be in any namespace.
  'intentions.read': { ...READS_ALL, 'of another namespace': 'not_found' },
  'intentions.delete': { ...WRITES_ALL, 'of another namespace': 'not_found' },
  'operations.replication': ANYONE,
  // Shows the secrets of global managers as well.
  'operations.changes': MANAGERS_ALONE,
  // These affect every namespace.
  'operations.setReplicationToken': MANAGERS_ALONE,
  // This store has no archives.
  'snapshots.read': { ...MANAGERS_ALONE, manages: 'endpoint_not_built' },
  'snapshots.restore': { ...MANAGERS_ALONE, manages: 'endpoint_not_built' },
  // A primary follows no other.
  'datacenters.accept': { ...MANAGERS_ALONE, manages: 'replication_refused' },
  'datacenters.promote': { ...MANAGERS_ALONE, manages: 'replication_refused' },
  'coordinates.datacenters': ANYONE,
  'coordinates.nodes': FILTERED,
  'sessions.info': FILTERED,
  'sessions.node': FILTERED,
  'sessions.list': FILTERED,
  // Rows are left out for lack of rights.
  'catalog.nodes': SHOWS_WHAT_MAY_BE_READ,
  'catalog.services': SHOWS_WHAT_MAY_BE_READ,
  'catalog.service': SHOWS_WHAT_MAY_BE_READ,
  'catalog.connect': SHOWS_WHAT_MAY_BE_READ,
  'catalog.node': SHOWS_WHAT_MAY_BE_READ,
  'catalog.nodeServices': SHOWS_WHAT_MAY_BE_READ,
  'catalog.gatewayServices': SHOWS_WHAT_MAY_BE_READ,
  'health.node': SHOWS_WHAT_MAY_BE_READ,
  'health.checks': SHOWS_WHAT_MAY_BE_READ,
  'health.service': SHOWS_WHAT_MAY_BE_READ,
  'health.connect': SHOWS_WHAT_MAY_BE_READ,
  'health.ingress': SHOWS_WHAT_MAY_BE_READ,
  'health.state': SHOWS_WHAT_MAY_BE_READ,
  'health.uiNodes': SHOWS_WHAT_MAY_BE_READ,
  'health.uiServices': SHOWS_WHAT_MAY_BE_READ,
  // What the caller may not read does not exist for it.
  'health.uiNode': {
    ...outcomeOfAll('not_found'),
    ...STRANGERS,
    'reads all': 'ok',
    'writes all': 'ok',
    manages: 'ok',
    'of another namespace': 'not_found',
  },
  'agent.services': SHOWS_WHAT_MAY_BE_READ,
  'operations.members': SHOWS_WHAT_MAY_BE_READ,
  'agent.checks': SHOWS_WHAT_MAY_BE_READ,
  // The process is still running.
  'agentProcess.forceLeave': WRITES_ALL,
  // Says which operations the caller may not make.
  'txn.apply': { ...outcomeOfAll('409'), ...STRANGERS, 'writes all': 'ok', manages: 'ok' },
  'operations.leader': ANYONE,
  'operations.peers': ANYONE,
  'operations.datacenters': ANYONE,
  'operations.versions': ANYONE,
  'operations.openapi': ANYONE,
}

function expectedOf(name: EndpointName): Row {
  const { method, path } = endpoint(name)
  const isAcl = /^\/(internal\/)?acl\//.test(path)
  const [reads, writes] = isAcl ? [READS_ACL, WRITES_ACL] : [READS_ALL, WRITES_ALL]
  return SPECIAL[name] ?? (method === 'GET' ? reads : writes)
}

const names = Object.keys(ENDPOINTS) as EndpointName[]

const allRules = (level: 'read' | 'write' | 'deny') =>
  [
    ...['acl', 'operator', 'keyring'].map((kind) => `${kind} = "${level}"`),
    ...['agent', 'event', 'key', 'node', 'query', 'session'].map(
      (kind) => `${kind}_prefix "" { policy = "${level}" }`,
    ),
    `service_prefix "" { policy = "${level}" intentions = "${level}" }`,
  ].join('\n')

/** The credentials of a kind of caller. */
type Credentials = Readonly<Record<Caller, readonly (string | undefined)[]>>

/** What a caller sends besides its credential. A caller from another namespace names the target namespace. */
const HEADERS: Partial<Readonly<Record<Caller, Readonly<Record<string, string>>>>> = {
  'of another namespace': { 'x-service-namespace': 'default' },
}

interface Target {
  readonly accessorId: string
  readonly legacyAccessorId: string
  readonly policyId: string
  readonly roleId: string
  readonly ruleId: string
  readonly intentionId: string
  readonly areaId: string
  readonly sessionId: string
}

let world: World
let before: MemorySnapshot
let credentials: Credentials
let target: Target

const LEGACY_SECRET = 'a legacy secret'
const LEGACY = { ID: LEGACY_SECRET, Type: 'client', Rules: 'key "" { policy = "read" }' }

const COORD = { Vec: [0, 0, 0, 0, 0, 0, 0, 0] }
const METHOD_CONFIG = { JWTValidationPubKeys: ['a key'] }
const INTENTION = { SourceName: 'source', DestinationName: 'target', Action: 'allow' }
const ENTRY = { Kind: 'service-intentions', Name: 'target', Sources: [{ Name: 'other', Action: 'allow' }] }
const RULE = { AuthMethod: 'target', BindType: 'service', BindName: 'web' }

/** The newest version with the legacy API, in the extended edition, has every endpoint. */
beforeAll(async () => {
  world = await aWorld({ version: '1.10.12', edition: 'extended', cluster: WITH_FAILING })
  const policy = await world.policy({ Name: 'target' })
  const role = await world.role({ Name: 'target' })
  const token = await world.token()
  await world.manage('PUT', '/namespace', { Name: 'target' })
  await world.manage('PUT', '/acl/create', LEGACY)
  const migrated = aToken({ AccessorID: anId(1), SecretID: 'migrated', Type: 'client', Rules: LEGACY.Rules })
  await world.store.commit([putOf('tokens', migrated, 0)])
  await world.manage('PUT', '/acl/auth-method', { Name: 'target', Type: 'jwt', Config: METHOD_CONFIG })
  const { ID: ruleId } = (await world.manage('PUT', '/acl/binding-rule', RULE)) as { ID: string }
  await world.store.commit([putOf('nodes', aNode({ Node: 'target' }), 0)])
  await world.ask('PUT', '/coordinate/update', { token: MANAGEMENT, body: { Node: 'target', Coord: COORD } })
  const check = { CheckID: 'target', TTL: '1h', Status: 'passing' }
  await world.ask('PUT', '/agent/service/register', {
    token: MANAGEMENT,
    body: { Name: 'target', Check: check },
  })
  await world.ask('PUT', '/kv/target', { token: MANAGEMENT, body: 'value' })
  const { ID: intentionId } = (await world.manage('POST', '/connect/intentions', INTENTION)) as { ID: string }
  endIntentionsMigration(world)
  await world.manage('PUT', '/catalog/register', { Node: 'target', Address: '10.0.0.1' })
  const { ID: sessionId } = (await world.manage('PUT', '/session/create', { Node: 'target' })) as {
    ID: string
  }
  const { ID: areaId } = (await world.manage('POST', '/operator/area', { PeerDatacenter: 'dc9' })) as {
    ID: string
  }
  target = {
    accessorId: token.AccessorID,
    legacyAccessorId: migrated.AccessorID,
    policyId: policy.ID,
    roleId: role.ID,
    ruleId,
    intentionId,
    areaId,
    sessionId,
  }

  const expired = await world.token({ Policies: [{ Name: 'global-management' }], ExpirationTTL: '60s' })
  const deleted = await world.token({ Policies: [{ Name: 'global-management' }] })
  await world.manage('DELETE', `/acl/token/${deleted.AccessorID}`)
  const deny = await world.policy({ Name: 'deny', Rules: allRules('deny') })
  const grant = await world.policy({ Name: 'grant', Rules: allRules('write') })
  const denied = await world.token({ Policies: [{ ID: grant.ID }, { ID: deny.ID }] })
  const writesAll = await world.secretWith(allRules('write'))
  await world.manage('PUT', '/namespace', { Name: 'elsewhere' })
  const Namespace = 'elsewhere'
  const admin = await world.policy({ Name: 'admin', Rules: allRules('write'), Namespace })
  const dc2 = await world.policy({ Name: 'dc2', Rules: allRules('write'), Datacenters: ['dc2'] })
  // Each datacenter has its own store.
  const otherDatacenter = await aWorld({
    datacenter: 'dc2',
    seed: 2,
    version: '1.10.12',
    edition: 'extended',
  })
  const local = await otherDatacenter.token({ Policies: [{ Name: 'global-management' }], Local: true })
  const localSelf = await otherDatacenter.ask('GET', '/acl/token/self', { token: local.SecretID })
  expect(localSelf.status).toBe(200)
  credentials = {
    anonymous: [undefined, '', 'anonymous'],
    'without rights': [(await world.token()).SecretID],
    'acl:read': [await world.secretWith('acl = "read"')],
    'acl:write': [await world.secretWith('acl = "write"')],
    'reads all': [await world.secretWith(allRules('read'))],
    'writes all': [writesAll],
    manages: [MANAGEMENT],
    denied: [denied.SecretID],
    'of another namespace': [(await world.token({ Namespace, Policies: [{ ID: admin.ID }] })).SecretID],
    'rights of another datacenter': [(await world.token({ Policies: [{ ID: dc2.ID }] })).SecretID],
    'local of another datacenter': [local.SecretID],
    expired: [expired.SecretID],
    deleted: [deleted.SecretID],
    unknown: ['ce10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2e'],
    malformed: [
      ...[REDACTED_SECRET_ID, 'allow', 'deny', 'manage', 'root', token.AccessorID],
      ...[writesAll.toUpperCase(), `${writesAll}x`, writesAll.slice(0, -1), `${writesAll},${writesAll}`],
      ...['*', '%', '\u00ff', 'x'.repeat(4_000)],
    ],
  }
  await world.clock.advance(60_000)
  before = world.store.snapshot()
})

/** The path parameter, if it differs from {@link inPathOf}. */
const inPath: { readonly [N in EndpointName]?: () => string } = {
  'policies.readByName': () => 'target',
  'roles.readByName': () => 'target',
  'legacy.translateToken': () => target.legacyAccessorId,
  'health.uiNode': () => 'n1',
  'sessions.node': () => 'target',
  'agentProcess.join': () => '127.0.0.1:8500',
  'agentProcess.forceLeave': () => 'n1',
}
const inPathOf: Readonly<Record<string, () => string>> = {
  tokens: () => target.accessorId,
  policies: () => target.policyId,
  roles: () => target.roleId,
  bindingRules: () => target.ruleId,
  legacy: () => LEGACY_SECRET,
  intentions: () => target.intentionId,
  sessions: () => target.sessionId,
  areas: () => target.areaId,
}

/** Bodies of requests that have an effect; all others are empty. */
const BODIES: { readonly [N in EndpointName]?: unknown } = {
  'policies.create': { Name: 'new' },
  'policies.update': { Name: 'renamed' },
  'policies.whatIf': { Rules: 'acl = "write"' },
  'policies.lint': { Rules: '' },
  'roles.create': { Name: 'new' },
  'roles.update': { Name: 'renamed' },
  'authMethods.create': { Name: 'new', Type: 'jwt', Config: METHOD_CONFIG },
  'authMethods.update': { Config: METHOD_CONFIG },
  'bindingRules.create': RULE,
  'bindingRules.update': RULE,
  'login.login': { AuthMethod: 'target', BearerToken: unsignedToken({}, START) },
  'login.authUrl': { AuthMethod: 'target', RedirectURI: 'http://localhost' },
  'login.callback': { AuthMethod: 'target', State: 'state', Code: 'code' },
  'namespaces.create': { Name: 'new' },
  'namespaces.update': { Description: 'new' },
  'kv.write': 'new',
  'intentions.create': { ...INTENTION, SourceName: 'new' },
  'intentions.update': INTENTION,
  'intentions.writeExact': { Action: 'deny' },
  'configEntries.write': ENTRY,
  'coordinates.update': { Node: 'target', Coord: { ...COORD, Height: 1 } },
  'areas.create': { PeerDatacenter: 'dc8' },
  'areas.join': ['10.0.0.9'],
  'agent.registerService': { Name: 'new' },
  'agentChecks.register': { Name: 'new', TTL: '1h' },
  'agentChecks.update': { Status: 'warning' },
  'legacy.create': { Type: 'client' },
  'legacy.update': LEGACY,
  'legacy.import': [{ ...LEGACY, ID: 'imported' }],
  'legacy.translate': LEGACY.Rules,
  'decisions.authorize': [{ Resource: 'acl', Access: 'write' }],
  'decisions.whoCan': { Resource: 'acl', Access: 'write' },
  'txn.apply': [{ KV: { Verb: 'set', Key: 'target' } }],
  'catalog.register': { Node: 'new', Address: '10.0.0.1', Service: { Service: 'new' } },
  'catalog.deregister': { Node: 'target' },
  'operations.setReplicationToken': { Token: 'a-secret' },
  'datacenters.accept': { Cluster: anId(2) },
  'datacenters.promote': { Datacenter: 'dc1' },
}

const EXACT = '?source=source&destination=target'
/** Queries of requests that have an effect. */
const QUERIES: { readonly [N in EndpointName]?: string } = {
  'operations.versions': '?from=1.0&to=1.4.0',
  'intentions.match': '?by=destination&name=target',
  'intentions.check': EXACT,
  'intentions.readExact': EXACT,
  'intentions.writeExact': EXACT,
  'intentions.deleteExact': EXACT,
  'operator.removePeer': '?id=gone-id',
  'agent.maintenance': '?enable=true',
  'agent.serviceMaintenance': '?enable=true',
}

/** A request that succeeds for an authorized caller. */
function requestTo(name: EndpointName): { readonly path: string; readonly body?: unknown } {
  const { path, body } = endpoint(name)
  const named = inPath[name] ?? inPathOf[name.split('.')[0] ?? ''] ?? (() => 'target')
  const query = QUERIES[name] ?? ''
  const filled = path.replace(/:\w+/, () => encodeURIComponent(named())) + query
  return body === undefined ? { path: filled } : { path: filled, body: BODIES[name] ?? {} }
}

/** The four ways to present a credential. */
const SOURCES: readonly ((path: string, secret: string) => { path: string; options: AskOptions })[] = [
  (path, secret) => ({
    path: `${path}${path.includes('?') ? '&' : '?'}token=${encodeURIComponent(secret)}`,
    options: {},
  }),
  (path, secret) => ({ path, options: { headers: { 'x-service-token': secret } } }),
  (path, secret) => ({ path, options: { headers: { 'x-consul-token': secret } } }),
  (path, secret) => ({ path, options: { headers: { authorization: `Bearer ${secret}` } } }),
]

function indexes(): readonly number[] {
  const tables = [
    ...['tokens', 'policies', 'roles', 'kv', 'namespaces', 'authMethods', 'bindingRules', 'intentions'],
    ...['coordinates', 'system', 'catalog'],
  ] as const
  return tables.map((table) => world.store.tableIndex(table))
}

/** Sends a credential from each source and returns the distinct outcomes. */
async function outcomesOf(
  name: EndpointName,
  secret: string | undefined,
  { method = endpoint(name).method, headers = {} }: { method?: string; headers?: object | undefined } = {},
): Promise<readonly string[]> {
  const { path, body } = requestTo(name)
  const asks = secret === undefined ? [{ path, options: {} }] : SOURCES.map((source) => source(path, secret))
  const outcomes = new Set<string>()
  for (const ask of asks) {
    world.store.restore(before)
    const earlier = indexes()
    const reply = await world.ask(method, ask.path, {
      ...ask.options,
      headers: { ...ask.options.headers, ...headers },
      body,
    })
    outcomes.add(outcomeOf(reply))
    if (outcomeOf(reply) !== 'ok') expect(indexes(), 'a refused request changed something').toEqual(earlier)
  }
  return [...outcomes]
}

function outcomeOf(reply: Reply): string {
  // Some clients see a refused deletion as 200.
  return reply.code ?? (reply.status === 200 ? 'ok' : String(reply.status))
}

describe('AUTHZ-01', () => {
  test.each(names)('%s', async (name) => {
    const outcomes: Record<string, readonly string[]> = {}
    const expected: Record<string, readonly string[]> = {}
    for (const caller of CALLERS) {
      for (const secret of credentials[caller]) {
        const key = `${caller} ${credentials[caller].indexOf(secret)}`
        outcomes[key] = await outcomesOf(name, secret, { headers: HEADERS[caller] })
        expected[key] = [expectedOf(name)[caller]]
      }
    }
    // The explicit secret of the anonymous token is a credential like any other.
    if (name === 'tokens.self') expected['anonymous 2'] = ['ok']
    if (name === 'login.logout') expected['anonymous 2'] = ['privilege_missing']
    expect(outcomes).toEqual(expected)
  })
})

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'TRACE']

describe('AUTHZ-01: no other method bypasses authorization', () => {
  const shape = (text: string) => text.replaceAll(/:\w+/g, ':')
  const methodsOf = (isMeant: (path: string) => boolean): readonly string[] =>
    names
      .map(endpoint)
      .filter(({ path }) => isMeant(shape(path)))
      .flatMap(({ method, alsoGet }) => (alsoGet ? [method, 'GET'] : [method]))

  test.each(names)('%s', async (name) => {
    const path = shape(endpoint(name).path)
    // Another endpoint with the same path has its own row.
    const served = methodsOf((other) => other === path)
    // A parameter at the end of another path matches the rest of this one as an unknown ID.
    const taken = methodsOf((other) => other !== path && other.endsWith(':') && path.startsWith(other))
    for (const method of METHODS.filter((one) => !served.includes(one))) {
      for (const caller of CALLERS) {
        const [secret] = credentials[caller]
        const outcomes = await outcomesOf(name, secret, { method })
        expect(outcomes, `${method} by ${caller}`).not.toContain('ok')
        if (!taken.includes(method)) expect(outcomes).toEqual(['method_not_allowed'])
      }
    }
  })
})

describe('AUTHZ-01: no indirect way to a right in another namespace (CVE-2021-41805, CVE-2026-40264)', () => {
  const link = (ID: string) => [{ ID }]
  const admin = () => credentials['of another namespace'][0] ?? ''
  type Attempt = () => readonly [method: string, path: string, body?: unknown]
  const ATTEMPTS: Readonly<Record<string, Attempt>> = {
    'a token links a policy by ID': () => ['PUT', '/acl/token', { Policies: link(target.policyId) }],
    'a token links a policy by name': () => ['PUT', '/acl/token', { Policies: [{ Name: 'grant' }] }],
    'a token links a role': () => ['PUT', '/acl/token', { Roles: link(target.roleId) }],
    'a token is made in default by its body': () => ['PUT', '/acl/token', { Namespace: 'default' }],
    'a token is made in default by ns': () => ['PUT', '/acl/token?ns=default', {}],
    'a token links global management': () => [
      'PUT',
      '/acl/token',
      { Policies: [{ Name: 'global-management' }] },
    ],
    'a role links a policy by ID': () => ['PUT', '/acl/role', { Name: 'r', Policies: link(target.policyId) }],
    'a role links a policy by name': () => ['PUT', '/acl/role', { Name: 'r', Policies: [{ Name: 'grant' }] }],
    'a policy is made in default': () => ['PUT', '/acl/policy', { Name: 'p', Namespace: 'default' }],
    'a policy of default is changed': () => ['PUT', `/acl/policy/${target.policyId}`, { Name: 'target' }],
    'a role of default is changed': () => ['PUT', `/acl/role/${target.roleId}`, { Name: 'target' }],
    'a token of default is read by accessor': () => ['GET', `/acl/token/${target.accessorId}`],
    'a token of default is updated by accessor': () => ['PUT', `/acl/token/${target.accessorId}`, {}],
    'a token of default is cloned by accessor': () => ['PUT', `/acl/token/${target.accessorId}/clone`, {}],
    'a token of default is deleted by accessor': () => ['DELETE', `/acl/token/${target.accessorId}`],
    'a token of default is asked about by accessor': () => [
      'POST',
      `/internal/acl/authorize?accessor=${target.accessorId}`,
      [{ Resource: 'acl', Access: 'read' }],
    ],
    'rules of default are translated by accessor': () => [
      'GET',
      `/acl/rules/translate/${target.legacyAccessorId}`,
    ],
    "defaults of the caller's namespace": () => [
      'PUT',
      '/namespace/elsewhere',
      { ACLs: { PolicyDefaults: [{ Name: 'admin' }] } },
    ],
    'defaults of default': () => [
      'PUT',
      '/namespace/default',
      { ACLs: { PolicyDefaults: [{ Name: 'grant' }] } },
    ],
    'a namespace is made': () => ['PUT', '/namespace', { Name: 'mine' }],
    'a legacy manager is made': () => ['PUT', '/acl/create', { Type: 'management' }],
    'a legacy manager is imported': () => [
      'PUT',
      '/internal/acl/legacy-tokens',
      [{ ID: 'm', Type: 'management' }],
    ],
    'legacy secrets are listed': () => ['GET', '/acl/list'],
    'bootstrap, again': () => ['PUT', '/acl/bootstrap'],
  }

  test.each(Object.keys(ATTEMPTS))('%s: refused, and nothing is changed', async (name) => {
    world.store.restore(before)
    const [method, path, body] = ATTEMPTS[name]?.() ?? []
    const reply = await world.ask(method ?? '', path ?? '', { token: admin(), body })
    expect(['privilege_missing', 'link_unknown', 'not_found', 'bootstrap_done']).toContain(reply.code)
    expect(world.store.snapshot()).toEqual(before)
  })
})

describe('AUTHZ-01: a token of one datacenter is unknown in another (CVE-2020-13170)', () => {
  test.each(['dc2', 'dc3'])('403 caller_unknown: a local token of dc1 in %s', async (datacenter) => {
    const home = await aWorld({ seed: 3 })
    const other = await aWorld({ datacenter, seed: 4 })
    const Policies = [{ Name: 'global-management' }]
    for (const Local of [true, false]) {
      const { SecretID: token, AccessorID } = await home.token({ Policies, Local })
      expect((await home.ask('GET', '/acl/tokens', { token })).status).toBe(200)
      expect((await other.ask('GET', '/acl/tokens', { token })).code).toBe('caller_unknown')
      expect((await other.ask('GET', '/acl/token/self', { token })).code).toBe('caller_unknown')
      expect((await other.ask('GET', `/acl/token/${AccessorID}`, { token: MANAGEMENT })).code).toBe(
        'not_found',
      )
    }
  })

  test('403 privilege_missing: rights and identities valid only in dc2, presented in dc1', async () => {
    world.store.restore(before)
    const there = { Datacenters: ['dc2'] }
    const { ID } = await world.policy({ Name: 'there', Rules: allRules('write'), ...there })
    const role = await world.role({ Name: 'there', Policies: [{ ID }] })
    for (const body of [
      { Policies: [{ ID }] },
      { Roles: [{ ID: role.ID }] },
      { ServiceIdentities: [{ ServiceName: 'web', ...there }] },
      { NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc2' }] },
    ]) {
      const { SecretID: token } = await world.token(body)
      for (const path of ['/acl/tokens', '/agent/self', '/kv/target', '/namespaces']) {
        expect((await world.ask('GET', path, { token })).code).toBe('privilege_missing')
      }
    }
  })
})

describe('no caller reaches an absent record', () => {
  const strangers = ['', MANAGEMENT]

  test.each(names.filter((name) => endpoint(name).edition === 'extended'))(
    '%s does not exist in the standard edition (spec 4.9)',
    async (name) => {
      const standard = await aWorld()
      for (const token of strangers) {
        const { path, body } = requestTo(name)
        const reply = await standard.ask(endpoint(name).method, path, { token, body })
        expect(reply).toMatchObject({ status: 404, code: 'endpoint_unknown' })
      }
    },
  )
})
