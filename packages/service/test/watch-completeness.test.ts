/**
 * COH-06: whenever a change commits, a watcher ends up with the stored state. Places a change before and after every store
 * call of every blocking endpoint.
 */

import { DEFAULT_NAMESPACE, type NamespaceRecord } from '@latchkey/acl'
import type { Endpoint, EndpointName, IndexedTable } from '@latchkey/contract'
import { ENDPOINTS, endpoint, invariant } from '@latchkey/contract'
import { aCheck, aNode, aService, aSession } from '@latchkey/testkit/records/catalog-builders'
import { deleteOf, putOf } from '@latchkey/testkit/records/changes'
import {
  aBindingRule,
  aKey,
  aMethod,
  anId,
  anIntention,
  aPolicy,
  aRole,
  aToken,
} from '@latchkey/testkit/records/record-builders'
import { settle } from '@latchkey/testkit/service/virtual-clock'
import { aWorld, MANAGEMENT, type Reply, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'
import type { Change, Store } from '../src/store/store.ts'

const policy = aPolicy({ Name: 'reader', Rules: 'acl = "read"' })
const role = aRole({ Name: 'ops', Policies: [{ ID: policy.ID }] })
const namespace: NamespaceRecord = {
  Name: 'team',
  Description: '',
  PolicyDefaults: [],
  RoleDefaults: [],
  CreateIndex: 0,
  ModifyIndex: 0,
}
const method = aMethod({ Name: 'sso' })
const free = aMethod({ Name: 'free' })
const rule = aBindingRule({ AuthMethod: 'sso' })
const token = aToken({
  Policies: [{ ID: policy.ID }],
  Roles: [{ ID: role.ID }],
  ServiceIdentities: [{ ServiceName: 'web', Datacenters: [] }],
  AuthMethod: 'kube',
})
const legacy = aToken({ Type: 'client', Rules: 'key "a" { policy = "read" }', Description: 'legacy' })
const intention = anIntention({ SourceName: 'shop', DestinationName: 'orders' })
const { DestinationNS, DestinationName } = intention
const destination = { DestinationNS, DestinationName, Meta: {}, CreateIndex: 0, ModifyIndex: 0 }
const key = aKey({ Key: 'tree/a', Value: Uint8Array.of(1) })

const updateToken = putOf('tokens', { ...token, Description: 'changed' })
const updateKey = putOf('kv', { ...key, Value: Uint8Array.of(2) })
const addKey = putOf('kv', aKey({ Key: 'tree/b', Value: Uint8Array.of(3) }))
const updatePolicy = putOf('policies', { ...policy, Description: 'changed' })
const updateRole = putOf('roles', { ...role, Description: 'changed' })
const updateNamespace = putOf('namespaces', { ...namespace, Description: 'changed' })
const updateMethod = putOf('authMethods', { ...method, Description: 'changed' })
const updateRule = putOf('bindingRules', { ...rule, Description: 'changed' })
const updateIntention = putOf('intentions', { ...intention, Action: 'deny' })
const node = aNode()
const emptyNode = aNode({ Node: 'empty', ID: anId(0xe) })
const service = aService({ Connect: { Native: true } })
const check = aCheck({ CheckID: 'web', ServiceID: service.ID, Status: 'passing' })
const coordinate = {
  Node: node.Node,
  Segment: '',
  Coord: { Vec: [0, 0, 0, 0, 0, 0, 0, 0], Error: 1, Adjustment: 0, Height: 0.01 },
  CreateIndex: 0,
  ModifyIndex: 0,
}
const updateNode = putOf('nodes', { ...node, Address: '10.0.0.2' })
const updateService = putOf('services', { ...service, Port: 81 })
const addService = putOf('services', aService({ ID: 'web-2', Service: 'web' }))
const updateCheck = putOf('checks', { ...check, Status: 'critical' })
const addCheck = putOf('checks', aCheck())
const area = { ID: 'area', PeerDatacenter: 'dc2', RetryJoin: [], UseTLS: false }
const areaRecord = { Key: 'areas', Value: [area], CreateIndex: 0, ModifyIndex: 0 } as const
const updateArea = putOf('system', { ...areaRecord, Value: [{ ...area, RetryJoin: ['10.0.0.1'] }] })
const updateCoordinate = putOf('coordinates', { ...coordinate, Coord: { ...coordinate.Coord, Height: 1 } })
const addSession = putOf('sessions', aSession({ ID: anId(0x5e55) }))
const updateLegacy = putOf('tokens', { ...legacy, Description: 'changed' })

/** Path parameters, by resource, for endpoints without reads of their own. */
const IN_PATH: Readonly<Record<string, string>> = {
  tokens: token.AccessorID,
  policies: policy.ID,
  roles: role.ID,
  bindingRules: rule.ID,
  namespaces: namespace.Name,
  coordinates: node.Node,
  areas: area.ID,
}

/** Changes to the answers of those endpoints, by the table for which they wait. */
const CHANGES: { readonly [table in IndexedTable]?: Change } = {
  tokens: updateToken,
  policies: updatePolicy,
  roles: updateRole,
  authMethods: updateMethod,
  bindingRules: updateRule,
  namespaces: updateNamespace,
  intentions: updateIntention,
  catalog: updateNode,
  coordinates: updateCoordinate,
  sessions: addSession,
  kv: updateKey,
  system: updateArea,
}

type Read = readonly [path: string, change: Change]

/** For each blocking endpoint with reads of its own: paths, each with a change to its answer. */
const READS: { readonly [N in EndpointName]?: readonly Read[] } = {
  'tokens.read': [
    [`/acl/token/${token.AccessorID}`, updateToken],
    [`/acl/token/${token.AccessorID}?expanded`, updateToken],
    [`/acl/token/${token.AccessorID}`, deleteOf('tokens', token)],
  ],
  'tokens.list': [
    ['/acl/tokens', updateToken],
    [`/acl/tokens?policy=${policy.ID}`, updateToken],
    [`/acl/tokens?policy=${policy.ID}`, deleteOf('tokens', token)],
    [`/acl/tokens?role=${role.ID}`, updateToken],
    ['/acl/tokens?authmethod=kube', updateToken],
    ['/acl/tokens?servicename=web', updateToken],
    ['/acl/tokens?filter=Local%3D%3Dfalse', updateToken],
    [`/acl/tokens?policy=${policy.ID}&limit=10`, updateToken],
  ],
  'policies.readByName': [
    ['/acl/policy/name/reader', updatePolicy],
    ['/acl/policy/name/reader', putOf('policies', { ...policy, Name: 'renamed' })],
  ],
  'roles.readByName': [['/acl/role/name/ops', updateRole]],
  'roles.list': [
    ['/acl/roles', updateRole],
    [`/acl/roles?policy=${policy.ID}`, updateRole],
  ],
  'authMethods.read': [
    ['/acl/auth-method/SSO', updateMethod],
    // A method that has rules can only be deleted together with them.
    ['/acl/auth-method/free', deleteOf('authMethods', free)],
  ],
  'bindingRules.list': [
    ['/acl/binding-rules', updateRule],
    ['/acl/binding-rules?authmethod=sso', updateRule],
  ],
  'intentions.list': [
    ['/connect/intentions', updateIntention],
    ['/connect/intentions?filter=Action%3D%3Dallow', deleteOf('intentions', intention)],
  ],
  'intentions.match': [['/connect/intentions/match?by=source&name=shop', updateIntention]],
  'intentions.check': [['/connect/intentions/check?source=shop&destination=orders', updateIntention]],
  'intentions.readExact': [['/connect/intentions/exact?source=shop&destination=orders', updateIntention]],
  'intentions.read': [
    [`/connect/intentions/${intention.LegacyID}`, updateIntention],
    [`/connect/intentions/${intention.LegacyID}`, deleteOf('intentions', intention)],
  ],
  'configEntries.list': [['/config/service-intentions', updateIntention]],
  'configEntries.read': [['/config/service-intentions/orders', updateIntention]],
  'catalog.services': [['/catalog/services', putOf('services', aService({ ID: 'db', Service: 'db' }))]],
  'catalog.service': [
    ['/catalog/service/web', updateService],
    ['/catalog/service/web', addService],
    ['/catalog/service/web', updateNode],
    ['/catalog/service/db', putOf('services', aService({ ID: 'db', Service: 'db' }))],
  ],
  'catalog.connect': [['/catalog/connect/web', updateService]],
  'catalog.node': [
    ['/catalog/node/node-1', updateService],
    ['/catalog/node/empty', deleteOf('nodes', emptyNode)],
  ],
  'catalog.nodeServices': [
    ['/catalog/node-services/node-1', updateService],
    ['/catalog/node-services/empty', deleteOf('nodes', emptyNode)],
  ],
  'sessions.info': [[`/session/info/${anId(0x5e55)}`, addSession]],
  'sessions.node': [['/session/node/node-1', addSession]],
  'health.node': [
    ['/health/node/node-1', updateCheck],
    ['/health/node/node-1', addCheck],
  ],
  'health.checks': [['/health/checks/web', updateCheck]],
  'health.service': [
    ['/health/service/web', updateCheck],
    ['/health/service/web', addCheck],
    ['/health/service/web', updateNode],
    ['/health/service/web?passing', updateCheck],
    ['/health/service/db', putOf('services', aService({ ID: 'db', Service: 'db' }))],
  ],
  'health.connect': [['/health/connect/web', updateCheck]],
  'health.state': [['/health/state/critical', updateCheck]],
  'health.uiNodes': [['/internal/ui/nodes', updateService]],
  'health.uiNode': [['/internal/ui/node/node-1', updateCheck]],
  'health.uiServices': [['/internal/ui/services', updateCheck]],
  'legacy.info': [[`/acl/info/${legacy.SecretID}`, updateLegacy]],
  'legacy.list': [['/acl/list', updateLegacy]],
  'kv.read': [
    ['/kv/tree/a', updateKey],
    ['/kv/tree/a?raw', updateKey],
    ['/kv/tree/a', deleteOf('kv', key)],
    ['/kv/tree/b', addKey],
    ['/kv/tree/?recurse', updateKey],
    ['/kv/tree/?recurse', addKey],
    ['/kv/tree/?recurse', deleteOf('kv', key)],
    ['/kv/tree/?recurse', { table: 'kv', op: 'delete-tree', namespace: DEFAULT_NAMESPACE, prefix: 'tree/' }],
    ['/kv/?keys', addKey],
    ['/kv/?keys', deleteOf('kv', key)],
    ['/kv/?keys&separator=/', putOf('kv', aKey({ Key: 'other/a' }))],
  ],
}

/** Gateways cannot be configured. */
const ALWAYS_EMPTY: readonly string[] = ['catalog.gatewayServices', 'health.ingress']

/** The reads of a blocking endpoint. Default: the record of its resource, or the list. */
function readsOf(name: EndpointName): readonly Read[] {
  const own = READS[name]
  if (own) return own
  const { path, blocking }: Endpoint = endpoint(name)
  const change = blocking && CHANGES[blocking]
  invariant(change, `CHANGES has a change for ${name}`)
  return [[path.replace(/:\w+/, () => IN_PATH[name.split('.')[0] ?? ''] ?? ''), change]]
}

/** Turns without the event loop, so that flushing promises completes everything that a change causes. */
const turns = { next: async () => {} }

async function aFilledWorld(): Promise<World> {
  const world = await aWorld({ turns, edition: 'extended', version: '1.10.12' })
  world.store.commitNow([putOf('policies', policy), putOf('roles', role), putOf('namespaces', namespace)])
  world.store.commitNow([putOf('tokens', token), putOf('tokens', legacy)])
  world.store.commitNow([putOf('authMethods', method), putOf('authMethods', free)])
  world.store.commitNow([putOf('bindingRules', rule)])
  world.store.commitNow([putOf('kv', key)])
  world.store.commitNow([
    putOf('nodes', node),
    putOf('nodes', emptyNode),
    putOf('services', service),
    putOf('checks', check),
  ])
  world.store.commitNow([putOf('coordinates', coordinate), putOf('system', areaRecord)])
  world.store.commitNow([putOf('intentions', intention), putOf('intentionDestinations', destination)])
  return world
}

const READING = [
  ...['refresh', 'directory', 'catalog', 'tableIndex', 'commitIndex', 'changesAfter', 'tokenByAccessor'],
  ...['tokenBySecret', 'tokens', 'tokensChangedAfter', 'kvEntry', 'kvEntries', 'kvKeys', 'wait'],
] as const satisfies readonly (keyof Store)[]

interface Interleaving {
  /** Number of the store call, from 0, starting now. */
  readonly at: number
  readonly side: 'before' | 'after'
}

/** @returns a function that returns whether the change has happened. */
function interleave({ store }: World, { at, side }: Interleaving, change: Change): () => boolean {
  let calls = 0
  let hasHappened = false
  const { memory } = store
  const happen = () => {
    hasHappened = true
    for (const method of READING) Reflect.deleteProperty(store, method)
    Object.assign(store, { memory })
    store.commitNow([change])
  }
  const beside = <A extends unknown[], R>(own: (...args: A) => R) => {
    return (...args: A): R => {
      const isNow = !hasHappened && calls === at
      calls += 1
      if (isNow && side === 'before') happen()
      const result = own(...args)
      if (isNow && side === 'after') happen()
      return result
    }
  }
  for (const method of READING) {
    const own = store[method].bind(store) as (...args: unknown[]) => unknown
    Object.assign(store, { [method]: beside(own) })
  }
  const { freshness, tokenByAccessor, tokenBySecret } = memory
  Object.assign(store, {
    memory: {
      freshness: beside(freshness),
      tokenByAccessor: beside(tokenByAccessor),
      tokenBySecret: beside(tokenBySecret),
    },
  })
  return () => hasHappened
}

const ANSWERS_MAX = 2

/**
 * Watches a path, like a client that always sends its last index, until a query waits.
 *
 * @returns the last answer, and a function that ends the query.
 */
async function watch(world: World, path: string, first: Reply, secretId: string) {
  let known = first
  for (let answers = 0; ; answers += 1) {
    expect(answers).toBeLessThanOrEqual(ANSWERS_MAX)
    const query = `${path.includes('?') ? '&' : '?'}index=${known.headers['X-Service-Index']}`
    const held = await ask(world, path + query, secretId)
    if (!held.reply) return { known, leave: held.leave }
    known = held.reply
  }
}

/** A query, and its reply if it arrives without time passing. */
async function ask(world: World, path: string, secretId: string) {
  const leaving = new AbortController()
  let reply: Reply | undefined
  const asked = world.ask('GET', path, { token: secretId, signal: leaving.signal }).then((answer) => {
    reply = answer
  })
  await settle()
  return {
    get reply() {
      return reply
    },
    leave: () => {
      leaving.abort()
      return asked
    },
  }
}

const shownIn = ({ status, text }: Reply) => ({ status, text })

describe('COH-06: a change before or after any store call reaches the watcher', () => {
  const blocking = (Object.keys(ENDPOINTS) as EndpointName[]).filter((name) => {
    // `changes` answers changes, not a state: `changes.test.ts` tests it.
    const { blocking }: Endpoint = endpoint(name)
    return blocking && blocking !== 'changes' && !ALWAYS_EMPTY.includes(name)
  })

  test('only blocking endpoints have reads', () => {
    expect(blocking).toEqual(expect.arrayContaining(Object.keys(READS)))
  })

  const cases = blocking.flatMap((name) =>
    readsOf(name).flatMap(([path, change]) =>
      (['the first read', 'the wait'] as const).map(
        (phase) => [name, path, change.op, phase, change] as const,
      ),
    ),
  )
  test.each(cases)('%s: GET %s, %s during %s', async (name, path, _op, phase, change) => {
    const secretId = name === 'tokens.self' ? token.SecretID : MANAGEMENT
    let interleavings = 0
    for (const side of ['before', 'after'] as const) {
      for (let at = 0; ; at += 1) {
        const world = await aFilledWorld()
        const start = () => interleave(world, { at, side }, change)
        const early = phase === 'the first read' ? start() : undefined
        const first = await world.ask('GET', path, { token: secretId })
        if (!READS[name]) expect(first.status, 'the path is that of a record').toBe(200)
        const hasHappened = early ?? start()
        const { known, leave } = await watch(world, path, first, secretId)
        // No further store calls: all interleavings are done.
        const isDone = !hasHappened()
        await leave()
        if (isDone) break
        interleavings += 1
        const stored = await world.ask('GET', path, { token: secretId })
        expect(shownIn(known), `${side} call ${at}`).toEqual(shownIn(stored))
      }
    }
    expect(interleavings).toBeGreaterThanOrEqual(4)
  })
})

describe('COH-06: what a client has is never inferred from an answer that it did not get', () => {
  test.each(['link', 'rule'])(
    'rights gained by a %s between an answer and the wait: the next change of the table is news',
    async (way) => {
      const world = await aFilledWorld()
      const secretId = await world.secretWith('key_prefix "tree/" { policy = "read" }')
      const granted = await world.policy({ Name: 'granted', Rules: 'key_prefix "more/" { policy = "read" }' })
      world.store.commitNow([putOf('kv', aKey({ Key: 'more/a' }))])
      const first = await world.ask('GET', '/kv/?keys', { token: secretId })
      expect(first.json).toEqual(['tree/a'])
      const caller = (await world.store.tokenBySecret(secretId)) ?? expect.fail('no caller')
      const own = world.store.directory().policy(caller.Policies[0]?.ID ?? '') ?? expect.fail('no policy')
      world.store.commitNow([
        way === 'link'
          ? putOf('tokens', { ...caller, Policies: [...caller.Policies, { ID: granted.ID }] })
          : putOf('policies', { ...own, Rules: `${own.Rules}\n${granted.Rules}` }),
      ])
      const held = await ask(world, `/kv/?keys&index=${first.headers['X-Service-Index']}`, secretId)
      expect(held.reply).toBeUndefined()
      world.store.commitNow([putOf('kv', aKey({ Key: 'unseen' }))])
      await settle()
      expect(held.reply?.json).toEqual(['more/a', 'tree/a'])
    },
  )

  test("an answer older than the client's: the next change is news", async () => {
    const world = await aFilledWorld()
    const secretId = await world.secretWith('key_prefix "tree/" { policy = "read" }')
    const change = (Key: string) => world.store.commitNow([putOf('kv', aKey({ Key }))])
    // The rights are older than the index, so the answer at an index is exact.
    change('unseen 1')
    const first = await world.ask('GET', '/kv/?keys', { token: secretId })
    const held = await ask(world, `/kv/?keys&index=${Number(first.headers['X-Service-Index']) + 1}`, secretId)
    expect(held.reply).toBeUndefined()
    change('unseen 2')
    change('unseen 3')
    await settle()
    expect(held.reply?.json).toEqual(first.json)
  })

  test('a token that expires between an answer and the wait, and is then reaped: its removal is news', async () => {
    const world = await aFilledWorld()
    const made = await world.token({ Policies: [{ ID: policy.ID }], ExpirationTTL: '60s' })
    const path = `/acl/tokens?policy=${policy.ID}`
    const first = await world.ask('GET', path, { token: MANAGEMENT })
    expect(first.text).toContain(made.AccessorID)
    await world.clock.advance(60_000)
    const held = await ask(world, `${path}&index=${first.headers['X-Service-Index']}`, MANAGEMENT)
    expect(held.reply).toBeUndefined()
    const stored = (await world.store.tokenByAccessor(made.AccessorID)) ?? expect.fail('it is gone')
    world.store.commitNow([deleteOf('tokens', stored)])
    await settle()
    expect(held.reply?.text).not.toContain(made.AccessorID)
  })

  test('stale reads from a store ahead of the local indexes: the change that they showed is news', async () => {
    const world = await aFilledWorld()
    const [path, secretId] = [`/acl/tokens?policy=${policy.ID}&stale`, MANAGEMENT]
    const ahead = await aFilledWorld()
    ahead.store.commitNow([updateToken])
    const elsewhere: Store = Object.assign(Object.create(world.store), {
      tokens: ahead.store.tokens.bind(ahead.store),
    })
    const first = await world.ask('GET', path, { token: secretId })
    Object.assign(world.store, { stale: elsewhere })
    const reader = await aWorld({ turns, edition: 'extended', version: '1.10.12', twinOf: world })
    const held = await ask(reader, `${path}&index=${first.headers['X-Service-Index']}`, secretId)
    expect(held.reply).toBeUndefined()
    world.store.commitNow([updateToken])
    await settle()
    expect(held.reply?.text).toContain('changed')
  })
})

/** A proxy for `web`, and changes that each change some answers, of one table or of several. */
const proxy = aService({
  ID: 'proxy',
  Service: 'sidecar',
  Kind: 'connect-proxy',
  Proxy: { DestinationServiceName: 'Web' },
})
const twin = { ...proxy, ID: 'proxy-2' }
const proxyCheck = aCheck({ CheckID: 'proxy', ServiceID: proxy.ID, Status: 'passing' })
const session = aSession({ ID: anId(0x5e56) })
const other = anIntention({ SourceName: 'any', DestinationName: 'orders' })
const POOL: Readonly<Record<string, readonly Change[]>> = {
  'a token': [updateToken],
  'a deleted token': [deleteOf('tokens', token)],
  'a policy': [putOf('policies', { ...policy, Rules: 'acl = "write"' })],
  'the name of a policy': [putOf('policies', { ...policy, Name: 'renamed' })],
  'a deleted policy': [deleteOf('policies', policy)],
  'a role': [putOf('roles', { ...role, Policies: [] })],
  'the name of a role': [putOf('roles', { ...role, Name: 'renamed' })],
  'a deleted role': [deleteOf('roles', role)],
  'a namespace': [updateNamespace],
  'an auth method': [updateMethod],
  'a deleted auth method': [deleteOf('authMethods', free)],
  'a legacy token': [updateLegacy],
  'a binding rule': [updateRule],
  'a deleted binding rule': [deleteOf('bindingRules', rule)],
  'an intention': [updateIntention],
  'a new intention': [putOf('intentions', other)],
  'a deleted intention': [deleteOf('intentions', intention)],
  'the Meta of a destination': [
    putOf('intentionDestinations', { ...destination, Meta: { a: 'b' } }),
    updateIntention,
  ],
  'a key': [updateKey],
  'a new key': [addKey],
  'a deleted key': [deleteOf('kv', key)],
  'a node': [updateNode],
  'the Meta of a node': [putOf('nodes', { ...node, Meta: { rack: 'r2' } })],
  'the spelling of a node': [putOf('nodes', { ...node, Node: 'NODE-1' })],
  'a new node': [putOf('nodes', aNode({ Node: 'new', ID: anId(0xf) }))],
  'a deleted node': [deleteOf('nodes', emptyNode)],
  'a service': [updateService],
  'a new service': [putOf('services', aService({ ID: 'db', Service: 'db' }))],
  'a new instance': [addService],
  'the tags of a service': [putOf('services', { ...service, Tags: ['other'] })],
  'the name of a service': [putOf('services', { ...service, Service: 'db' })],
  'the spelling of a service': [putOf('services', { ...service, Service: 'WEB' })],
  'a service that is no longer native': [putOf('services', { ...service, Connect: {} })],
  'a deleted service': [deleteOf('checks', check), deleteOf('services', service)],
  'a check': [updateCheck],
  'a new check of a node': [addCheck],
  'a deleted check': [deleteOf('checks', check)],
  'a new proxy': [putOf('services', { ...twin, ID: 'proxy-3', Service: 'other-sidecar' })],
  'a new proxy of a known name': [putOf('services', { ...twin, ID: 'proxy-3' })],
  'a new proxy of another service': [
    putOf('services', { ...twin, ID: 'db-proxy', Proxy: { DestinationServiceName: 'db' } }),
  ],
  'a proxy': [putOf('services', { ...proxy, Port: 1 })],
  'the destination of a proxy': [putOf('services', { ...proxy, Proxy: { DestinationServiceName: 'db' } })],
  'a check of a proxy': [putOf('checks', { ...proxyCheck, Status: 'critical' })],
  'one deleted proxy': [deleteOf('services', twin)],
  'all proxies deleted': [
    deleteOf('checks', proxyCheck),
    deleteOf('services', proxy),
    deleteOf('services', twin),
  ],
  'a coordinate': [updateCoordinate],
  'a network area': [updateArea],
  'a new session': [addSession],
  'a deleted session': [deleteOf('sessions', session)],
}

/** Tokens and roles show the names of what they link, but only their own changes are news: decisions, blocking queries. */
function isOfLink(name: EndpointName, path: string, what: string): boolean {
  if (path.endsWith('?expanded')) return false
  return name.startsWith('tokens.')
    ? / (policy|role)$/.test(what)
    : name.startsWith('roles.') && / policy$/.test(what)
}

const MORE: { readonly [N in EndpointName]?: readonly string[] } = {
  'catalog.services': ['/catalog/services?node-meta=rack:r2'],
  'catalog.connect': ['/catalog/connect/db', '/catalog/connect/web?tag=other'],
  'health.connect': ['/health/connect/db', '/health/connect/web?passing'],
  'health.checks': ['/health/checks/db', '/health/checks/web?node-meta=rack:r2', '/health/checks/sidecar'],
  'health.state': ['/health/state/any', '/health/state/any?node-meta=rack:r2'],
}

describe('COH-06: whatever changes an answer wakes its watcher, with a higher index', () => {
  const paths = (Object.keys(ENDPOINTS) as EndpointName[]).flatMap((name) => {
    const { blocking }: Endpoint = endpoint(name)
    if (!blocking || blocking === 'changes' || ALWAYS_EMPTY.includes(name)) return []
    return [...new Set([...readsOf(name).map(([path]) => path), ...(MORE[name] ?? [])])].map(
      (path) => [name, path] as const,
    )
  })

  test.each(paths)('%s: GET %s', async (name, path) => {
    const secretId = name === 'tokens.self' ? token.SecretID : MANAGEMENT
    const missed: string[] = []
    let changed = 0
    for (const [what, changes] of Object.entries(POOL)) {
      const world = await aFilledWorld()
      world.store.commitNow([putOf('sessions', session)])
      world.store.commitNow([putOf('services', proxy), putOf('services', twin), putOf('checks', proxyCheck)])
      const first = await world.ask('GET', path, { token: secretId })
      const { known, leave } = await watch(world, path, first, secretId)
      const index = Number(known.headers['X-Service-Index'])
      const held = await ask(world, `${path}${path.includes('?') ? '&' : '?'}index=${index}`, secretId)
      expect(held.reply).toBeUndefined()
      world.store.commitNow(changes)
      await settle()
      const stored = await world.ask('GET', path, { token: secretId })
      const { reply } = held
      await Promise.all([leave(), held.leave()])
      if (stored.text === known.text && stored.status === known.status) continue
      if (isOfLink(name, path, what)) continue
      changed += 1
      if (reply?.text !== stored.text) missed.push(`${what}: not woken`)
      else if (Number(reply.headers['X-Service-Index']) <= index) missed.push(`${what}: the same index`)
    }
    expect(missed).toEqual([])
    // The only token of this method is an orphan.
    if (path !== '/acl/tokens?authmethod=kube') expect(changed).toBeGreaterThan(0)
  })
})
