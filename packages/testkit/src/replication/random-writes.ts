/** Random writes over small pools of ids and names, so that they often collide. */
import { isGone, type PolicyRecord, type TokenRecord } from '@latchkey/acl'
import type { Change, MemoryStore } from '@latchkey/service'
import type { SeededRandom } from '../random.ts'
import { aKey, aMethod, aNamespace, anId, aPolicy, aRole, aToken } from '../records/record-builders.ts'

const range = (count: number, base: number) => Array.from({ length: count }, (_, i) => anId(base + i))

/** Shared by primary and secondary. */
const ACCESSORS = range(8, 0xa00)
export const SECRETS = range(8, 0xb00)
const POLICIES = range(6, 0xc00)
const ROLES = range(4, 0xd00)
const NAMES = ['red', 'green', 'blue', 'grey']
const NAMESPACES = ['team', 'shop']
const METHOD = { Name: 'sso', Namespace: 'team' }
const DAY_MS = 86_400_000

/** Rules that allow and rules that deny: only together do they decide what a token may do. */
const RULES = [
  'key_prefix "" { policy = "write" }',
  'key_prefix "a" { policy = "deny" }',
  'key "a/b" { policy = "deny" } service_prefix "" { policy = "read" }',
  'acl = "write"',
  'acl = "deny"',
  '',
]

const put = (change: object): Change => ({ op: 'put', expect: undefined, ...change }) as Change
const remove = (change: object): Change => ({ op: 'delete', expect: undefined, ...change }) as Change

export class RandomWrites {
  private readonly random: SeededRandom
  private readonly now: () => number

  constructor(random: SeededRandom, now: () => number) {
    this.random = random
    this.now = now
  }

  /** A commit of the primary. */
  ofPrimary(store: MemoryStore): readonly Change[] {
    const { random } = this
    const write = random.weighted<(store: MemoryStore) => readonly Change[]>([
      [4, () => [this.putPolicy()]],
      [2, () => [remove({ table: 'policies', record: aPolicy({ ID: random.pick(POLICIES) }) })]],
      [2, (at) => this.swapNames([...at.directory().policies()])],
      [2, () => [this.putRole()]],
      [1, () => [remove({ table: 'roles', record: aRole({ ID: random.pick(ROLES) }) })]],
      [6, (at) => this.putToken(at, random.chance(0.15))],
      [2, (at) => this.deleteToken(at)],
      [2, (at) => this.createAgain(at)],
      [2, () => [this.putPolicy(), this.putRole(), ...this.newToken(false)]],
      [2, () => [this.putNamespace()]],
      [1, () => [remove({ table: 'namespaces', record: aNamespace({ Name: random.pick(NAMESPACES) }) })]],
      [1, () => [put({ table: 'kv', record: aKey() })]],
      [1, (at) => this.reap(at)],
    ])
    return write(store)
  }

  /** A commit of the secondary's own records. */
  ofSecondary(store: MemoryStore): readonly Change[] {
    const { random } = this
    const Namespace = random.pick(['default', ...NAMESPACES])
    const write = random.weighted<(store: MemoryStore) => readonly Change[]>([
      [4, (at) => this.putToken(at, true)],
      [4, (at) => this.deleteToken(at, true)],
      [1, () => [put({ table: 'kv', record: aKey({ Key: 'k', Namespace }) })]],
      [2, () => [remove({ table: 'kv', record: aKey({ Key: 'k', Namespace }) })]],
      [1, () => [put({ table: 'authMethods', record: aMethod(METHOD) })]],
      [2, () => [remove({ table: 'authMethods', record: aMethod(METHOD) })]],
    ])
    return write(store)
  }

  private namespace(): string {
    return this.random.chance(0.3) ? this.random.pick(NAMESPACES) : 'default'
  }

