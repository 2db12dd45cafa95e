/** Requests for fuzzing: mostly almost valid ones, because pure nonsense is refused early. */
import { ENDPOINTS, type EndpointName, endpoint, HEADER_PREFIXES_DEFAULT } from '@latchkey/contract'
import type { SeededRandom } from '../random.ts'

/** Existing records to refer to. */
export interface Known {
  readonly accessors: readonly string[]
  readonly policyIds: readonly string[]
  readonly roleIds: readonly string[]
  readonly secrets: readonly string[]
}

export interface RandomRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

const names = Object.keys(ENDPOINTS) as EndpointName[]
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND']

/** Texts used anywhere in requests, including as ids and secrets. */
export const ODD_TEXTS: readonly string[] = [
  ...['', ' ', 'a', '0', '-1', '*', 'self', 'clone', 'name', 'default', 'team', 'anonymous', 'allow'],
  ...['<hidden>', 'null', '__proto__', 'constructor', 'A-b_c', 'a\u0000b', '\ud800', 'e\u0301\u202e😀'],
  ...['../../acl/tokens', 'a/b/', '//', '%2e%2e', "' OR 1=1 --", '\u0024{a}', 'x'.repeat(65)],
  ...['x'.repeat(257), 'x'.repeat(5_000), '00000000-0000-0000-0000-000000000001'],
  ...['00000000-0000-0000-0000-000000000002', '11111111-1111-4111-8111-111111111111'],
  ...['11111111-1111-4111-8111-11111111111G', '2028-02-29T12:30:00Z', '9999-12-31T23:59:59Z', '60s'],
  ...['24h', '1h30m'],
]
const ODD_NUMBERS = [0, -0, 1, -1, 0.5, 60_000_000_000, 2 ** 53, 1e300, -1e300]
const RULES = [
  ...['', 'acl = "read"', 'acl = "write"', 'key_prefix "" { policy = "write" }'],
  ...['key "a" { policy = "deny" }'],
  ...['operator = "read"\nservice_prefix "" { policy = "read" intentions = "write" }'],
  ...['{"key":{"a":{"policy":"read"}}}', 'key {', 'nobody = "read"', '# nothing'],
]
const OPTIONS = [
  ...['index', 'wait', 'stale', 'consistent', 'max_stale', 'cached', 'pretty', 'ns', 'authmethod-ns'],
  ...['policy', 'role', 'authmethod', 'servicename', 'limit', 'cursor', 'filter', 'sort', 'expanded'],
  ...['explain', 'accessor', 'recurse', 'keys', 'separator', 'raw', 'flags', 'cas', 'acquire', 'from'],
  ...['to', 'format', 'token'],
]
const OPTION_VALUES = [
  ...['', '1', '5', '18446744073709551615', '1ms', '10s', 'true', 'false', '1.4.0', 'Local==true'],
  ...['-CreateIndex', '%zz', '%00', '*', '/'],
]

