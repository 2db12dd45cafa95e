/**
 * FUZ-02, FUZ-03, API-02: generated requests against the whole service in memory. `LATCHKEY_FUZZ` sets their number,
 * `LATCHKEY_SEED` replays a run.
 */
import { ACL_ERRORS, type AclErrorCode, endpoint, routeOf, statusOf } from '@latchkey/contract'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import type { Known, RandomRequest } from '@latchkey/testkit/service/random-request'
import { ODD_TEXTS, randomRequest } from '@latchkey/testkit/service/random-request'
import type { Reply, World, WorldOptions } from '@latchkey/testkit/service/world'
import { aWorld, endIntentionsMigration, MANAGEMENT } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'
import type { MemorySnapshot } from '../src/store/memory-store.ts'

const REQUESTS = fuzzCount(12_000)
/** A world with more records is reset. */
const RECORDS_MAX = 150

/** The newest version is the most frequent. */
const WORLDS: readonly WorldOptions[] = [
  {},
  {},
  { edition: 'extended', defaultPolicy: 'allow' },
  { version: '1.10.12', edition: 'extended' },
  { version: '1.6.3' },
  { version: '0.9.3' },
]

interface Scene {
  readonly world: World
  readonly known: Known
  readonly start: MemorySnapshot
  /** Callers that must not see the secrets of others. */
  readonly readers: ReadonlySet<string>
  /** Public texts that legacy tokens may have as their secret. */
  readonly publicTexts: ReadonlySet<string>
}

async function aScene(options: WorldOptions): Promise<Scene> {
  // Created at a version with every API, and served at the requested one.
  const newest = await aWorld({ ...options, version: '1.10.12' })
  const policy = await newest.policy({
    Name: 'reader',
    Rules: 'acl = "read"\nkey_prefix "" { policy = "read" }',
  })
  const role = await newest.role({ Name: 'ops', Policies: [{ ID: policy.ID }] })
  if (options.edition === 'extended') await newest.manage('PUT', '/namespace', { Name: 'team' })
  const tokens = [
    await newest.token(),
    await newest.token({ Roles: [{ ID: role.ID }], Local: true }),
    await newest.token({ ExpirationTTL: '2h', ServiceIdentities: [{ ServiceName: 'web' }] }),
  ]
  await newest.manage('PUT', '/acl/create', { ID: 'legacy', Rules: 'key "" { policy = "read" }' })
  const reader = await newest.secretWith(
    'acl = "read"\noperator = "read"\nkey_prefix "" { policy = "write" }',
  )
  endIntentionsMigration(newest)
  const start = newest.store.snapshot()
  const world = await aWorld({ ...options, seed: 2 })
  world.store.restore(start)
  const known: Known = {
    accessors: tokens.map(({ AccessorID }) => AccessorID),
    policyIds: [policy.ID],
    roleIds: [role.ID],
    secrets: [
      MANAGEMENT,
      MANAGEMENT,
      MANAGEMENT,
      reader,
      'legacy',
      ...tokens.map(({ SecretID }) => SecretID),
    ],
  }
  const publicTexts = new Set([...ODD_TEXTS, ...known.accessors, ...known.policyIds, ...known.roleIds])
  return { world, known, start, readers: new Set([reader]), publicTexts }
}

test(`FUZ-02, FUZ-03, API-02: ${REQUESTS} requests: no 5xx, no change by a refused request, no undeclared answer, no leaked secret`, {
  timeout: 7_200_000,
}, async () => {
  const random = new SeededRandom(chooseSeed('FUZ-02 FUZ-03'))
  const scenes = await Promise.all(WORLDS.map(aScene))
  const statuses = new Map<number, number>()
  const codes = new Set<string>()
  for (let left = REQUESTS; left > 0; left -= 1) {
    const scene = random.pick(scenes)
    const { world, known, start } = scene
    const request = randomRequest(random, known)
    const before = world.store.snapshot()
    const describe = () => JSON.stringify({ ...request, body: request.body?.toString().slice(0, 2_000) })
    const reply = await answerOf(world, request).catch((error: unknown) => {
      throw new Error(`broke on ${describe()}`, { cause: error })
    })
    const problem = whatIsWrong(scene, reply, request) ?? whatChanged(reply, before, world)
    if (problem !== undefined)
      expect.fail(`${problem}: ${describe()} → ${reply.status} ${reply.text.slice(0, 500)}`)
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
    if (reply.code !== undefined) codes.add(reply.code)
    if (random.chance(0.002)) await world.clock.advance(random.below(600_000))
    const now = world.store.snapshot()
    const isWorn = sizeOf(now) > RECORDS_MAX || !now.tokens.has(MANAGEMENT) || random.chance(0.001)
    if (isWorn) world.store.restore(start)
  }
  console.log(`FUZ-02 FUZ-03: ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`)
  // The generator must reach enough successes and enough different refusals.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(REQUESTS * 0.15)
  expect(codes.size).toBeGreaterThan(REQUESTS < 20_000 ? 10 : 20)
})

test('the leak check finds a secret shown to a reader, and ignores a reader that got more rights', async () => {
  const { world, known, ...scene } = await aScene({ edition: 'extended' })
  const [reader = ''] = scene.readers
  const secret = known.secrets.at(-1) ?? ''
  const request = { method: 'GET', path: '/v1/acl/tokens', headers: { token: reader }, body: undefined }
  const found = (reply: Reply) => shownSecret({ world, known, ...scene }, reply, request)
  const list = () => world.ask('GET', '/acl/tokens', { token: reader })
  expect(found(await list())).toBeUndefined()
  expect(found({ ...(await list()), text: secret })).toBe(secret)
  const [ID = ''] = known.policyIds
  await world.manage('PUT', `/acl/policy/${ID}`, { Name: 'reader', Rules: 'acl = "write"' })
  await world.manage('PUT', '/namespace/default', { ACLs: { PolicyDefaults: [{ ID }] } })
  const shown = await list()
  expect(shown.text).toContain(secret)
  expect(found(shown)).toBeUndefined()
})

