/** Random sequences of calls: creates, updates, reads, lists, keys and checks, by callers of all kinds. */

import { SeededRandom } from '@latchkey/testkit/random'
import { checks, type Pool, policyBody, roleBody, some, someNamespace, tokenBody } from './bodies.ts'
import { type Kind, placeholder, type Step } from './step.ts'
import { transactionBody } from './transactions.ts'

type Draft = Pick<Step, 'method' | 'path'> & {
  readonly body?: unknown
  readonly raw?: string
  readonly makes?: Kind
}

interface SequenceOptions {
  readonly seed: number
  readonly length: number
  /** Secret of the management token, the same on both targets. */
  readonly managementToken: string
  /** `extended`: includes calls in and about namespaces. */
  readonly edition: 'standard' | 'extended'
}

const ANONYMOUS = '00000000-0000-0000-0000-000000000002'

/** Begins every sequence: records to link, and callers that may read, or read and write. */
function beginningOf(tag: string, edition: 'standard' | 'extended'): readonly Draft[] {
  const policy = (number: number, level: string): Draft => {
    const Rules = `acl = "${level}"\nkey_prefix "" { policy = "${level}" }\noperator = "${level}"`
    return {
      method: 'PUT',
      path: '/acl/policy',
      body: { Name: `${tag}-policy-${number}`, Rules },
      makes: 'policy',
    }
  }
  const token = (body: object): Draft => ({ method: 'PUT', path: '/acl/token', body, makes: 'token' })
  const namespace = (number: number): Draft => {
    return { method: 'PUT', path: '/namespace', body: { Name: `${tag}-ns-${number}` }, makes: 'namespace' }
  }
  const Policies = [{ Name: `${tag}-policy-1` }]
  return [
    ...(edition === 'extended' ? [namespace(1), namespace(2)] : []),
    policy(1, 'read'),
    policy(2, 'write'),
    { method: 'PUT', path: '/acl/role', body: { Name: `${tag}-role-1`, Policies }, makes: 'role' },
    token({ Policies }),
    token({ Roles: [{ Name: `${tag}-role-1` }], Policies: [{ Name: `${tag}-policy-2` }] }),
  ]
}

/** The calls of a sequence. Equal options produce equal calls. */
export function makeSequence({ seed, length, managementToken, edition }: SequenceOptions): Step[] {
  const random = new SeededRandom(seed)
  const count: Record<Kind, number> = { token: 0, policy: 0, role: 0, namespace: 0 }
  const pool: Pool = { random, tag: tagOf(seed), count, edition }
  const beginning = beginningOf(pool.tag, edition)
  return Array.from({ length }, (_, i) => {
    const draft = beginning[i] ?? drafts(pool)
    const { makes } = draft
    const number = makes === undefined ? 0 : ++count[makes]
    const body =
      draft.body ?? (makes === 'policy' || makes === 'role' ? bodyOf(pool, makes, number) : undefined)
    return {
      method: draft.method,
      path: beginning[i] ? draft.path : inNamespace(pool, draft.path),
      body: draft.raw ?? (body === undefined ? undefined : JSON.stringify(body)),
      token: beginning[i] ? managementToken : caller(pool, managementToken),
      headers: headers(random),
      ...(makes === undefined ? {} : { makes: { kind: makes, number } }),
    }
  })
}

/** Prefix of all names of a sequence. */
export function tagOf(seed: number): string {
  return `d${seed.toString(36)}`
}

/** In the extended edition, often adds the option that names the namespace of a record. Spec 4.9.2. */
function inNamespace(pool: Pool, path: string): string {
  if (pool.edition === 'standard' || !pool.random.chance(0.35)) return path
  const ns = pool.random.chance(0.1) ? '*' : someNamespace(pool)
  return `${path}${path.includes('?') ? '&' : '?'}ns=${ns}`
}

function bodyOf(pool: Pool, kind: 'policy' | 'role', number: number): object {
  return kind === 'policy' ? policyBody(pool, number) : roleBody(pool, number)
}

