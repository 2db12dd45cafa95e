/** Validates the body of a session, and builds its record. Decisions: sessions. */

import { DEFAULT_NAMESPACE, invalidField, type KvRecord } from '@latchkey/acl'
import {
  AclError,
  DurationSyntaxError,
  parseDurationMs,
  parseDurationNs,
  type ServiceProfile,
  type Session,
  type SessionCreate,
  shorten,
} from '@latchkey/contract'
import { type Catalog, catalogKey } from '../catalog.ts'
import type { CatalogChange } from '../commit-rules.ts'
import { CRITICAL, checkKey } from '../records/catalog-records.ts'
import type { SessionBehavior, SessionRecord } from '../records/session-records.ts'
import { ALIVE_CHECK } from '../registration/register.ts'

const LOCK_DELAY_NS = 15_000_000_000
/** A number below this is in seconds. */
const SECONDS_BELOW = 1_000
const NANOSECONDS = 1_000_000_000
const LOCK_DELAY_NS_BELOW = 2 ** 63

export interface SessionContext {
  readonly catalog: Catalog
  /** The node of the server, which is the default. */
  readonly ownNode: string
  readonly edition: 'standard' | 'extended'
  readonly id: string
}

/** The node of a new session, before any lookup. */
export function nodeOfSession({ Node }: SessionCreate, ownNode: string): string {
  if (Node === '') throw new AclError('field_required', 'Must provide Node', { field: 'Node' })
  return Node ?? ownNode
}

/** Builds a new session. The node of the server is treated as registered. */
export function createSession(body: SessionCreate, context: SessionContext): SessionRecord {
  const { catalog, ownNode, id } = context
  const Node = nodeOfSession(body, ownNode)
  const times = { LockDelay: readLockDelay(body.LockDelay), TTL: readTtl(body.TTL) }
  const Behavior = readBehavior(body.Behavior)
  const ServiceChecks = readServiceChecks(body, context)
  const isOwn = Node.toLowerCase() === ownNode.toLowerCase()
  if (!isOwn && !catalog.node(Node)) throw invalidField('Node', 'Missing node registration')
  const { NodeChecks, Checks } = readCheckLists(body, () => catalog.check(Node, ALIVE_CHECK) !== undefined)
  const given = {
    NodeChecks: NodeChecks.map(ofNode),
    Checks: Checks.map(ofNode),
    ServiceChecks: ServiceChecks ?? [],
  }
  for (const [field, checks] of Object.entries(given)) {
    for (const { ID, Namespace } of checks) {
      const check = catalog.check(Node, ID, Namespace === '' ? DEFAULT_NAMESPACE : Namespace)
      if (!check) throw invalidField(field, `Missing check '${shorten(ID)}' registration`)
      if (check.Status === CRITICAL)
        throw new AclError('check_critical', `Check '${shorten(ID)}' is in ${CRITICAL} state`, { field })
    }
  }
  const { Name = '' } = body
  return {
    ...{ ID: id, Name, Node, ...times, Behavior, NodeChecks, ServiceChecks, Checks },
    CreateIndex: 0,
    ModifyIndex: 0,
  }
}

/**
 * The check list from before 1.7.0 replaces the newer list if only the old list is given. Without either, the session
 * depends on the process of its node.
 */
function readCheckLists(
  { NodeChecks, Checks }: SessionCreate,
  hasAliveCheck: () => boolean,
): Pick<SessionRecord, 'NodeChecks' | 'Checks'> {
  if (NodeChecks) return { NodeChecks, Checks: Checks ?? [] }
  if (Checks) return { NodeChecks: Checks, Checks: [] }
  return { NodeChecks: hasAliveCheck() ? [ALIVE_CHECK] : [], Checks: [] }
}

