/**
 * Endpoints refuse only with the codes that the contract declares, from which OpenAPI, the error pages and the hovers of the
 * SDK are generated. Sends every combination of good and bad paths, bodies and callers to every endpoint.
 */

import { ANONYMOUS_TOKEN_ACCESSOR_ID, GLOBAL_MANAGEMENT_POLICY_ID, unsignedToken } from '@latchkey/acl'
import type { EndpointName } from '@latchkey/contract'
import { ENDPOINTS, endpoint, limits, REDACTED_SECRET_ID, routeOf } from '@latchkey/contract'
import { putOf } from '@latchkey/testkit/records/changes'
import { aToken } from '@latchkey/testkit/records/record-builders'
import type { World } from '@latchkey/testkit/service/world'
import { aWorld, endIntentionsMigration, MANAGEMENT, START } from '@latchkey/testkit/service/world'
import { beforeAll, expect, test } from 'vitest'
import type { MemorySnapshot } from '../src/store/memory-store.ts'

const UNKNOWN = '33333333-0000-4000-8000-000000000003'

let world: World
let snapshot: MemorySnapshot
let callers: readonly (string | undefined)[]
let values: readonly string[]
let bodies: readonly (string | object)[]
const seen = new Map<EndpointName, Set<string>>()

// Capturing stack traces of refusals would take a third of the time, and nothing here reads them.
beforeAll(() => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  return () => {
    Error.stackTraceLimit = stackTraceLimit
  }
})

beforeAll(async () => {
  // The version and edition with the most endpoints.
  let asked = 0
  const takeBootstrapReset = async () => (asked++ % 2 === 0 ? 'none' : { wrong: 1 })
  world = await aWorld({ version: '1.10', edition: 'extended', cluster: { takeBootstrapReset } })
  const policy = await world.policy({ Name: 'read', Rules: 'acl = "read"' })
  const role = await world.role({ Name: 'role', Policies: [{ Name: 'read' }] })
  const reader = await world.token({ Policies: [{ ID: policy.ID }], Local: true })
  const short = await world.token({ ExpirationTTL: '1m' })
  const { ID: legacy } = (await world.manage('PUT', '/acl/create', {
    Type: 'client',
    Rules: 'key "" { policy = "read" }',
  })) as { ID: string }
  await world.manage('PUT', '/namespace', { Name: 'team' })
  await world.manage('PUT', '/acl/token?ns=team', {})
  const fromLogin = aToken({ AuthMethod: 'login' })
  await world.store.commit([putOf('tokens', fromLogin, 0)])
  await world.manage('PUT', '/acl/auth-method', { ...METHOD, Name: 'sso' })
  await world.manage('PUT', '/acl/auth-method', { ...METHOD, Name: 'full', MaxLiveTokens: 1 })
  await world.manage('PUT', '/acl/binding-rule', { ...RULE, AuthMethod: 'full' })
  await world.manage('POST', '/acl/login', { ...login({}), AuthMethod: 'full' })
  const check = { CheckID: 'default', TTL: '1h' }
  await world.ask('PUT', '/agent/service/register', {
    token: MANAGEMENT,
    body: { Name: 'default', Check: check },
  })
  const alias = { ID: 'team', Name: 'team', AliasService: 'default' }
  await world.ask('PUT', '/agent/check/register', { token: MANAGEMENT, body: alias })
  const many = await world.policy({ Name: 'many', Rules: MANY_RULES })
  await world.role({ Name: 'many', Policies: [{ ID: many.ID }] })
  await world.manage('POST', '/operator/area', AREA)
  endIntentionsMigration(world)
  const { ID: intentionId } = (await world.manage('POST', '/connect/intentions', INTENTION)) as { ID: string }
  await world.manage('POST', '/connect/intentions', { ...INTENTION, SourceName: '*' })
  await world.manage('PUT', '/connect/intentions/exact?source=a&destination=edited', { Action: 'allow' })
  const rule = { AuthMethod: 'sso', BindType: 'role', BindName: '${value.role}' }
  const { ID: ruleId } = (await world.manage('PUT', '/acl/binding-rule', rule)) as { ID: string }
  const alive = { CheckID: 'serfHealth', Name: 'alive', Status: 'passing' }
  const node = { Node: 'alive', Address: '10.0.0.1', ID: '44444444-0000-4000-8000-000000000004' }
  await world.manage('PUT', '/catalog/register', { ...node, Check: alive })
  const failing = { CheckID: 'failing', Name: 'failing', Status: 'critical' }
  await world.manage('PUT', '/catalog/register', { ...node, Check: failing })
  await world.clock.advance(1_000)
  const { ID: sessionId } = (await world.manage('PUT', '/session/create', { Node: 'alive' })) as {
    ID: string
  }
  callers = [undefined, UNKNOWN, reader.SecretID, MANAGEMENT]
  values = [
    ...['', 'x', 'allow', 'anonymous', UNKNOWN, ANONYMOUS_TOKEN_ACCESSOR_ID, GLOBAL_MANAGEMENT_POLICY_ID],
    ...[policy.ID, role.ID, reader.AccessorID, reader.AccessorID.toUpperCase(), reader.SecretID],
    ...[short.AccessorID, fromLogin.AccessorID, legacy, ruleId, intentionId, sessionId, 'sso', 'default'],
    ...['team', 'alive', 'k'.repeat(3_000), 'n1'],
  ]
  const taken = { ID: reader.AccessorID, Name: '', Type: 'client', Rules: '', CreateIndex: 1, ModifyIndex: 1 }
  bodies = [...BODIES, { ID: reader.AccessorID }, [taken], { Node: 'alive', Checks: ['failing'] }]
  snapshot = world.store.snapshot()
})