function caller(pool: Pool, managementToken: string): string | undefined {
  const { random } = pool
  return random.weighted([
    [76, managementToken],
    [5, placeholder('token', 1, 'SecretID')],
    [5, placeholder('token', 2, 'SecretID')],
    [8, some(pool, 'token', 'SecretID')],
    [2, undefined],
    [1, 'anonymous'],
    [1, random.uuid()],
    [1, some(pool, 'token', 'AccessorID')],
    [1, '<hidden>'],
  ])
}

function headers(random: SeededRandom): Record<string, string> {
  return random.chance(0.4) ? { Accept: 'application/problem+json' } : {}
}

function drafts(pool: Pool): Draft {
  const { random } = pool
  return random.weighted<(pool: Pool) => Draft>([
    [18, () => ({ method: 'PUT', path: '/acl/token', body: tokenBody(pool), makes: 'token' })],
    [8, () => ({ method: 'PUT', path: '/acl/policy', makes: 'policy' })],
    [6, () => ({ method: 'PUT', path: '/acl/role', makes: 'role' })],
    [12, changeToken],
    [6, cloneToken],
    [6, remove],
    [6, changeLinked],
    [14, readToken],
    [8, listTokens],
    [5, readLinked],
    [8, keys],
    [6, transaction],
    [5, ask],
    [4, oddity],
    [pool.edition === 'extended' ? 5 : 0, namespaces],
  ])(pool)
}

function someAccessor(pool: Pool): string {
  const { random } = pool
  return random.weighted([
    [12, some(pool, 'token', 'AccessorID')],
    [1, ANONYMOUS],
    [1, 'malformed'],
    [1, ''],
  ])
}

function changeToken(pool: Pool): Draft {
  return { method: 'PUT', path: `/acl/token/${someAccessor(pool)}`, body: tokenBody(pool) }
}

function cloneToken(pool: Pool): Draft {
  const path = `/acl/token/${someAccessor(pool)}/clone`
  const body = pool.random.chance(0.8) ? { Description: pool.random.pick(['', 'clone']) } : tokenBody(pool)
  return { method: 'PUT', path, body, makes: 'token' }
}

function remove(pool: Pool): Draft {
  const { random } = pool
  const kind = random.weighted<Kind>([
    [4, 'token'],
    [2, 'policy'],
    [1, 'role'],
  ])
  const id = kind === 'token' ? someAccessor(pool) : some(pool, kind, 'ID')
  return { method: 'DELETE', path: `/acl/${kind}/${id}` }
}

function changeLinked(pool: Pool): Draft {
  const kind = pool.random.pick(['policy', 'role'] as const)
  const number = pool.random.below(pool.count[kind] + 1)
  return { method: 'PUT', path: `/acl/${kind}/${some(pool, kind, 'ID')}`, body: bodyOf(pool, kind, number) }
}

function readOptions(random: SeededRandom): string {
  return random.weighted([
    [10, ''],
    [2, 'consistent'],
    [2, 'stale'],
    [1, 'index=1&wait=10ms'],
    [1, 'stale&consistent'],
    [1, 'index=x'],
    [1, 'wait=1d'],
    [1, 'pretty'],
    [1, 'ns=team'],
  ])
}

function readToken(pool: Pool): Draft {
  const { random } = pool
  const path = random.chance(0.25) ? '/acl/token/self' : `/acl/token/${someAccessor(pool)}`
  const query = random.chance(0.25) ? 'expanded' : readOptions(random)
  return { method: 'GET', path: query === '' ? path : `${path}?${query}` }
}

function listTokens(pool: Pool): Draft {
  const { random } = pool
  const query = random.weighted([
    [4, ''],
    [4, `policy=${some(pool, 'policy', 'ID')}`],
    [3, `role=${some(pool, 'role', 'ID')}`],
    [1, 'authmethod=jwt'],
    [1, 'policy=a&role=b'],
    [1, `limit=${random.pick([0, 1, 2, 5, 1_000, 1_001])}`],
    [2, readOptions(random)],
  ])
  return { method: 'GET', path: query === '' ? '/acl/tokens' : `/acl/tokens?${query}` }
}