function readServiceChecks(
  { ServiceChecks }: SessionCreate,
  { edition }: SessionContext,
): SessionRecord['ServiceChecks'] {
  if (!ServiceChecks) return null
  return ServiceChecks.map(({ ID, Namespace = '' }, i) => {
    if (edition === 'standard' && Namespace !== '') {
      const problem = 'Invalid namespace: namespaces need the extended edition'
      throw new AclError('namespace_unsupported', problem, { field: `ServiceChecks[${i}].Namespace` })
    }
    return { ID, Namespace }
  })
}

function ofNode(ID: string): { readonly ID: string; readonly Namespace: string } {
  return { ID, Namespace: '' }
}

function readBehavior(given = ''): SessionBehavior {
  if (given === '' || given === 'release') return 'release'
  if (given === 'delete') return given
  throw invalidField('Behavior', `Invalid Behavior setting '${shorten(given)}'`)
}

function readLockDelay(given: SessionCreate['LockDelay']): number {
  if (given === undefined || given === null) return LOCK_DELAY_NS
  const field = 'LockDelay'
  const delay = Math.trunc(
    typeof given === 'number' ? inNanoseconds(given) : readDuration(given, field, parseDurationNs),
  )
  if (delay >= 0 && delay < LOCK_DELAY_NS_BELOW) return delay
  throw invalidField(field, 'Invalid LockDelay: it must be from 0 to 2^63 - 1 nanoseconds')
}

function inNanoseconds(given: number): number {
  return given < SECONDS_BELOW ? given * NANOSECONDS : given
}

function readTtl(given = ''): string {
  const ttlMs = given === '' ? 0 : readDuration(given, 'TTL', parseDurationMs)
  if (ttlMs === 0 || (ttlMs >= SESSION_TTL_MS_MIN && ttlMs <= SESSION_TTL_MS_MAX)) return given
  const problem = `Invalid Session TTL '${Math.round(ttlMs * 1_000_000)}', must be between [10s=24h0m0s]`
  throw invalidField('TTL', problem)
}

function readDuration(given: string, field: 'TTL' | 'LockDelay', parse: (text: string) => number): number {
  try {
    return parse(given)
  } catch (error) {
    if (!(error instanceof DurationSyntaxError)) throw error
    const prefix = field === 'TTL' ? `Session TTL '${shorten(given)}' invalid` : 'Request decode failed'
    throw invalidField(field, `${prefix}: time: ${shorten(error.message)}`)
  }
}

/** Longer lock delays are reduced to this value. */
const LOCK_DELAY_MS_MAX = 60_000
const SESSION_TTL_MS_MIN = 10_000
const SESSION_TTL_MS_MAX = 86_400_000
/** A session ends between its TTL and twice its TTL after its creation or last renewal: here, after twice its TTL. */
const LIFETIME_TTLS = 2
const NANOSECONDS_PER_MS = 1_000_000

/** How long after the end of a session no other session can lock its keys, in milliseconds. */
export function lockDelayMs({ LockDelay }: Pick<SessionRecord, 'LockDelay'>): number {
  return Math.min(LockDelay / NANOSECONDS_PER_MS, LOCK_DELAY_MS_MAX)
}

/** How long a session lives without renewal, in milliseconds; undefined if it does not expire. */
export function sessionLifetimeMs({ TTL }: Pick<SessionRecord, 'TTL'>): number | undefined {
  const ttlMs = TTL === '' ? 0 : parseDurationMs(TTL)
  return ttlMs ? ttlMs * LIFETIME_TTLS : undefined
}

/**
 * The sessions that a commit ends, each once: deleted sessions, sessions with a check that becomes critical
 * or is removed, and sessions of a removed node.
 * @param changes the changes of one commit, in order. The last change of a record is decisive.
 * @param before contains the deleted sessions, the sessions of deleted nodes, and the sessions that depend on
 * changed checks.
 */
