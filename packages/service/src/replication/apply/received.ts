/** Parses an answer of the primary into records and checks its shape and bounds. Domain rules are not checked again. */
import type { SkippedToken, TokenRecord } from '@latchkey/acl'
import { idKey, isSame } from '@latchkey/acl'
import { AclError, type Changes, changesSchema, parseInstant, REDACTED_SECRET_ID } from '@latchkey/contract'
import type { ReplicatedRecord, ReplicatedRecords, StoreChanges } from '../../store/replicated.ts'

export interface Received extends ReplicatedRecords {
  readonly deleted: StoreChanges['deleted']
  /** Tokens that cannot be stored in any datacenter. */
  readonly unusable: readonly SkippedToken[]
  /** Global tokens without an accessor that are stored here but that the primary does not have. */
  readonly strays?: readonly TokenRecord[]
}

export const NOTHING: Received = {
  ...{ namespaces: [], policies: [], roles: [], tokens: [], unusable: [] },
  deleted: { namespaces: [], policies: [], roles: [], tokens: [] },
}

export interface ReceivedAnswer extends Received {
  readonly cluster: string
  readonly datacenter: string
  /** The datacenter that the answering server follows as its primary; `undefined` if it is the primary itself. */
  readonly follows: string | undefined
  /** The index or cursor from which the answer continues; `undefined` for the first page of a copy. */
  readonly after: string | undefined
  readonly index: number
  /** When the primary answered, in milliseconds since the epoch, by its own clock. */
  readonly time: number
  readonly isReset: boolean
  /** Number of legacy tokens of the primary that have no accessor yet, so an answer cannot contain them. */
  readonly withoutAccessor: number
  /** Whether later commits follow; if so, the records alone are not a consistent state. */
  readonly hasMore: boolean
  /** Names of fields that this version does not support. They are not stored. */
  readonly unknownFields: readonly string[]
}

/** An answer that no correct primary sends. It is discarded. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer'
}

/** Maximum length of a record, in characters of its JSON: the content of the largest body, escaped. */
const RECORD_LENGTH_MAX = 2_097_152
const RECORDS_MAX = 100_000
const KEY_LENGTH_MAX = 512

/**
 * Checks an answer.
 * @throws BrokenAnswer if the shape violates the contract, or a record is too long or occurs twice.
 */
export function readChanges(answer: unknown): ReceivedAnswer {
  const { changes, unknownFields } = parse(answer)
  const { Namespaces, Policies, Roles, Tokens, Deleted } = changes
  const time = parseInstant(changes.Time)
  if (time === undefined) throw new BrokenAnswer('Time is no instant')
  if (changes.Index < 0) throw new BrokenAnswer('Index is negative')
  checkKeys('namespace', Namespaces, ({ Name }) => [Name], Deleted.Namespaces)
  checkKeys('policy', Policies, ({ ID }) => [ID], Deleted.Policies)
  checkKeys('role', Roles, ({ ID }) => [ID], Deleted.Roles)
  const usable = Tokens.filter((token) => !isUnusable(token))
  checkKeys('token', usable, idsOf, Deleted.Tokens)
  return {
    cluster: changes.Cluster,
    datacenter: changes.Datacenter,
    follows: changes.Follows,
    after: changes.After,
    index: changes.Index,
    time,
    isReset: changes.Reset === true,
    withoutAccessor: changes.WithoutAccessor ?? 0,
    hasMore: changes.More === true,
    unknownFields,
    namespaces: Namespaces,
    policies: Policies.map(({ Datacenters, ...rest }) => ({ ...rest, Datacenters })),
    roles: Roles,
    tokens: usable.map(tokenOf),
    unusable: Tokens.filter(isUnusable).map(skip),
    deleted: {
      namespaces: Deleted.Namespaces,
      policies: Deleted.Policies,
      roles: Deleted.Roles,
      tokens: Deleted.Tokens,
    },
  }
}