  private putPolicy(): Change {
    const { random } = this
    const record = aPolicy({
      ID: random.pick(POLICIES),
      Name: random.pick(NAMES),
      Rules: random.pick(RULES),
      Namespace: this.namespace(),
      Datacenters: random.chance(0.2) ? [random.pick(['dc1', 'dc2'])] : undefined,
    })
    return put({ table: 'policies', record })
  }

  private putRole(): Change {
    const { random } = this
    const Policies = [{ ID: random.pick(POLICIES) }]
    const fields = { ID: random.pick(ROLES), Name: random.pick(NAMES), Namespace: this.namespace(), Policies }
    return put({ table: 'roles', record: aRole(fields) })
  }

  private putNamespace(): Change {
    const PolicyDefaults = this.random.chance(0.5) ? [{ ID: this.random.pick(POLICIES) }] : []
    return put({
      table: 'namespaces',
      record: aNamespace({ Name: this.random.pick(NAMESPACES), PolicyDefaults }),
    })
  }

  private newToken(Local: boolean): readonly Change[] {
    return [put({ table: 'tokens', expect: 0, record: this.token({ Local }) })]
  }

  private token(fields: Partial<TokenRecord>): TokenRecord {
    const { random } = this
    const expires = random.chance(0.3)
      ? new Date(this.now() + random.below(DAY_MS / 24)).toISOString()
      : undefined
    return aToken({
      AccessorID: random.pick(ACCESSORS),
      SecretID: random.pick(SECRETS),
      Description: `${random.below(100)}`,
      Policies: [{ ID: random.pick(POLICIES) }, { ID: random.pick(POLICIES) }],
      Roles: random.chance(0.4) ? [{ ID: random.pick(ROLES) }] : [],
      ExpirationTime: expires,
      Namespace: this.namespace(),
      ...fields,
    })
  }

  /** A new token, or new content of an existing one. */
  private putToken(store: MemoryStore, isLocal: boolean): readonly Change[] {
    const existing = this.anyToken(store, isLocal)
    if (!existing || this.random.chance(0.5)) return this.newToken(isLocal)
    const { AccessorID, SecretID, Local, Namespace } = existing
    return [put({ table: 'tokens', record: this.token({ AccessorID, SecretID, Local, Namespace }) })]
  }

  private deleteToken(store: MemoryStore, isLocal?: boolean): readonly Change[] {
    const record = this.anyToken(store, isLocal)
    return record ? [remove({ table: 'tokens', record })] : []
  }

  /** A new token with the secret or the accessor of a token that the same commit deletes. */
  private createAgain(store: MemoryStore): readonly Change[] {
    const gone = this.anyToken(store)
    if (!gone) return []
    const { AccessorID, SecretID } = gone
    const kept = this.random.chance(0.5) ? { SecretID } : { AccessorID }
    const record = this.token({ ...kept, Local: this.random.chance(0.2) })
    return [remove({ table: 'tokens', record: gone }), put({ table: 'tokens', expect: 0, record })]
  }

  private swapNames([a, b]: readonly PolicyRecord[]): readonly Change[] {
    if (!a || !b || a.Namespace !== b.Namespace) return []
    const swapped = [
      { ...a, Name: b.Name },
      { ...b, Name: a.Name },
    ]
    return swapped.map((record) => put({ table: 'policies', record }))
  }

  private reap(store: MemoryStore): readonly Change[] {
    const gone = [...store.snapshot().tokens.values()].filter((token) =>
      isGone(token, this.now(), store.directory()),
    )
    return gone.map((record) => remove({ table: 'tokens', record }))
  }

  private anyToken(store: MemoryStore, isLocal?: boolean): TokenRecord | undefined {
    const tokens = [...store.snapshot().tokens.values()].filter(
      ({ AccessorID, Local }) => ACCESSORS.includes(AccessorID) && (isLocal ?? Local) === Local,
    )
    return tokens.length === 0 ? undefined : this.random.pick(tokens)
  }
}