export function endedSessions(
  changes: readonly CatalogChange[],
  before: Pick<Catalog, 'sessions'>,
): readonly SessionRecord[] {
  const last = new Map(
    changes.map((change) => [`${change.table} ${catalogKey(change.table, change.record)}`, change]),
  )
  const ended = new Map<string, SessionRecord>()
  for (const change of last.values())
    for (const session of endedBy(change, before)) ended.set(session.ID, session)
  return [...ended.values()]
}

function endedBy(change: CatalogChange, { sessions }: Pick<Catalog, 'sessions'>): readonly SessionRecord[] {
  const { table, op, record } = change
  if (table === 'checks') {
    return op === 'delete' || record.Status === CRITICAL ? sessions.withCheck(checkKey(record)) : []
  }
  if (op === 'put') return []
  if (table === 'nodes') return sessions.on(record.Node)
  const session = table === 'sessions' ? sessions.get(record.ID) : undefined
  return session ? [session] : []
}

/** The content that a request writes to a key, and its session. */
export interface LockRequest {
  readonly Namespace: string
  readonly Key: string
  readonly Flags: bigint
  readonly Value: Uint8Array
  readonly Session: string
}

/**
 * The record of a key after a session has locked it. LockIndex counts the locks since the key was created.
 * @param existing if absent, the key is created.
 * @returns undefined if another session holds the key.
 */
export function lockedKey(existing: KvRecord | undefined, request: LockRequest): KvRecord | undefined {
  const isMine = existing?.Session === request.Session
  if (!isMine && existing?.Session !== undefined) return undefined
  const { LockIndex = 0, CreateIndex = 0 } = existing ?? {}
  return { ...request, LockIndex: isMine ? LockIndex : LockIndex + 1, CreateIndex, ModifyIndex: 0 }
}

/**
 * The record of a key after a session has released it. LockIndex does not change. @returns undefined if the
 * session does not hold the key.
 */
export function releasedKey(existing: KvRecord | undefined, request: LockRequest): KvRecord | undefined {
  if (existing === undefined || existing.Session !== request.Session) return undefined
  const { Session: _, ...released } = { ...existing, Flags: request.Flags, Value: request.Value }
  return { ...released, ModifyIndex: 0 }
}

/** Whether a write would change nothing. */
export function isSameKey(existing: KvRecord | undefined, { Flags, Value, Session }: KvRecord): boolean {
  return (
    existing !== undefined &&
    existing.Session === Session &&
    existing.Flags === Flags &&
    existing.Value.length === Value.length &&
    Value.every((byte, i) => byte === existing.Value[i])
  )
}

/** A session in the answers of a service version. Before 1.7.0, `Checks` is its only list. */
export function showSession(record: SessionRecord, profile: ServiceProfile): Session {
  const { ID, Name, Node, LockDelay, Behavior, TTL, NodeChecks, ServiceChecks, Checks } = record
  const { CreateIndex, ModifyIndex } = record
  if (!profile.has('session.checkLists')) {
    const all = [...NodeChecks, ...Checks]
    return { ID, Name, Node, Checks: all, LockDelay, Behavior, TTL, CreateIndex, ModifyIndex }
  }
  return {
    ...{ ID, Name, Node, LockDelay, Behavior, TTL, NodeChecks: [...NodeChecks] },
    ServiceChecks: ServiceChecks && [...ServiceChecks],
    ...(Checks.length === 0 ? {} : { Checks: [...Checks] }),
    CreateIndex,
    ModifyIndex,
  }
}

/**
 * Whether info and renew fail because of the versions of the process that receives a request and of the leader: one is
 * 1.7.0 or 1.7.1, and the other is older. Spec 9.3 (1.7.0, 1.7.2).
 */
export function rejectsSessionQueries(own: ServiceProfile, leader: ServiceProfile): boolean {
  const isOld = (profile: ServiceProfile) => !profile.has('session.checkLists')
  const isFaulty = (profile: ServiceProfile) => profile.has('session.incompatibleQueries')
  return (isOld(own) && isFaulty(leader)) || (isFaulty(own) && isOld(leader))
}
