/** Random bodies: mostly valid, sometimes with a typical client mistake. */
import type { SeededRandom } from '@latchkey/testkit/random'
import { type Kind, placeholder } from './step.ts'

/** Records that bodies may refer to. */
export interface Pool {
  readonly random: SeededRandom
  /** Prefix of all names of the sequence. */
  readonly tag: string
  /** Number of creates of each kind so far. */
  readonly count: Readonly<Record<Kind, number>>
  readonly edition: 'standard' | 'extended'
}

const DESCRIPTIONS = [
  '',
  'x',
  'grüße 😀',
  '<b>&"quoted"\\',
  ' blank ',
  '\u0000',
  '\u2028',
  'y'.repeat(5_000),
] as const
const LIFETIMES = ['1h', '24h', '90m', 3.6e12, '1m30s'] as const
const BAD_LIFETIMES = ['59s', '25h', '-1m', '0s', '1d', '', 'soon', true, 5] as const
const SERVICE_NAMES = ['web', 'api', 'web-1', 'a', '0_0'] as const
const BAD_NAMES = ['', 'Web', '-web', 'we b', 'x'.repeat(257)] as const
const LEVELS = ['read', 'write', 'deny'] as const
const KINDS = ['key', 'key_prefix', 'service', 'service_prefix', 'node_prefix', 'session', 'event'] as const
const SEGMENTS = ['', 'a', 'ab', 'b/', 'web'] as const

/** The number of any create of a kind, or of a create that never happened. */
function someNumber({ random, count }: Pool, kind: Kind): number {
  return count[kind] === 0 || random.chance(0.06) ? 0 : 1 + random.below(count[kind])
}

export function some(pool: Pool, kind: Kind, field: string): string {
  return placeholder(kind, someNumber(pool, kind), field)
}

function linkTo(pool: Pool, kind: 'policy' | 'role'): object {
  const number = someNumber(pool, kind)
  const name = `${pool.tag}-${kind}-${number}`
  return pool.random.weighted<object>([
    [10, { ID: placeholder(kind, number, 'ID') }],
    [8, { Name: name }],
    [3, { Name: name.toUpperCase() }],
    [3, { ID: placeholder(kind, number, 'ID'), Name: 'stale' }],
    [0.3, {}],
    [0.4, { Name: 'none' }],
    [0.3, { ID: 'malformed' }],
  ])
}

function listOf<T>(random: SeededRandom, make: () => T): T[] {
  return Array.from(
    {
      length: random.weighted([
        [4, 1],
        [2, 2],
        [1, 3],
        [1, 0],
      ]),
    },
    make,
  )
}

function serviceIdentity({ random }: Pool): object {
  const ServiceName = random.chance(0.95) ? random.pick(SERVICE_NAMES) : random.pick(BAD_NAMES)
  return random.chance(0.7)
    ? { ServiceName }
    : { ServiceName, Datacenters: random.pick([[], ['dc1'], ['dc2', 'dc1'], ['dc2']]) }
}

function nodeIdentity({ random }: Pool): object {
  const NodeName = random.chance(0.95) ? random.pick(SERVICE_NAMES) : random.pick(BAD_NAMES)
  return { NodeName, Datacenter: random.pick(['dc1', 'dc1', 'dc1', 'dc2', 'dc2', '']) }
}

/** One of the two namespaces of the sequence, the default one, or one that does not exist. */
export function someNamespace({ random, tag }: Pool): string {
  return random.weighted([
    [4, `${tag}-ns-1`],
    [4, `${tag}-ns-2`],
    [2, 'default'],
    [1, `${tag}-none`],
  ])
}

/** Sometimes the field that names the namespace of a record. Spec 4.9.1. */
function namespaceField(pool: Pool): { readonly Namespace?: string } {
  return pool.edition === 'extended' && pool.random.chance(0.2) ? { Namespace: someNamespace(pool) } : {}
}