/** Advances the clock until a blocking query ends. */
async function answerOf(world: World, { method, path, headers, body }: RandomRequest): Promise<Reply> {
  let isDone = false
  const reply = world.ask(method, path, { headers, body }).finally(() => {
    isDone = true
  })
  // The caller handles a rejection; here it only ends the wait.
  reply.catch(() => {})
  if (path.includes('index')) {
    await world.clock.advance(0)
    if (!isDone) await world.clock.advance(700_000)
  }
  return reply
}

/** Refusals that are 404 without a word: of a key, and to clients of the family X-Consul-. */
const WORDLESS: ReadonlySet<string> = new Set([
  'not_found',
  'endpoint_unknown',
  'coordinates.node id_missing',
])

function whatIsWrong(scene: Scene, reply: Reply, request: RandomRequest): string | undefined {
  const { status, code, endpoint: name, text } = reply
  // A status such as the 503 of a health check is the answer, not a refusal.
  const isAnswer = code === undefined && name !== undefined && routeOf(name).otherStatuses?.includes(status)
  if (!isAnswer && ![200, 301].includes(status)) {
    if (status < 400) return 'an unknown status'
    if (code === undefined) return 'a refusal without a code'
    // To clients of the family X-Consul-, a caller's mistake may be 500.
    const own = ACL_ERRORS[code as AclErrorCode].status
    if (own >= 500 && own !== 501) return 'a 5xx'
    if (!statusesOf(code as AclErrorCode, name).includes(status)) return 'the status of another code'
    const isWordless = WORDLESS.has(code) || WORDLESS.has(`${name} ${code}`)
    if (text === '' && !isWordless) return 'a refusal without a word'
    if (text.length > 6_000) return 'a refusal too long to be read'
  }
  const undeclared = whatIsUndeclared(reply)
  if (undeclared !== undefined) return undeclared
  const secret = shownSecret(scene, reply, request)
  return secret === undefined ? undefined : `the secret ${JSON.stringify(secret)} is shown`
}

/** The statuses that a refusal may have, in either dialect. */
function statusesOf(code: AclErrorCode, name: Reply['endpoint']): readonly number[] {
  const route = name && routeOf(name)
  const keys = Object.keys(route?.referenceStatuses ?? {}).filter((key) => key.split(' ')[0] === code)
  const fields = ['', ...keys.map((key) => key.split(' ')[1] ?? '')]
  return [ACL_ERRORS[code].status, ...fields.map((field) => statusOf({ code, field }, 'reference', route))]
}

/** How a reply violates the contract of its endpoint. A world has no metrics of its own. */
function whatIsUndeclared({ endpoint: name, status, code, headers, text }: Reply): string | undefined {
  if (name === undefined) return undefined
  if (code !== undefined)
    return routeOf(name).refusals.includes(code as AclErrorCode) ? undefined : `${name} declares no ${code}`
  if (name === 'operations.metrics' || status !== 200 || headers['Content-Type'] !== 'application/json')
    return undefined
  const json: unknown = JSON.parse(text)
  const parsed = routeOf(name).schemas.answer.safeParse(json)
  if (!parsed.success) return `${name} declares another answer: ${parsed.error.message}`
  // If the schema lacks a field, it is missing from the parsed data.
  expect(parsed.data, name).toEqual(json)
  return undefined
}

/**
 * A secret that a caller without acl:write sees and did not send itself. Keys and values may be any text. A caller whose
 * token, policy or namespace defaults were changed is not a reader until the scene is reset.
 */
function shownSecret(
  { world, start, readers, publicTexts }: Scene,
  { endpoint, text }: Reply,
  { path, headers, body = '' }: RandomRequest,
): string | undefined {
  const presented = Object.values(headers).map((value) => value.split(' ').at(-1) ?? '')
  const { tokens, policies, namespaces } = world.store.snapshot()
  const isReader = (secret: string) => {
    const token = start.tokens.get(secret)
    if (!token || !readers.has(secret) || tokens.get(secret) !== token) return false
    if (namespaces.get(token.Namespace) !== start.namespaces.get(token.Namespace)) return false
    return token.Policies.every(({ ID }) => policies.get(ID) === start.policies.get(ID))
  }
  if (!presented.some(isReader) || endpoint?.startsWith('kv.')) return undefined
  const sent = `${path} ${typeof body === 'string' ? body : ''}`
  for (const secret of tokens.keys()) {
    const isShown = secret.length > 10 && text.includes(secret) && !sent.includes(secret)
    // A mutated body may have turned part of another text into a secret.
    if (isShown && ![...publicTexts, ...readers].some((known) => known.includes(secret))) return secret
  }
  return undefined
}

/** Compares records by identity, because they are immutable. */
function whatChanged(reply: Reply, before: MemorySnapshot, world: World): string | undefined {
  const asked = reply.endpoint === undefined ? 'GET' : endpoint(reply.endpoint).method
  const mayChange = reply.status === 200 && (asked === 'PUT' || asked === 'DELETE')
  if (mayChange) return undefined
  const after = world.store.snapshot()
  for (const table of Object.keys(before) as (keyof MemorySnapshot)[]) {
    if (before[table].size !== after[table].size) return `${table} has another size`
    for (const [key, record] of before[table]) {
      if (after[table].get(key) !== record) return `${table} has another record`
    }
  }
  return undefined
}

function sizeOf(snapshot: MemorySnapshot): number {
  return Object.values(snapshot).reduce((sum, table) => sum + table.size, 0)
}
