/** Validates the body of a session, and builds its record. Decisions: sessions. */

import { DEFAULT_NAMESPACE, invalidField } from '@latchkey/acl'
import {
  AclError,
  DurationSyntaxError,
  parseDurationMs,
  parseDurationNs,
  type SessionCreate,
  shorten,
} from '@latchkey/contract'
import type { Catalog } from '../catalog.ts'
import { CRITICAL } from '../records/catalog-records.ts'
import type { SessionBehavior, SessionRecord } from '../records/session-records.ts'
import { ALIVE_CHECK } from '../registration/register.ts'
import { SESSION_TTL_MS_MAX, SESSION_TTL_MS_MIN } from './session-times.ts'

const LOCK_DELAY_NS = 15_000_000_000
/** A number below this is in seconds. */
const SECONDS_BELOW = 1_000
const NANOSECONDS = 1_000_000_000
/** Limit of a signed 64-bit integer. */
const LOCK_DELAY_NS_BELOW = 2 ** 63

export interface SessionContext {
  readonly catalog: Catalog
  /** The node of the server, which is the default. */
  readonly ownNode: string
  readonly edition: 'standard' | 'extended'
  /** ID for the session. */
  readonly id: string
}

/**
 * The node of a new session, before any lookup.
 *
 * @throws AclError `field_required` for an empty one.
 */
export function nodeOfSession({ Node }: SessionCreate, ownNode: string): string {
  if (Node === '') throw new AclError('field_required', 'Must provide Node', { field: 'Node' })
  return Node ?? ownNode
}

/**
 * Builds a new session. The node of the server is treated as registered.
 *
 * @throws AclError `field_required`, `field_invalid`, `check_critical`, `namespace_unsupported`.
 */
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

/** @returns nanoseconds. */
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