/** Fields to create or update a token. */
export function tokenBody(pool: Pool): Record<string, unknown> {
  const { random } = pool
  const body: Record<string, unknown> = { ...namespaceField(pool) }
  const may = (probability: number, field: string, value: () => unknown) => {
    if (random.chance(probability)) body[field] = value()
  }
  may(0.6, 'Description', () => random.pick(DESCRIPTIONS))
  may(0.5, 'Policies', () => listOf(random, () => linkTo(pool, 'policy')))
  may(0.3, 'Roles', () => listOf(random, () => linkTo(pool, 'role')))
  may(0.2, 'ServiceIdentities', () => listOf(random, () => serviceIdentity(pool)))
  may(0.15, 'NodeIdentities', () => listOf(random, () => nodeIdentity(pool)))
  may(0.1, 'Local', () => random.chance(0.7))
  may(0.15, 'ExpirationTTL', () =>
    random.chance(0.85) ? random.pick(LIFETIMES) : random.pick(BAD_LIFETIMES),
  )
  may(0.08, 'ExpirationTime', () =>
    random.pick(['{in 1h}', '{in 23h}', '{in 12h}', '{in -1h}', '{in 48h}', 'never', '']),
  )
  may(0.08, 'AccessorID', () => someId(pool))
  may(0.08, 'SecretID', () => someId(pool))
  return random.chance(0.05) ? spoil(random, body) : body
}

function someId(pool: Pool): string {
  const { random } = pool
  return random.weighted([
    [9, random.uuid()],
    [2, some(pool, 'token', 'AccessorID')],
    [2, some(pool, 'token', 'SecretID')],
    [1, 'malformed'],
    [1, '00000000-0000-0000-0000-000000000003'],
    [1, '<hidden>'],
    [1, ''],
  ])
}

/** Invalid bodies that some clients send. */
function spoil(random: SeededRandom, body: Record<string, unknown>): Record<string, unknown> {
  return {
    ...body,
    ...random.pick<Record<string, unknown>>([
      { Foo: 1 },
      { description: 'near miss' },
      { Description: 5 },
      { Policies: {} },
      { Policies: [null] },
      { Local: 'true' },
      { Description: null, Policies: null },
      { CreateTime: 1, Hash: 2, CreateIndex: 'x', ModifyIndex: null },
      { Namespace: 'team' },
      { Rules: 'acl = "read"' },
      { AuthMethod: 'jwt' },
    ]),
  }
}

export function policyBody(pool: Pool, number: number): object {
  const { random, tag } = pool
  return {
    Name: random.chance(0.9) ? `${tag}-policy-${number}` : random.pick(['', 'a b', `${tag}-policy-0`]),
    ...(random.chance(0.4) ? { Description: random.pick(DESCRIPTIONS) } : {}),
    ...(random.chance(0.9) ? { Rules: rulesText(random) } : {}),
    ...(random.chance(0.15) ? { Datacenters: random.pick([[], ['dc1'], ['dc2']]) } : {}),
    ...(random.chance(0.04) ? { Foo: 1 } : {}),
    ...namespaceField(pool),
  }
}

function rulesText(random: SeededRandom): string {
  const acl = random.weighted([
    [3, ''],
    [3, 'acl = "read"\n'],
    [2, 'acl = "write"\n'],
    [1, 'acl = "deny"\n'],
  ])
  const blocks = new Map<string, string>()
  for (let i = random.below(4); i > 0; i -= 1) {
    const head = `${random.pick(KINDS)} "${random.pick(SEGMENTS)}"`
    blocks.set(head, `${head} { policy = "${random.pick(LEVELS)}" }`)
  }
  const faults = [
    'key "a" {',
    'keys "a" { policy = "read" }',
    'key "a" { policy = "all" }',
    'acl = "read"\nacl = "read"',
  ]
  return random.chance(0.04) ? random.pick(faults) : acl + [...blocks.values()].join('\n')
}

export function roleBody(pool: Pool, number: number): object {
  const { random, tag } = pool
  return {
    Name: random.chance(0.9) ? `${tag}-role-${number}` : random.pick(['', 'a/b', `${tag}-role-0`]),
    ...(random.chance(0.4) ? { Description: random.pick(DESCRIPTIONS) } : {}),
    ...(random.chance(0.7) ? { Policies: listOf(random, () => linkTo(pool, 'policy')) } : {}),
    ...(random.chance(0.3) ? { ServiceIdentities: listOf(random, () => serviceIdentity(pool)) } : {}),
    ...(random.chance(0.2) ? { NodeIdentities: listOf(random, () => nodeIdentity(pool)) } : {}),
    ...namespaceField(pool),
  }
}

export function checks({ random }: Pool): object[] {
  const count = random.weighted([
    [6, 3],
    [1, 0],
    [1, 65],
  ])
  return Array.from({ length: count }, () => ({
    Resource: random.chance(0.95)
      ? random.pick(['key', 'service', 'node', 'session', 'event', 'acl', 'operator'])
      : 'thing',
    Segment: random.pick([...SEGMENTS, 'abc', 'b/c']),
    Access: random.chance(0.95) ? random.pick(['read', 'write']) : 'list',
  }))
}