function readLinked(pool: Pool): Draft {
  const { random, tag } = pool
  const kind = random.pick(['policy', 'role'] as const)
  const plural = { policy: 'policies', role: 'roles' } as const
  return {
    method: 'GET',
    path: random.weighted([
      [4, `/acl/${kind}/${some(pool, kind, 'ID')}`],
      [2, `/acl/${kind}/name/${tag}-${kind}-${random.below(pool.count[kind] + 1)}`],
      [2, `/acl/${plural[kind]}`],
      [1, `/acl/roles?policy=${some(pool, 'policy', 'ID')}`],
    ]),
  }
}

function keys(pool: Pool): Draft {
  const { random, tag } = pool
  const path = `/kv/${tag}/${random.pick(['a', 'ab', 'b/', 'b/c'])}`
  return random.weighted<Draft>([
    [
      4,
      {
        method: 'PUT',
        path: `${path}${random.pick(['', '', '?cas=0', '?flags=7', '?cas=x', '?acquire=s'])}`,
        raw: random.pick(['v', '', '{}']),
      },
    ],
    [4, { method: 'GET', path: `${path}${random.pick(['', '?raw', '?index=1&wait=10ms'])}` }],
    [2, { method: 'GET', path: `/kv/${tag}?${random.pick(['recurse', 'keys', 'keys&separator=/'])}` }],
    [2, { method: 'DELETE', path }],
    [1, { method: 'DELETE', path: `/kv/${tag}?recurse` }],
  ])
}

function transaction(pool: Pool): Draft {
  const path = pool.random.chance(0.1) ? '/txn?stale' : '/txn'
  return { method: 'PUT', path, body: transactionBody(pool) }
}

function ask(pool: Pool): Draft {
  const { random } = pool
  const path = random.weighted([
    [4, '/internal/acl/authorize'],
    [2, '/internal/acl/authorize?explain'],
    [2, `/internal/acl/authorize?accessor=${some(pool, 'token', 'AccessorID')}`],
  ])
  if (random.chance(0.8)) return { method: 'POST', path, body: checks(pool) }
  const check = { Resource: 'key', Segment: random.pick(['a', 'b/']), Access: random.pick(['read', 'write']) }
  return { method: 'POST', path: '/internal/acl/who-can', body: check }
}

function namespaces(pool: Pool): Draft {
  const { random } = pool
  const name = someNamespace(pool)
  const path = `/namespace/${name}`
  // A default policy that denies acl would take away the management token's rights and end the run.
  const mayHaveDefaults = name !== 'default'
  const [policy, role] = [some(pool, 'policy', 'ID'), some(pool, 'role', 'ID')]
  const ACLs = {
    PolicyDefaults: random.chance(0.5) && mayHaveDefaults ? [{ ID: policy }] : [],
    RoleDefaults: random.chance(0.3) && mayHaveDefaults ? [{ ID: role }] : [],
  }
  return random.weighted<Draft>([
    [3, { method: 'GET', path }],
    [3, { method: 'PUT', path, body: { Description: 'changed', ACLs } }],
    [1, { method: 'DELETE', path }],
    [1, { method: 'GET', path: '/namespaces' }],
  ])
}

/** Paths without an endpoint, and bodies that are not JSON. */
function oddity({ random }: Pool): Draft {
  return random.pick<Draft>([
    { method: 'POST', path: '/acl/token' },
    { method: 'HEAD', path: '/acl/tokens' },
    { method: 'OPTIONS', path: '/acl/token/x' },
    { method: 'GET', path: '/acl/nope' },
    { method: 'GET', path: '/acl//tokens?x=1' },
    { method: 'GET', path: '/acl/list' },
    { method: 'PUT', path: '/acl/bootstrap' },
    { method: 'GET', path: '/health/service/web' },
    { method: 'GET', path: '/acl/token/%00' },
    { method: 'PUT', path: '/acl/token', raw: '{"Description":"a","Description":"b"}' },
    { method: 'PUT', path: '/acl/token', raw: '{' },
    { method: 'PUT', path: '/acl/token', raw: '' },
    { method: 'GET', path: '/acl/replication' },
    { method: 'GET', path: '/internal/acl/migration' },
  ])
}
