/**
 * Records an example for each endpoint, for the API description: requests to mock services, which are the service itself
 * with fixed time and randomness, and their answers. Each function below is one service and its story.
 */
import { join } from 'node:path'
import {
  buildPath,
  HEADER,
  HEADER_PREFIX_DEFAULT,
  ROUTE_LIST,
  type RouteName,
  routeOf,
} from '@latchkey/contract'
import { generate } from '@latchkey/tools/build/generated'
import { createMockService, type MockServiceOptions } from '../src/index.ts'

interface Asked {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: unknown
  /** Default: the management token. */
  readonly token?: string
  /** The name of one of several answers. */
  readonly as?: string
  /** The heading of one of several answers. */
  readonly summary?: string
  /** Shown instead of the answer, which is too long, binary or empty in a mock service. */
  readonly shown?: unknown
}

interface Example {
  readonly path: string
  body?: unknown
  readonly answers: Record<string, { readonly summary?: string; readonly value: unknown }>
}

const examples: Partial<Record<RouteName, Example>> = {}

// biome-ignore lint/suspicious/noExplicitAny: the stories know what they asked for.
type Answer = any

/** A mock service, each of whose answers is kept as an example. Time passes with each request. */
function recorder(options: MockServiceOptions = {}) {
  const service = createMockService({ clock: '2026-01-31T12:00:00Z', randomSeed: 7, ...options })
  let management = service.managementToken
  const send = async (name: RouteName, asked: Asked = {}): Promise<{ path: string; value: Answer }> => {
    const { params = {}, query, body, token = management } = asked
    const path = `/v1${buildPath(name, params)}${query === undefined ? '' : `?${query}`}`
    service.clock.advance('250ms')
    const response = await service.fetch(service.baseUrl + path, {
      method: routeOf(name).method,
      headers: { [HEADER_PREFIX_DEFAULT + HEADER.token]: token },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    const value: Answer = isJson ? await response.json() : await response.text()
    if (!response.ok && response.status !== 409) throw new Error(`${name}: ${JSON.stringify(value)}`)
    if (name === 'tokens.bootstrap') management = value.SecretID
    return { path, value }
  }
  return {
    service,
    /** Prepares what a later example needs. */
    make: async (name: RouteName, asked?: Asked) => (await send(name, asked)).value,
    /** Keeps the first body and every answer. */
    ask: async (name: RouteName, asked: Asked = {}): Promise<Answer> => {
      const { path, value } = await send(name, asked)
      const { body, as = 'example', summary, shown = value } = asked
      examples[name] ??= { path, ...(body === undefined ? {} : { body }), answers: {} }
      examples[name].answers[as] = { ...(summary === undefined ? {} : { summary }), value: shown }
      return value
    },
  }
}

/** An example of what no mock service can do. */
function invent(name: RouteName, value: unknown, asked: Pick<Asked, 'params' | 'body'> = {}): void {
  const { params, body } = asked
  const path = `/v1${buildPath(name, params)}`
  examples[name] = { path, ...(body === undefined ? {} : { body }), answers: { example: { value } } }
}

const RULES = 'key_prefix "orders/" {\n  policy = "read"\n}\nservice "orders" {\n  policy = "read"\n}\n'
const MORE_RULES = RULES.replace('service "orders"', 'key_prefix "returns/"')

async function access(): Promise<void> {
  const { ask, make } = recorder({ managementToken: false })
  await ask('tokens.bootstrap')
  const policy = { Name: 'orders-read', Description: 'Read the orders', Rules: RULES }
  const { ID: policyId } = await ask('policies.create', { body: policy })
  await ask('policies.read', { params: { ID: policyId } })
  await ask('policies.readByName', { params: { Name: 'orders-read' } })
  await ask('policies.lint', { body: { Rules: 'key "orders/*" { policy = "read" }' } })
  await ask('policies.list')
  const role = {
    Name: 'shop',
    Description: 'What every part of the shop may do',
    Policies: [{ Name: 'orders-read' }],
    ServiceIdentities: [{ ServiceName: 'shop' }],
  }
  const { ID: roleId } = await ask('roles.create', { body: role })
  await ask('roles.read', { params: { ID: roleId } })
  await ask('roles.readByName', { params: { Name: 'shop' } })
  await ask('roles.list')

  const { AccessorID, SecretID } = await ask('tokens.create', {
    body: {
      Description: 'shop-web',
      Policies: [{ Name: 'orders-read' }],
      Roles: [{ Name: 'shop' }],
      ServiceIdentities: [{ ServiceName: 'shop-web', Datacenters: ['dc1'] }],
      NodeIdentities: [{ NodeName: 'node-1', Datacenter: 'dc1' }],
      ExpirationTTL: '8h',
    },
  })
  const params = { AccessorID }
  await ask('tokens.self', { token: SecretID })
  const read = { Resource: 'key', Segment: 'orders/1', Access: 'read' }
  const body = [read, { ...read, Access: 'write' }]
  await ask('decisions.authorize', { token: SecretID, body, as: 'plain' })
  await ask('decisions.authorize', {
    token: SecretID,
    query: 'explain',
    body,
    as: 'explain',
    summary: 'With explain',
  })
  await ask('decisions.whoCan', { body: read })
  await ask('tokens.read', { params, as: 'acl:write', summary: 'For a caller with acl:write' })
  await make('policies.create', { body: { Name: 'acl-read', Rules: 'acl = "read"' } })
  const reader = await make('tokens.create', { body: { Policies: [{ Name: 'acl-read' }] } })
  await ask('tokens.read', {
    params,
    token: reader.SecretID,
    as: 'acl:read',
    summary: 'For a caller with only acl:read',
  })
  const NodeIdentities = [{ NodeName: 'node-1', Datacenter: 'dc1' }]
  const node = await make('tokens.create', { body: { Description: 'node-1', NodeIdentities } })
  await ask('tokens.read', {
    params: { AccessorID: node.AccessorID },
    query: 'expanded',
    as: 'expanded',
    summary: 'With expanded',
  })
  await ask('tokens.list')
  await ask('policies.whatIf', { params: { ID: policyId }, body: { Rules: MORE_RULES } })
  await ask('roles.update', { params: { ID: roleId }, body: role })
  const changed = { ...policy, Description: 'Read orders and returns', Rules: MORE_RULES }
  await ask('policies.update', { params: { ID: policyId }, body: changed })
  const links = { Policies: [{ Name: 'orders-read' }] }
  await ask('tokens.update', { params, body: { Description: 'shop-web, second floor', ...links } })
  await ask('tokens.clone', { params, body: { Description: 'shop-worker' } })
  const { Index } = await ask('operations.changes')
  await ask('tokens.delete', { params })
  await ask('operations.changes', { query: `index=${Index}` })
  await ask('roles.delete', { params: { ID: roleId } })
  await ask('policies.delete', { params: { ID: policyId } })
}

async function store(): Promise<void> {
  const { ask, make } = recorder()
  const key = { params: { Key: 'orders/1' } }
  await make('kv.write', { params: { Key: 'orders/2' }, body: 'hello' })
  await ask('kv.write', { ...key, body: 'hello' })
  await ask('kv.read', { ...key, as: 'entry', summary: 'One key' })
  await ask('kv.read', { params: { Key: 'orders' }, query: 'keys', as: 'keys', summary: 'With keys' })
  await ask('kv.delete', key)
  const next = { params: { Key: 'orders/next' } }
  await make('kv.write', { ...next, body: '1' })
  const [{ ModifyIndex: Index }] = await make('kv.read', next)
  const body = [
    { KV: { Verb: 'check-index', Key: 'orders/next', Index } },
    { KV: { Verb: 'set', Key: 'orders/next', Value: 'Mg==' } },
  ]
  await ask('txn.apply', { body, as: 'made', summary: 'All operations are applied' })
  const refused = 'Status 409: one operation fails, so none is applied'
  await ask('txn.apply', { body, as: 'refused', summary: refused })

  const { ID } = await ask('sessions.create', { body: { Name: 'reindex', TTL: '15s' } })
  const params = { ID }
  await ask('sessions.info', { params })
  const [{ Node }] = await ask('sessions.list')
  await ask('sessions.node', { params: { Node } })
  await ask('sessions.renew', { params })
  await ask('sessions.destroy', { params })
}

async function logins(): Promise<void> {
  const { ask, service } = recorder()
  const method = {
    Name: 'ci',
    Type: 'jwt',
    DisplayName: 'Build pipelines',
    Description: 'Jobs of the build system',
    MaxTokenTTL: '15m',
    Config: {
      BoundAudiences: ['latchkey'],
      BoundIssuer: 'https://ci.example.com',
      ClaimMappings: { project: 'project', ref: 'ref' },
      JWKSURL: 'https://ci.example.com/.well-known/jwks.json',
      ListClaimMappings: { groups: 'groups' },
    },
  }
  const ci = { params: { Name: 'ci' } }
  await ask('authMethods.create', { body: method })
  await ask('authMethods.read', ci)
  await ask('authMethods.list')
  await ask('authMethods.update', { ...ci, body: { ...method, MaxTokenTTL: '30m' } })
  const rule = {
    Description: 'Deployments from main',
    AuthMethod: 'ci',
    Selector: 'value.ref == main and "deploy" in list.groups',
    BindType: 'service',
    BindName: '${value.project}-web',
  }
  const { ID } = await ask('bindingRules.create', { body: rule })
  const params = { ID }
  await ask('bindingRules.read', { params })
  await ask('bindingRules.list')
  await ask('bindingRules.update', { params, body: { ...rule, Description: 'Deployments' } })
  const claims = { project: 'shop', ref: 'main', groups: ['deploy'] }
  await ask('authMethods.explain', { ...ci, body: { Claims: claims } })
  const token = service.identityProvider.issue({
    sub: 'project:shop',
    claims: { iss: 'https://ci.example.com', aud: 'latchkey', ...claims },
  })
  const { SecretID } = await ask('login.login', {
    body: { AuthMethod: 'ci', BearerToken: token, Meta: { job: '1234' } },
  })
  await ask('authMethods.logins', ci)
  await ask('login.logout', { token: SecretID })
  await ask('bindingRules.delete', { params })
  await ask('authMethods.delete', ci)
}

async function extended(): Promise<void> {
  const { ask, make, service } = recorder({ edition: 'extended' })
  const body = { Name: 'team-a', Description: 'Everything of team A' }
  const params = { Name: 'team-a' }
  await ask('namespaces.create', { body })
  await ask('namespaces.read', { params })
  await ask('namespaces.update', { params, body: { Description: 'Team A' } })
  await ask('namespaces.list')
  await ask('namespaces.delete', { params })

  const area = { PeerDatacenter: 'dc2', RetryJoin: ['10.2.0.8'] }
  const { ID: uuid } = await ask('areas.create', { body: area })
  const inArea = { params: { uuid } }
  await ask('areas.list')
  await ask('areas.read', inArea)
  await ask('areas.join', { ...inArea, body: ['10.2.0.9', 'db-3.dc2.example.com:8500'] })
  const server = {
    Addr: '10.2.0.8',
    Port: 8500,
    Datacenter: 'dc2',
    Role: 'server',
    Build: '1.11',
    Protocol: 2,
  }
  const shown = [
    { ID: '5b9b5a1e-6b3f-4d0e-8b6d-0a4f4f4a4d11', Name: 'db-1.dc2', ...server, Status: 'alive', RTT: -1 },
  ]
  invent('areas.members', shown, inArea)
  await ask('areas.delete', inArea)

  const RedirectURI = 'http://localhost:8550/oidc/callback'
  const Config = {
    OIDCDiscoveryURL: 'https://login.example.com',
    OIDCClientID: 'latchkey',
    OIDCClientSecret: '5d1c',
    AllowedRedirectURIs: [RedirectURI],
  }
  await make('authMethods.create', { body: { Name: 'people', Type: 'oidc', MaxTokenTTL: '8h', Config } })
  await make('bindingRules.create', {
    body: { AuthMethod: 'people', BindType: 'service', BindName: 'shop-web' },
  })
  const start = { AuthMethod: 'people', RedirectURI, ClientNonce: '4f8a' }
  const { AuthURL } = await ask('login.authUrl', { body: start })
  const back = new URL(service.identityProvider.signIn(AuthURL)).searchParams
  await ask('login.callback', {
    body: { AuthMethod: 'people', State: back.get('state'), Code: back.get('code'), ClientNonce: '4f8a' },
  })
}

async function services(): Promise<void> {
  const { ask } = recorder()
  await ask('catalog.register', {
    body: {
      Node: 'db-1',
      ID: '5ad2b4e5-8f0e-4a0b-9d8e-3c1b2a4f6e70',
      Address: '10.0.0.7',
      NodeMeta: { rack: 'r1' },
      Service: { ID: 'web-1', Service: 'web', Tags: ['v2'], Port: 8080 },
      Check: {
        CheckID: 'web-alive',
        Name: 'web is alive',
        ServiceID: 'web-1',
        Status: 'passing',
        Output: 'all good',
      },
    },
  })
  const web = { params: { Service: 'web' } }
  const node = { params: { Node: 'db-1' } }
  await ask('catalog.nodes')
  await ask('catalog.services')
  for (const name of ['service', 'connect'] as const) await ask(`catalog.${name}`, web)
  for (const name of ['node', 'nodeServices'] as const) await ask(`catalog.${name}`, node)
  await ask('catalog.gatewayServices', { params: { Gateway: 'web' } })
  for (const name of ['checks', 'service', 'connect', 'ingress'] as const) await ask(`health.${name}`, web)
  for (const name of ['node', 'uiNode'] as const) await ask(`health.${name}`, node)
  for (const name of ['uiNodes', 'uiServices'] as const) await ask(`health.${name}`)
  await ask('health.state', { params: { State: 'passing' } })

  const coordinate = {
    Vec: [0.001, 0, 0, 0, 0, 0, 0, 0.002],
    Error: 0.2,
    Adjustment: 0.0001,
    Height: 0.00001,
  }
  await ask('coordinates.update', { body: { Node: 'db-1', Coord: coordinate } })
  await ask('coordinates.datacenters')
  await ask('coordinates.nodes')
  await ask('coordinates.node', node)

  await ask('catalog.deregister', { body: { Node: 'db-1', ServiceID: 'web-1' } })
}

async function intentions(): Promise<void> {
  const { ask } = recorder()
  const body = {
    SourceName: 'shop',
    DestinationName: 'orders',
    Action: 'allow',
    Description: 'The shop reads orders',
  }
  const { ID } = await ask('intentions.create', { body })
  const params = { ID }
  const query = 'source=shop&destination=orders'
  await ask('intentions.read', { params })
  await ask('intentions.list')
  await ask('intentions.match', { query: 'by=destination&name=orders' })
  await ask('intentions.check', { query })
  await ask('intentions.update', { params, body: { ...body, Action: 'deny' } })
  await ask('intentions.delete', { params })
  await ask('intentions.writeExact', { query, body: { Action: 'allow', Description: body.Description } })
  await ask('intentions.readExact', { query })
  await ask('intentions.deleteExact', { query })
  await ask('intentions.migration')
  const Sources = [{ Name: 'shop', Action: 'allow', Description: body.Description }]
  const orders = { params: { Name: 'orders' } }
  await ask('configEntries.write', { body: { Kind: 'service-intentions', Name: 'orders', Sources } })
  await ask('configEntries.read', orders)
  await ask('configEntries.list')
  await ask('configEntries.delete', orders)
}

async function server(): Promise<void> {
  const { ask } = recorder()
  const service = {
    ID: 'web-1',
    Name: 'web',
    Port: 8080,
    Tags: ['v2'],
    Check: { TTL: '30s', DeregisterCriticalServiceAfter: '10m' },
  }
  const web = { params: { ServiceID: 'web-1' } }
  const ttl = { params: { CheckID: 'service:web-1' } }
  await ask('agent.registerService', { body: service })
  for (const name of ['fail', 'warn', 'pass'] as const) await ask(`agentChecks.${name}`, ttl)
  await ask('agent.services')
  await ask('agent.service', web)
  await ask('agent.checks')
  await ask('agent.serviceHealth', web)
  await ask('agent.healthByName', { params: { ServiceName: 'web' } })
  await ask('agent.serviceMaintenance', { ...web, query: 'enable=true' })
  await ask('agent.maintenance', { query: 'enable=true' })
  await ask('agentChecks.update', { ...ttl, body: { Status: 'warning', Output: 'the queue grows' } })
  const check = {
    ID: 'web-http',
    Name: 'Home page of web',
    ServiceID: 'web-1',
    HTTP: 'http://10.0.0.7:8080/health',
    Interval: '10s',
    Timeout: '2s',
  }
  await ask('agentChecks.register', { body: check })
  await ask('agentChecks.deregister', { params: { CheckID: 'web-http' } })
  await ask('agent.deregisterService', web)
  for (const name of ['self', 'members', 'leader', 'peers', 'datacenters', 'replication'] as const) {
    await ask(`operations.${name}`)
  }
  const Timestamp = '2026-01-31 12:00:00 +0000 UTC'
  const Gauges = [{ Name: 'latchkey_waiters', Value: 3, Labels: {} }]
  await ask('operations.metrics', { shown: { Timestamp, Gauges, Points: [], Counters: [], Samples: [] } })
  await ask('operations.migration', {
    shown: {
      State: 'running',
      Done: 1_280,
      Total: 40_000,
      Batches: 10,
      TokensPerSecond: 128,
      EstimatedSeconds: 303,
      StartedAt: '2026-01-31T12:00:00Z',
      LastBatchAt: '2026-01-31T12:00:09Z',
    },
  })
  await ask('operator.raftConfiguration')
  await ask('operator.autopilotHealth')
  await ask('operator.readAutopilot')
  await ask('operator.writeAutopilot', { body: { CleanupDeadServers: false } })
  invent('operator.removePeer', '')
  await ask('operations.versions', { query: 'from=1.8.0&to=1.8.1' })
  await ask('operations.setReplicationToken', { body: { Token: 'a0e3f4b2-8d0c-4a5e-9f56-3a1c7d2b9e80' } })
  await ask('agentProcess.host', {
    shown: {
      Memory: { total: 8_589_934_592, available: 4_294_967_296, used: 4_294_967_296 },
      CPU: [{ cpu: 0, modelName: 'Example CPU', mhz: 2_400 }],
      Host: { hostname: 'node-1', os: 'linux', platform: 'linux', kernelVersion: '6.1.0', uptime: 86_400 },
      Disk: null,
      CollectionTime: 1_769_860_800_000_000_000,
      Errors: null,
    },
  })
  for (const name of ['reload', 'leave'] as const) await ask(`agentProcess.${name}`)
}

/** What a mock service refuses, because it is one process with its store in memory, and the document with all examples. */
function others(): void {
  const info = { title: 'Latchkey', version: '1.11' }
  invent('operations.openapi', { openapi: '3.1.1', info, paths: {} })
  const archive = '…'
  const Records = { token: 3, policy: 2, role: 1, kv: 12 }
  invent('snapshots.read', archive)
  invent('snapshots.restore', { Index: 1_000_042, SnapshotIndex: 42, Records }, { body: archive })
  invent('agentProcess.join', '', { params: { Address: '10.0.0.8' } })
  invent('agentProcess.forceLeave', '', { params: { Node: 'node-2' } })
  const Cluster = '0b7a3c1e-5f0d-4f5c-9a3e-2f1f6c1d8e70'
  invent('datacenters.accept', { Accepted: Cluster, PrimaryDatacenter: 'dc1' }, { body: { Cluster } })
}

async function datacenters(): Promise<void> {
  const primary = createMockService({ clock: '2026-01-31T12:00:00Z', randomSeed: 8 })
  const { ask } = recorder({
    baseUrl: 'https://dc2.latchkey.test',
    datacenter: 'dc2',
    primaryDatacenter: 'dc1',
    datacenters: { dc1: primary },
  })
  await ask('datacenters.promote', { body: { Datacenter: 'dc2', Force: true } })
}

async function legacy(): Promise<void> {
  const { ask, make } = recorder({ serviceVersion: '1.10' })
  const Rules = 'key "orders/" {\n  policy = "read"\n}\n'
  const body = { Name: 'old', Type: 'client', Rules }
  const id = await ask('legacy.create', { body })
  const params = { ID: id.ID }
  await ask('legacy.info', { params })
  const list = await ask('legacy.list')
  await ask('legacy.export')
  await ask('legacy.translate', { body: Rules })
  const tokens = await make('tokens.list')
  const { AccessorID } = tokens.find(({ Legacy }: Answer) => Legacy)
  await ask('legacy.translateToken', { params: { AccessorID } })
  await ask('legacy.update', { body: { ...body, ...id, Name: 'older' } })
  await ask('legacy.clone', { params })
  await ask('legacy.destroy', { params })
  await ask('legacy.import', { body: list.filter(({ ID }: Answer) => ID === id.ID) })
}

const stories = [access, store, logins, extended, services, intentions, server, datacenters, legacy]
for (const story of stories) await story()
others()
const inOrder = Object.fromEntries(ROUTE_LIST.map(({ name }) => [name, examples[name]]))
generate([
  {
    path: join(import.meta.dirname, '../../contract/src/generated/examples.ts'),
    text: `/** An example for each endpoint. Recorded by \`pnpm generate\`; see packages/mocks/scripts/record-examples.ts. */
import type { RecordedExample } from '../openapi/document.ts'
import type { RouteName } from '../routes.ts'

export const EXAMPLES: Readonly<Record<RouteName, RecordedExample>> = ${JSON.stringify(inOrder, null, 2)}
`,
  },
])