/** Fields of all bodies, with plausible values. */
const FIELDS: Readonly<Record<string, (random: SeededRandom, known: Known) => unknown>> = {
  AccessorID: (random, known) => random.pick([...known.accessors, ...ODD_TEXTS]),
  SecretID: (random, known) => random.pick([...known.secrets, ...ODD_TEXTS]),
  ID: (random, known) => random.pick([...known.policyIds, ...known.roleIds, ...known.secrets, ...ODD_TEXTS]),
  Name: (random) => random.pick(['a', 'reader', 'ops', `n${random.below(1_000)}`, ...ODD_TEXTS]),
  Description: (random) => random.pick(ODD_TEXTS),
  Policies: (random, known) => links(random, known.policyIds),
  Roles: (random, known) => links(random, known.roleIds),
  ServiceIdentities: (random) =>
    listOf(random, () => ({
      ServiceName: random.pick(['web', 'api', ...ODD_TEXTS]),
      ...(random.chance(0.3)
        ? { Datacenters: listOf(random, () => random.pick(['dc1', ...ODD_TEXTS])) }
        : {}),
    })),
  NodeIdentities: (random) =>
    listOf(random, () => ({
      NodeName: random.pick(['n1', ...ODD_TEXTS]),
      Datacenter: random.pick(['dc1', ...ODD_TEXTS]),
    })),
  Local: (random) => random.chance(0.3),
  ExpirationTTL: (random) => random.pick<unknown>(['60s', '1h', '59s', '25h', ...ODD_NUMBERS, ...ODD_TEXTS]),
  ExpirationTime: (random) => random.pick(['2028-02-29T12:30:00Z', ...ODD_TEXTS]),
  AuthMethod: (random) => random.pick(['', 'oidc']),
  Namespace: (random) => random.pick(['', 'default', 'team', ...ODD_TEXTS]),
  Rules: (random) => random.pick(RULES),
  Type: (random) => random.pick(['client', 'management', ...ODD_TEXTS]),
  Datacenters: (random) => listOf(random, () => random.pick(['dc1', 'dc2', ...ODD_TEXTS])),
  ACLs: (random, known) => ({ PolicyDefaults: links(random, known.policyIds) }),
  Resource: (random) => random.pick(['acl', 'key', 'service', 'operator', ...ODD_TEXTS]),
  Segment: (random) => random.pick(ODD_TEXTS),
  Access: (random) => random.pick(['read', 'write', 'list', 'write-prefix', ...ODD_TEXTS]),
  CreateIndex: (random) => random.pick(ODD_NUMBERS),
  Hash: (random) => random.pick(ODD_TEXTS),
}
const fieldNames = Object.keys(FIELDS)

const BODY_FIELDS: Readonly<Record<string, readonly string[]>> = {
  tokens: [
    ...['AccessorID', 'SecretID', 'Description', 'Policies', 'Roles', 'ServiceIdentities'],
    ...['NodeIdentities', 'Local', 'ExpirationTTL', 'ExpirationTime', 'AuthMethod', 'Namespace'],
  ],
  policies: ['ID', 'Name', 'Description', 'Rules', 'Datacenters', 'Namespace'],
  roles: ['ID', 'Name', 'Description', 'Policies', 'ServiceIdentities', 'NodeIdentities', 'Namespace'],
  namespaces: ['Name', 'Description', 'ACLs'],
  legacy: ['ID', 'Name', 'Type', 'Rules', 'CreateIndex'],
}
const CHECK_FIELDS = ['Resource', 'Segment', 'Access']

export function randomRequest(random: SeededRandom, known: Known): RandomRequest {
  const name = random.pick(names)
  const method = random.chance(0.95) ? endpoint(name).method : random.pick(METHODS)
  return {
    method,
    path: `${randomPath(random, name, known)}${randomQuery(random, known)}`,
    headers: randomHeaders(random, known),
    body: method === 'GET' && random.chance(0.95) ? undefined : randomBody(random, name, known),
  }
}

function randomPath(random: SeededRandom, name: EndpointName, known: Known): string {
  const ids = [...known.accessors, ...known.policyIds, ...known.roleIds, ...known.secrets]
  const value = random.chance(0.8) ? random.pick(ids) : random.pick(ODD_TEXTS)
  const path = endpoint(name).path.replace(/:\w+/, random.chance(0.9) ? encode(value) : value)
  return random.chance(0.04) ? damaged(random, path) : path
}

function randomQuery(random: SeededRandom, known: Known): string {
  if (random.chance(0.5)) return ''
  const options = Array.from({ length: 1 + random.below(3) }, () => {
    const name = random.pick(OPTIONS)
    if (random.chance(0.3)) return name
    const ids = [...known.accessors, ...known.policyIds, ...known.roleIds]
    const value = random.chance(0.3)
      ? random.pick(ids)
      : random.pick([...OPTION_VALUES, ...ODD_TEXTS.map(encode)])
    return `${name}=${value}`
  })
  return `?${options.join('&')}`
}

