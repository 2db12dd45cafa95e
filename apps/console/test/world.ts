/** A real server with records that look like those of a company, for journeys and screenshots. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@latchkey/sdk'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'

/** The secret of the management token of every world. */
export const SECRET = '7d1f3c52-5f3b-4a6e-9a43-2f1f7a1c9d10'

export interface World {
  readonly url: string
  readonly client: Client
  readonly server: RunningServer
  stop(): Promise<void>
}

/** Starts a server and fills it. */
export async function startWorld(env: Readonly<Record<string, string>> = {}): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-console-'))
  const server = await runServer({
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_INITIAL_MANAGEMENT_TOKEN: SECRET,
    LATCHKEY_LOG_LEVEL: 'warn',
    LATCHKEY_DRAIN_TIME: '0s',
    LATCHKEY_SHUTDOWN_TIMEOUT: '0s',
    ...env,
  })
  const client = createClient({ address: server.url, token: SECRET, env: false })
  await fill(client)
  if (env.LATCHKEY_EDITION === 'extended') await fillNamespaces(client)
  return {
    url: server.url,
    client,
    server,
    stop: async () => {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const rule = (kind: string, segment: string, policy: string) =>
  `${kind} "${segment}" {\n  policy = "${policy}"\n}\n`

const POLICIES: readonly (readonly [name: string, description: string, ...rules: string[]])[] = [
  [
    'orders-read',
    'Read the orders',
    rule('key_prefix', 'orders/', 'read'),
    rule('service', 'orders', 'read'),
  ],
  [
    ...(['shop-web', 'What the web shop needs', rule('key_prefix', 'shop/', 'read')] as const),
    rule('key', 'shop/theme', 'write'),
    rule('service_prefix', 'shop-', 'read'),
  ],
  [
    ...(['deploy', 'Deploys of all teams', rule('key_prefix', 'deploys/', 'write')] as const),
    rule('service_prefix', '', 'write'),
    rule('node_prefix', '', 'read'),
  ],
  [
    ...(['ops-read', 'Look at everything, change nothing', 'acl = "read"\noperator = "read"\n'] as const),
    ...['key_prefix', 'service_prefix', 'node_prefix'].map((kind) => rule(kind, '', 'read')),
  ],
  ['payments-deny', 'Keeps everyone out of payments', rule('key_prefix', 'payments/', 'deny')],
]

const check = (Status: string, Name: string, Output: string, ServiceID?: string) => ({
  ...{ CheckID: `${ServiceID ?? 'node'}-${Name}`, Name, Status, Output },
  ...(ServiceID === undefined ? {} : { ServiceID }),
})
const app1 = { Node: 'app-1', Address: '10.0.1.11' }
const down = 'HTTP 503 Service Unavailable\nno connection to the database'

const INSTANCES = [
  {
    ...{ ...app1, NodeMeta: { rack: 'r1', os: 'Debian 13' } },
    Service: { ID: 'orders-1', Service: 'orders', Port: 8080, Tags: ['v2', 'primary'] },
    Checks: [check('passing', 'Disk', '41 % used'), check('critical', 'Orders answer', down, 'orders-1')],
  },
  {
    ...{ Node: 'app-2', Address: '10.0.1.12' },
    Service: { ID: 'orders-2', Service: 'orders', Port: 8080, Tags: ['v2'] },
    Checks: [check('passing', 'Orders answer', 'HTTP 200 OK', 'orders-2')],
  },
  {
    ...app1,
    Service: { ID: 'shop-web', Service: 'shop-web', Port: 3000, Tags: ['v4'] },
    Checks: [check('warning', 'Latency', 'p99 is 840 ms', 'shop-web')],
  },
  {
    ...{ Node: 'db-3', Address: '10.0.2.3' },
    Service: { ID: 'postgres', Service: 'postgres', Port: 5432 },
    Checks: [check('passing', 'Replication', 'lag 0 s', 'postgres')],
  },
]

const INTENTIONS = [
  { SourceName: 'shop-web', DestinationName: 'orders', Action: 'allow', Description: 'Orders of the shop' },
  { SourceName: 'orders', DestinationName: 'postgres', Action: 'allow' },
  { SourceName: '*', DestinationName: 'postgres', Action: 'deny', Description: 'Only orders write orders' },
]

const SHOP = rule('key', 'shop/', 'read')

/** A dump of a legacy server, as `GET /v1/acl/list` answers it. */
export const DUMP = [
  ['secret-of-ops', 'Operations', 'management', ''],
  ['secret-of-web', 'Web servers', 'client', SHOP],
  ['secret-of-app', 'App servers', 'client', SHOP],
  ['secret-of-ci', 'Builds', 'client', `${rule('service', '', 'write')}acl = "write"\n`],
  ['secret-of-ci', 'Builds, copied', 'client', ''],
].map(([ID, Name, Type, Rules]) => ({ ID, Name, Type, Rules }))

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PUBLIC_KEY = publicKey.export({ type: 'spki', format: 'pem' }).toString()

const KEYS = {
  'deploys/shop-web/version': '4.18.2',
  'orders/limits/open': '250',
  'shop/theme': '{"name":"harbour","accent":"#0b5d51","fonts":["Inter","Georgia"],"snow":false}',
  'shop/currency': 'EUR',
  'shop/features/search': 'on',
  motd: 'Release freeze from 18:00',
} as const

/** The first holds two keys. */
const SESSIONS = {
  export: { Name: 'Order export', Node: 'app-1', TTL: '24h', NodeChecks: ['node-Disk'], LockDelay: '90s' },
  idle: { Node: 'db-3', Behavior: 'delete', LockDelay: 0 },
} as const

async function fill(client: Client): Promise<void> {
  for (const [Name, Description, ...rules] of POLICIES) {
    await client.policies.create({ Name, Description, Rules: rules.join('') })
  }
  await client.roles.create({
    Name: 'shop',
    Description: 'The web shop and its workers',
    Policies: [{ Name: 'shop-web' }, { Name: 'orders-read' }],
    ServiceIdentities: [{ ServiceName: 'shop-web' }],
  })
  await client.roles.create({
    Name: 'on-call',
    Description: 'People on call',
    Policies: [{ Name: 'ops-read' }, { Name: 'payments-deny' }],
  })
  const tokens = [
    { Description: 'Web shop, production', Roles: [{ Name: 'shop' }] },
    { Description: 'Web shop, staging', Roles: [{ Name: 'shop' }], Policies: [{ Name: 'payments-deny' }] },
    { Description: 'Deploys from CI', Policies: [{ Name: 'deploy' }], ExpirationTTL: '45m' },
    { Description: 'Ada Lovelace, on call', Roles: [{ Name: 'on-call' }], ExpirationTTL: '8h' },
    { Description: 'Order export, nightly', Policies: [{ Name: 'orders-read' }], ExpirationTTL: '23h' },
    { Description: 'Inventory service', ServiceIdentities: [{ ServiceName: 'inventory' }], Local: true },
    { Description: 'Node agent of db-3', NodeIdentities: [{ NodeName: 'db-3', Datacenter: 'dc1' }] },
    { Description: '' },
  ]
  for (const token of tokens) await client.tokens.create(token)
  for (const [key, value] of Object.entries(KEYS)) await client.kv.put(key, value)
  await client.authMethods.create({
    Name: 'ci',
    Type: 'jwt',
    Description: 'Builds of the CI',
    MaxTokenTTL: '15m',
    Config: { JWTValidationPubKeys: [PUBLIC_KEY], ClaimMappings: { project: 'project' } },
  })
  for (const bound of [
    { BindType: 'role', BindName: '${value.project}', Selector: 'value.project == "shop"' },
    { BindType: 'service', BindName: 'ci-${value.project}', Description: 'Builds register themselves' },
  ]) {
    await client.bindingRules.create({ AuthMethod: 'ci', ...bound })
  }
  for (const instance of INSTANCES) await client.catalog.register(instance)
  for (const intention of INTENTIONS) await client.intentions.create(intention)
  const { ID } = await client.sessions.create(SESSIONS.export)
  for (const key of ['orders/export/leader', 'orders/export/cursor']) await client.kv.acquire(key, ID)
  await client.sessions.create(SESSIONS.idle)
}

/** Namespaces, of which one has defaults. */
async function fillNamespaces(client: Client): Promise<void> {
  await client.namespaces.create({ Name: 'team-a', Description: 'Everything of team A' })
  await client.namespaces.create({ Name: 'team-b' })
  const teamA = client.withNamespace('team-a')
  await teamA.policies.create({ Name: 'team-read', Rules: rule('key_prefix', '', 'read') })
  await teamA.tokens.create({ Description: 'Reports of team A', Policies: [{ Name: 'team-read' }] })
  await client.namespaces.update('team-a', {
    Description: 'Everything of team A',
    ACLs: { PolicyDefaults: [{ Name: 'team-read' }] },
  })
}
