/** The attacks, with and without a token. Each runs until its time is up. */
import { limits } from '@latchkey/contract'
import { anId } from '@latchkey/testkit/records/record-builders'
import { many } from '@latchkey/testkit/rules/long-texts'
import { MANAGEMENT } from '../shared-env.ts'
import { bytesOf, type Field, type FloodOptions, flood, type HostileRequest, hold } from './clients.ts'

export { MANAGEMENT }
/** `acl = "read"`. */
export const READER = 'b0000000-0000-4000-8000-00000000000b'
/** A token that may read and write the keys below `narrow/`, and nothing else. */
export const NARROW = 'c0000000-0000-4000-8000-00000000000c'

/** The baseline: what the probe measures when no attack runs. */
export const NO_ATTACK = 'no attack'

/** Number of keys in the 100 MB tree that some attacks read. */
export const TREE_KEYS = 200

const CONNECTIONS = 190
export const json = (value: unknown) => JSON.stringify(value)
export const by = (token: string) => ({ 'X-Service-Token': token })
/** Rotates the codings, so that the server compresses the same answer several times. */
export const compressed = (i: number) => ({ 'Accept-Encoding': ['gzip', 'br', 'zstd'][i % 3] ?? 'gzip' })

const KEYS = (i: number) => `key "path/of/key/${i}" { policy = "write" }\n`
const LONGEST_RULES = json({ Rules: many(limits.RULES_BYTES_MAX, KEYS) })
const RULES_15_KB = json({ Rules: many(13_000, KEYS) })
export const MEGABYTE = Buffer.alloc(limits.BODY_BYTES_MAX, 'a')
const DEEP = '['.repeat(limits.BODY_BYTES_MAX)
const MANY_FIELDS = `{${Array.from({ length: 90_000 }, (_, i) => `"${i.toString(36)}":0`).join(',')}}`
const MANY_LINKS = json({
  Policies: Array.from({ length: 1_000 }, (_, i) => ({ Name: `policy-${i % 200}` })),
  ServiceIdentities: Array.from({ length: 1_000 }, (_, i) => ({ ServiceName: `${i}`.padStart(250, 's') })),
  NodeIdentities: Array.from({ length: 1_000 }, (_, i) => ({
    NodeName: `${i}`.padStart(250, 'n'),
    Datacenter: 'dc1',
  })),
})
const checks = (length: number) =>
  json(
    Array.from({ length: 64 }, (_, i) => ({
      Resource: 'key',
      Segment: `narrow/${i}`.padEnd(length, 'k'),
      Access: 'write',
    })),
  )
const CHECKS = checks(200)
const LONG_CHECKS = checks(8_000)
const QUESTION = json({ Resource: 'key', Segment: 'a', Access: 'read' })
const LEGACY_DUMP = json(
  Array.from({ length: 8_000 }, (_, i) => ({ ID: anId(i), Name: `n${i}`, Type: 'client', Rules: '' })),
)

const LINT = '/v1/acl/policy/lint'
const AUTHORIZE = '/v1/internal/acl/authorize'
const TOKEN = '/v1/acl/token'

export type Attack = (field: Field) => Promise<void>

/** An attack that repeats one request on many connections. */
export function floodOf(
  connections: number,
  request: HostileRequest | ((i: number) => HostileRequest),
  options: Partial<FloodOptions> = {},
): Attack {
  const make = typeof request === 'function' ? request : () => request
  return (field) => flood(field, { connections, request: make, ...options })
}

export function post(path: string, body: string | Uint8Array, token?: string): HostileRequest {
  return { method: 'POST', path, body, ...(token === undefined ? {} : { headers: by(token) }) }
}

export function put(path: string, body: string | Uint8Array, token?: string): HostileRequest {
  return { ...post(path, body, token), method: 'PUT' }
}