function randomHeaders(random: SeededRandom, known: Known): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  const prefix = random.pick(HEADER_PREFIXES_DEFAULT).toLowerCase()
  const secret = random.chance(0.95) ? random.pick(known.secrets) : random.pick(ODD_TEXTS)
  if (random.chance(0.85)) headers[`${prefix}token`] = secret
  else if (random.chance(0.7))
    headers.authorization = `${random.pick(['Bearer', 'bearer', 'Basic', 'Bearer  '])} ${secret}`
  if (random.chance(0.05)) headers[`${prefix}namespace`] = random.pick(['team', 'default', ...ODD_TEXTS])
  if (random.chance(0.3)) headers.accept = random.pick(['application/problem+json', '*/*', ''])
  if (random.chance(0.05)) headers['cache-control'] = random.pick(['max-age=5', 'max-age=x', 'no-cache', ''])
  return headers
}

function randomBody(random: SeededRandom, name: EndpointName, known: Known): string | Uint8Array {
  if (random.chance(0.03)) return Uint8Array.from({ length: random.below(200) }, () => random.below(256))
  const text = JSON.stringify(randomValue(random, name, known))
  if (random.chance(0.85)) return text
  return random.chance(0.3)
    ? `${text}${random.pick([' ', '\n', '{}', 'x', '\u0000'])}`
    : damaged(random, text)
}

function randomValue(random: SeededRandom, name: EndpointName, known: Known): unknown {
  const [resource = ''] = name.split('.')
  const usual = BODY_FIELDS[resource] ?? CHECK_FIELDS
  const object = () => randomObject(random, usual, known)
  if (name === 'decisions.authorize' || name === 'legacy.import')
    return Array.from({ length: random.below(4) }, object)
  return random.chance(0.95) ? object() : random.pick<unknown>([null, [], 'text', 5, true, [object()]])
}

function randomObject(random: SeededRandom, usual: readonly string[], known: Known): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  const isSmall = random.chance(0.6)
  for (const field of usual) {
    const isNamed = field === 'Name' || CHECK_FIELDS.includes(field)
    if (random.chance(isNamed ? 0.95 : isSmall ? 0.12 : 0.4)) result[field] = FIELDS[field]?.(random, known)
  }
  if (random.chance(0.1)) {
    const field = random.pick([...fieldNames, 'Foo', 'name', 'TemplatedPolicies', 'Legacy', '__proto__x'])
    result[field] = random.pick<unknown>([
      null,
      {},
      [],
      [null],
      [[[[]]]],
      'x',
      5,
      true,
      FIELDS[field]?.(random, known) ?? 0,
    ])
  }
  return result
}

function links(random: SeededRandom, ids: readonly string[]): unknown[] {
  return listOf(random, () => {
    if (random.chance(0.05)) return random.pick<unknown>([null, {}, 'x', { ID: 5 }, { id: 'x' }])
    return random.chance(0.7)
      ? { ID: random.pick(ids) }
      : { Name: random.pick(['reader', 'ops', ...ODD_TEXTS]) }
  })
}

function listOf<T>(random: SeededRandom, make: () => T): T[] {
  const length = random.chance(0.01) ? 1_001 : random.below(4)
  return Array.from({ length }, make)
}

/** Deletes, inserts or changes some characters. */
function damaged(random: SeededRandom, text: string): string {
  let result = text
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const at = random.below(result.length + 1)
    const piece = random.pick([
      '',
      '"',
      '{',
      '[',
      ',',
      '\\',
      '/',
      '%',
      '%00',
      '\u0000',
      '..',
      '\ud800',
      'é',
      '//',
      '?',
    ])
    result = result.slice(0, at) + piece + result.slice(at + random.below(2))
  }
  return result
}

/** Percent-encodes a well-formed text. */
function encode(text: string): string {
  return encodeURIComponent(text.isWellFormed() ? text : text.toWellFormed())
}