const METHOD = { Type: 'jwt', Config: { JWTValidationPubKeys: ['a key'], ClaimMappings: { role: 'role' } } }
const INTENTION = { SourceName: 'a', DestinationName: 'b', Action: 'allow' }
/** Queries and bodies about intentions. */
const INTENTION_OPTIONS = [
  '?filter=Foo',
  `?filter=${'x'.repeat(5_000)}`,
  '?by=source&name=a/b/c',
  '?source=a/b/c&destination=b',
  '?source=a&destination=nothing',
]
const INTENTION_BODIES = [
  INTENTION,
  { ...INTENTION, SourceName: '*' },
  { ...INTENTION, Action: 'x' },
  { ...INTENTION, DestinationName: 'edited' },
  { Kind: 'service-intentions', Name: 'b' },
  { Kind: 'x' },
  { Kind: 'mesh' },
]
const AREA = { PeerDatacenter: 'dc2' }
const RULE = { AuthMethod: 'sso', BindType: 'service', BindName: 'web' }
const login = (claims: object) => ({ AuthMethod: 'sso', BearerToken: unsignedToken({ ...claims }, START) })

const rules = (text: string) => ({ Name: 'new', Rules: text })
const OPTIONS = [
  ...['', '?index=x', '?stale&consistent', '?ns=elsewhere', '?ns=%20', '?policy=a&role=b', '?limit=0'],
  ...['?cursor=x', '?cas=x', '?acquire=s', '?acquire=', `?acquire=${UNKNOWN}`, '?recurse&cas=1'],
  ...['?from=1.11&to=1.3', '?from=x', `?accessor=${UNKNOWN}`, '?accessor=x', '?expanded&pretty'],
  ...['?filter=(', `?filter=${'f'.repeat(5_000)}`, '?passing=x', '?enable=x', '?enable=true'],
  ...['?id=nope', '?address=127.0.0.1:8500'],
]
/** A valid body of the only endpoint that takes a list. */
const CHECKS = [{ Resource: 'acl', Access: 'read' }]
const BODIES: readonly (string | object)[] = [
  '',
  '{',
  '[]',
  '"text"',
  {},
  { Foo: 1 },
  { Description: 1 },
  { Description: 'd'.repeat(5_000) },
  { RedundancyZoneTag: 'd'.repeat(5_000) },
  { AccessorID: 'x' },
  { AccessorID: ANONYMOUS_TOKEN_ACCESSOR_ID },
  { AccessorID: UNKNOWN, SecretID: UNKNOWN },
  { SecretID: MANAGEMENT },
  { SecretID: REDACTED_SECRET_ID },
  { AuthMethod: 'm' },
  { Local: false },
  { ExpirationTTL: '1s' },
  { ExpirationTTL: '1h', ExpirationTime: '2030-01-01T00:00:00Z' },
  { Policies: [{ Name: 'nothing' }] },
  { Name: 'role', Policies: [{ Name: 'nothing' }] },
  { Name: 'new', Policies: [{ Name: 'nothing' }] },
  { Roles: [{ ID: UNKNOWN }] },
  { ServiceIdentities: [{}] },
  { ServiceIdentities: [{ ServiceName: 'X' }] },
  { Name: 'role', ServiceIdentities: [{ ServiceName: 'X' }] },
  { Name: 'role', NodeIdentities: [{ NodeName: 'x' }] },
  { Local: true, ServiceIdentities: [{ ServiceName: 'x', Datacenters: ['dc1'] }] },
  { Rules: 'key "' },
  { Namespace: 'team' },
  { Namespace: 'nowhere' },
  { Namespace: '-' },
  { Name: 'read', Namespace: 'nowhere' },
  { Name: 'read', Namespace: '-' },
  { Name: 'read' },
  { Name: 'role' },
  { Name: 'team' },
  { Name: '-' },
  { Name: 'a b' },
  { ID: UNKNOWN, Name: 'new' },
  { ID: 'allow' },
  { ID: 'old', Type: 'other' },
  { ID: 'old', Rules: 'key "' },
  { ID: REDACTED_SECRET_ID },
  { ID: MANAGEMENT },
  { Type: 'other' },
  { ACLs: { PolicyDefaults: [{ Name: 'nothing' }] } },
  { ACLs: { PolicyDefaults: [{ Name: 'global-management' }] } },
  { Name: 'more', ACLs: { PolicyDefaults: [{ Name: 'nothing' }] } },
  rules('kind "a" {}'),
  { ...METHOD, Name: 'sso', Type: 'kubernetes' },
  { ...METHOD, Name: 'new', NamespaceRules: [{ Selector: '(', BindNamespace: 'team' }] },
  { Claims: { role: 'many' } },
  { Name: 'x', TTL: '-1s' },
  { Node: '' },
  { Name: 'x', TTL: '1h', ServiceID: 'nothing' },
  { Status: 'x' },
  { Status: 'passing' },
  { Name: 'x', Address: '0.0.0.0' },
  { ...RULE, Selector: '(' },
  { ...RULE, AuthMethod: 'SSO' },
  { ...login({}), AuthMethod: 'nothing' },
  { ...login({}), Meta: { a: 'm'.repeat(3_000) } },
  { ...login({}), Namespace: '-' },
  { ...login({}), BearerToken: 'x' },
  login({ role: 'nothing' }),
  { ...login({}), AuthMethod: 'full' },
  { AuthMethod: 'sso', RedirectURI: 'http://localhost' },
  { AuthMethod: 'sso', State: 'state', Code: 'code' },
  { Token: 'not a header' },
  { Node: 'a', Coord: { Vec: [1] } },
  { Node: 'a', Coord: { Vec: [1, 1, 1, 1, 1, 1, 1, 1] } },
  { Datacenter: 'dc9', Node: 'a', Coord: { Vec: [] } },
  { Cluster: 'x' },
  { Cluster: UNKNOWN },
  { Node: 'n', Address: 'a', ID: 'x' },
  { Node: 'alive', Address: 'a', ID: UNKNOWN },
  { Node: 'n', Address: 'a', Service: { Service: 's', Namespace: 'nowhere' } },
  { Node: 'n', Address: 'a', Service: { Service: 's', Namespace: '-' } },
  { Node: 'n', Namespace: '-' },
  AREA,
  { Datacenter: 'dc1' },
  { Datacenter: 'dc2' },
  { Name: 'global-management', Rules: '' },
  { Name: 'global-management', Datacenters: [] },
  CHECKS,
  { Resource: 'none', Access: 'read' },
  { Resource: 'key', Access: 'none' },
  [{ Resource: 'none', Access: 'read' }],
  Array.from({ length: 65 }, () => ({ Resource: 'acl', Access: 'read' })),
  Array.from({ length: 65 }, () => ({})),
  [{ KV: { Verb: 'set', Key: 'k', Value: 'a' } }],
  [{ KV: { Verb: 'set', Key: 'k', Namespace: 'nowhere' } }],
  [{ ID: 'a' }],
  [{ CreateIndex: 1, ModifyIndex: 1, ID: 'a', Name: '', Type: 'client', Rules: 'key "' }],
]