export const ATTACKS: Readonly<Record<string, Attack>> = {
  // Never resolves: the attacker stops waiting when the time is up.
  [NO_ATTACK]: () => new Promise(() => {}),
  // Without a token.
  'lint of 15 KB': floodOf(100, post(LINT, RULES_15_KB)),
  'authorize, 64 checks': floodOf(100, post(AUTHORIZE, CHECKS)),
  'bootstrap refused': floodOf(100, put('/v1/acl/bootstrap', '')),
  'unknown secrets': floodOf(100, (i) => ({ path: '/v1/acl/token/self', headers: by(anId(i)) })),
  'unknown secrets behind 15 KB': floodOf(CONNECTIONS, (i) => ({
    path: '/v1/acl/token/self',
    headers: { Authorization: `Bearer ${anId(i)} ${'x'.repeat(15_000)}` },
  })),
  'legacy info of unknown secrets': floodOf(100, (i) => ({ path: `/v1/acl/info/${anId(i)}` })),
  'legacy writes refused': floodOf(100, put('/v1/acl/create', json({ Name: 'x', Type: 'client' }))),
  'bodies of 1 MB refused': floodOf(CONNECTIONS, put(TOKEN, MEGABYTE)),
  'bodies of 1 MB refused, half sent': (field) =>
    hold(field, {
      connections: CONNECTIONS,
      opening: () => bytesOf(put(TOKEN, MEGABYTE.subarray(0, 900_000)), MEGABYTE.length),
      drip: 'x',
    }),
  'recursive keys': floodOf(100, { path: '/v1/kv/?recurse' }),
  'openapi, unread': (field) =>
    hold(field, {
      connections: CONNECTIONS,
      opening: () => bytesOf({ path: '/v1/openapi.json' }).toString().repeat(20),
    }),
  'openapi, compressed': floodOf(100, (i) => ({ path: '/v1/openapi.json', headers: compressed(i) })),
  'requests that never end': (field) =>
    hold(field, {
      connections: CONNECTIONS,
      opening: () => `GET /v1/status/leader HTTP/1.1\r\nHost: 127.0.0.1\r\nA: ${'x'.repeat(14_000)}\r\n`,
      drip: 'B: x\r\n',
    }),
  'leader, pipelined and unread': (field) =>
    hold(field, {
      connections: CONNECTIONS,
      opening: () => bytesOf({ path: '/v1/status/leader' }).toString().repeat(1_600),
    }),
  'new connections': floodOf(100, { path: '/v1/status/leader', headers: { Connection: 'close' } }),
  // With the token of an application.
  'lint of the longest rules': floodOf(50, post(LINT, LONGEST_RULES, NARROW)),
  'lint of the longest rules, half sent': (field) =>
    hold(field, {
      connections: CONNECTIONS,
      opening: () => bytesOf(post(LINT, LONGEST_RULES.slice(0, -1_000), NARROW), MEGABYTE.length),
      drip: 'x',
      reads: true,
    }),
  'deep JSON': floodOf(50, post(AUTHORIZE, DEEP, NARROW)),
  'JSON of many fields': floodOf(50, post(AUTHORIZE, MANY_FIELDS, NARROW)),
  'authorize, 64 long checks explained': floodOf(50, post(`${AUTHORIZE}?explain`, LONG_CHECKS, NARROW)),
  'keys of 512 KB written': floodOf(50, (i) =>
    put(`/v1/kv/narrow/written/${i % 50}`, MEGABYTE.subarray(0, limits.KV_VALUE_BYTES_MAX), NARROW),
  ),
  'keys of 512 KB, half sent': (field) =>
    hold(field, {
      connections: CONNECTIONS,
      opening: (i) => bytesOf(put(`/v1/kv/narrow/half/${i}`, MEGABYTE.subarray(0, 500_000), NARROW), 520_000),
      drip: 'x',
      reads: true,
    }),
  'a tree of 100 MB, unread': (field) =>
    hold(field, {
      connections: CONNECTIONS,
      opening: () => bytesOf({ path: '/v1/kv/narrow/tree?recurse', headers: by(NARROW) }),
    }),
  'a tree of 100 MB, read': floodOf(20, { path: '/v1/kv/narrow/tree?recurse', headers: by(NARROW) }),
  'one key of 512 KB, unread': (field) =>
    hold(field, {
      connections: CONNECTIONS,
      opening: (i) =>
        bytesOf({ path: `/v1/kv/narrow/tree/${i % TREE_KEYS}`, headers: by(NARROW) })
          .toString()
          .repeat(20),
    }),
  'aborted waits': floodOf(
    CONNECTIONS,
    { path: '/v1/kv/narrow/a?index=1&wait=60s', headers: by(NARROW) },
    { abortAfterMs: 50 },
  ),
  // With acl:read.
  'who-can': floodOf(30, post('/v1/internal/acl/who-can', QUESTION, READER)),
  'list of tokens': floodOf(50, { path: '/v1/acl/tokens', headers: by(READER) }),
  'list of tokens, unread': (field) =>
    hold(field, {
      connections: CONNECTIONS,
      opening: () =>
        bytesOf({ path: '/v1/acl/tokens', headers: by(READER) })
          .toString()
          .repeat(10),
    }),
  'list of tokens, compressed': floodOf(100, (i) => ({
    path: '/v1/acl/tokens',
    headers: { ...by(READER), ...compressed(i) },
  })),
  // Each is built from the database.
  'lists of tokens with filters': floodOf(50, (i) => ({
    path: `/v1/acl/tokens?servicename=s${i}`,
    headers: by(READER),
  })),
  'list of tokens while they change, compressed': floodOf(100, (i) =>
    i % 10 === 0
      ? put(TOKEN, '{}', MANAGEMENT)
      : { path: '/v1/acl/tokens', headers: { ...by(READER), ...compressed(i) } },
  ),
  'legacy list': floodOf(50, { path: '/v1/acl/list', headers: by(READER) }),
  'translated rules': floodOf(
    50,
    post('/v1/acl/rules/translate', many(limits.RULES_BYTES_MAX, KEYS), READER),
  ),
  // With acl:write.
  'tokens of 3,000 links': floodOf(30, put(TOKEN, MANY_LINKS, MANAGEMENT)),
  'legacy import, checked': floodOf(10, {
    ...put('/v1/internal/acl/legacy-tokens?check', LEGACY_DUMP, MANAGEMENT),
  }),
}