/** Drops fields of later versions, so that a newer primary does not stop replication. */
function parse(answer: unknown): { readonly changes: Changes; readonly unknownFields: readonly string[] } {
  const first = changesSchema.safeParse(answer)
  if (first.success) return { changes: first.data, unknownFields: [] }
  const unknown = first.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? [{ path: issue.path, keys: issue.keys }] : [],
  )
  const isRefused = unknown.some(({ keys }) => keys.includes('__proto__'))
  if (unknown.length < first.error.issues.length || isRefused) throw problemOf(first.error.issues)
  const copy: unknown = structuredClone(answer)
  for (const { path, keys } of unknown) {
    let holder = copy as Record<PropertyKey, unknown>
    for (const name of path) holder = holder[name] as Record<PropertyKey, unknown>
    for (const key of keys) delete holder[key]
  }
  const second = changesSchema.safeParse(copy)
  if (!second.success) throw problemOf(second.error.issues)
  return { changes: second.data, unknownFields: [...new Set(unknown.flatMap(({ keys }) => keys))] }
}

/** Names only the location, because a value may be a secret. */
function problemOf(issues: readonly { readonly path: readonly PropertyKey[] }[]): BrokenAnswer {
  const place = issues[0]?.path.join('.') ?? ''
  return new BrokenAnswer(`the answer has an unexpected form${place === '' ? '' : ` at ${place}`}`)
}

function checkKeys<R extends object>(
  kind: string,
  records: readonly R[],
  keysOf: (record: R) => readonly string[],
  deleted: readonly string[],
): void {
  if (records.length > RECORDS_MAX || deleted.length > RECORDS_MAX)
    throw new BrokenAnswer(`the answer has more than ${RECORDS_MAX} records of kind ${kind}`)
  const seen = new Set<string>(deleted)
  for (const [i, record] of records.entries()) {
    // The accessor and the secret of a token may be the same.
    for (const key of new Set(keysOf(record))) {
      if (key === '' || key.length > KEY_LENGTH_MAX) throw new BrokenAnswer(`${kind} ${i} has a broken id`)
      if (seen.has(key)) throw new BrokenAnswer(`${kind} ${i} is there twice`)
      seen.add(key)
    }
    if (JSON.stringify(record).length > RECORD_LENGTH_MAX) throw new BrokenAnswer(`${kind} ${i} is too long`)
  }
  if (deleted.some((key) => key.length > KEY_LENGTH_MAX))
    throw new BrokenAnswer(`a deleted ${kind} has a broken id`)
}

/** The IDs by which tokens are unique, whatever their kind. */
export function idsOf({ AccessorID, SecretID }: Pick<TokenRecord, 'AccessorID' | 'SecretID'>): string[] {
  return [AccessorID.toLowerCase(), idKey(SecretID)]
}

function isUnusable({ AccessorID, SecretID }: Changes['Tokens'][number]): boolean {
  return AccessorID === '' || SecretID === '' || SecretID === REDACTED_SECRET_ID
}

function skip({ AccessorID, SecretID }: Changes['Tokens'][number]): SkippedToken {
  const reason =
    AccessorID === '' ? 'it has no accessor' : SecretID === '' ? 'it has no secret' : 'its secret is hidden'
  return { accessorId: AccessorID.slice(0, KEY_LENGTH_MAX), reason }
}

/** The auth method that made the token is in another datacenter, so deleting a local method does not end the token. */
function tokenOf({ ExpirationTime, ...rest }: Changes['Tokens'][number]): TokenRecord {
  return { ...rest, ExpirationTime, Local: false, AuthMethodGeneration: 0 }
}

/** Each datacenter has its own indexes and auth methods. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['CreateIndex', 'ModifyIndex', 'AuthMethodGeneration'])

export function isSameContent<R extends ReplicatedRecord>(a: R, b: R): boolean {
  return isSame(contentOf(a), contentOf(b))
}

function contentOf(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !OWN_FIELDS.has(name)))
}

export function messageOf(error: unknown): string {
  if (error instanceof AclError) return `${error.message} (${error.code})`
  return error instanceof Error ? error.message : String(error)
}