/** Rules that differ too much from any policy to be compared. */
const MANY_RULES = Array.from(
  { length: limits.WHAT_IF_QUESTIONS_MAX / 4 + 1 },
  (_, i) => `key "${i}" { policy = "read" }`,
).join('\n')

/** The requests to an endpoint: every option on every path, and every body to every path. */
function* requestsTo(name: EndpointName): Generator<{ path: string; body: string | object | undefined }> {
  const { path, body } = endpoint(name)
  const paths = path.includes(':')
    ? values.map((value) => path.replace(/:\w+/, encodeURIComponent(value)))
    : [path]
  for (const filled of paths) {
    for (const option of OPTIONS) {
      for (const sent of body ? [{}, CHECKS] : [undefined]) yield { path: `${filled}${option}`, body: sent }
    }
    if (body) for (const sent of bodies) yield { path: filled, body: sent }
    if (/^(intentions|configEntries)\./.test(name)) {
      for (const option of INTENTION_OPTIONS)
        yield { path: `${filled}${option}`, body: body ? {} : undefined }
      if (body) for (const sent of INTENTION_BODIES) yield { path: filled, body: sent }
    }
    if (/^(policies|roles|bindingRules)\.create$/.test(name)) {
      const content = name === 'bindingRules.create' ? RULE : { Name: 'imported' }
      for (const ID of values) yield { path: `${filled}?import`, body: { ...content, ID } }
    }
    if (name === 'kv.read') yield { path: `${filled}?keys&session=x`, body: undefined }
    if (name === 'policies.whatIf') yield { path: filled, body: { Rules: MANY_RULES } }
  }
}

test.each(Object.keys(ENDPOINTS) as EndpointName[])(
  '%s refuses only with its declared codes',
  async (name) => {
    const declared = new Set<string>(routeOf(name).refusals)
    const undeclared = new Map<string, string>()
    const codes = new Set<string>()
    for (const token of callers) {
      for (const { path, body } of requestsTo(name)) {
        const { method } = endpoint(name)
        const reply = await world.ask(method, path, {
          ...(token === undefined ? {} : { token }),
          ...(body === undefined ? {} : { body }),
        })
        if (reply.status === 200) world.store.restore(snapshot)
        const { code } = reply
        // A value may turn the path into the path of another endpoint.
        if (code === undefined || code === 'method_not_allowed' || code === 'endpoint_unknown') continue
        codes.add(code)
        if (!declared.has(code))
          undeclared.set(code, `${method} ${path} ${JSON.stringify(body)?.slice(0, 200)}`)
      }
    }
    seen.set(name, codes)
    expect([...undeclared]).toEqual([])
  },
)

/** Codes that only the server returns: from its verifier, login limits and archives. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  'provider_unavailable',
  'too_many_logins',
  'snapshot_invalid',
  'snapshot_refused',
])
/** Codes of answers that are longer than what these requests store; `repeated-content.test.ts` tests them. */
const OF_LONG_ANSWERS: ReadonlySet<string> = new Set(['answer_too_large'])
/** Codes that need another datacenter. */
const OF_OTHER_DATACENTERS: ReadonlySet<string> = new Set([
  'bootstrap_elsewhere',
  'primary_superseded',
  'datacenter_unreachable',
])
/** Codes that browser logins return here; the others need OpenID providers, and the server's tests cover them. */
const WITHOUT_PROVIDERS: ReadonlySet<string> = new Set(['field_required', 'endpoint_not_built'])

/**
 * Codes that occur only during the migration of intentions, in the standard edition, in a version without config entries, or
 * between versions.
 */
const OF_OTHER_TIMES: Readonly<Record<string, RegExp>> = {
  intentions_migrating: /./,
  namespace_unsupported: /^(intentions|sessions)\./,
  intention_edited: /^intentions.update$/,
  session_incompatible: /./,
}

function canOccur(name: EndpointName, code: string): boolean {
  // Only a streaming transport notices that a body breaks off.
  if (endpoint(name).body === 'stream' && code === 'body_malformed') return false
  if (OF_LONG_ANSWERS.has(code)) return false
  if (OF_OTHER_TIMES[code]?.test(name)) return false
  if (endpoint(name).gate === 'api.oidc') return WITHOUT_PROVIDERS.has(code)
  return !OF_THE_SERVER.has(code) && !OF_OTHER_DATACENTERS.has(code)
}

test('every code that an endpoint itself declares occurs', () => {
  const unmet = [...seen].flatMap(([name, codes]) =>
    routeOf(name)
      .errors.filter((code) => !codes.has(code) && canOccur(name, code))
      .map((code) => `${name}: ${code}`),
  )
  expect(seen.size).toBe(Object.keys(ENDPOINTS).length)
  expect(unmet).toEqual([])
})
