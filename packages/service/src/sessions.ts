/** Sessions: their endpoints, look-up by ID, rights by their nodes, and their end. Decisions: sessions. */
import { DEFAULT_NAMESPACE, isUuid, randomUuid } from '@latchkey/acl'
import type { SessionRecord } from '@latchkey/catalog'
import { createSession, nodeOfSession, rejectsSessionQueries, showSession } from '@latchkey/catalog'
import { AclError, parseServiceVersion, profileOf, type Session, shorten } from '@latchkey/contract'
import { nodeChanges } from './agent/own-node.ts'
import { mayIn, requireRight } from './caller/caller.ts'
import { type Context, type Handler, type JsonAnswer, json, tellLack } from './handler.ts'
import { put, remove } from './store/changes.ts'
import { decideAndCommitFor } from './store/commit.ts'
import { type Change, type Store, StoreConflict } from './store/store.ts'

/** Creates a session, and registers the server's own node if needed. Decisions: sessions. */
export const createSessionHandler: Handler<'sessions.create'> = (call) => {
  const { body, service } = call
  const { store, nodeName: ownNode, edition, random } = service
  const node = nodeOfSession(body, ownNode)
  requireSessionWrite(call, node)
  const id = randomUuid(random)
  return decideAndCommitFor(call, () => {
    const catalog = store.catalog()
    const isOwn = node.toLowerCase() === ownNode.toLowerCase()
    // Node names match case-insensitively, but rules do not.
    requireSessionWrite(call, isOwn ? ownNode : catalog.nodeName(node), node)
    const record = createSession(body, { catalog, ownNode, edition, id })
    return {
      changes: [...(isOwn ? nodeChanges(call, catalog) : []), put('sessions', record)],
      answer: () => json({ ID: record.ID }),
    }
  })
}

/** `true`, even if the record does not exist. */
export const destroySessionHandler: Handler<'sessions.destroy'> = (call) =>
  decideAndCommitFor(call, () => {
    const record = sessionInPath(call, call.params)
    if (!record) return { changes: [], answer: () => json(true) }
    requireSessionWrite(call, record.Node)
    return { changes: [remove('sessions', record)], answer: () => json(true) }
  })

/** A list of the session, or an empty list. */
export const sessionInfoHandler: Handler<'sessions.info'> = async (call) => {
  await requireCompatibleLeader(call)
  const session = sessionInPath(call, call.params)
  return answerSessions(call, session ? [session] : [])
}

export const nodeSessionsHandler: Handler<'sessions.node'> = (call) =>
  answerSessions(call, call.service.store.catalog().sessions.on(call.params.Node))

export const listSessionsHandler: Handler<'sessions.list'> = (call) =>
  answerSessions(call, call.service.store.catalog().sessions.values())

/** Restarts the TTL of a session. No index changes. */
export const renewSessionHandler: Handler<'sessions.renew'> = async (call) => {
  const { params, service } = call
  await requireCompatibleLeader(call)
  const session = sessionInPath(call, params)
  if (!session) throw noSuchSession(params.ID)
  requireSessionWrite(call, session.Node)
  if (!(await service.store.sessionTimes.renew(session.ID))) throw noSuchSession(params.ID)
  return json([showSession(session, service.profile)])
}

/** The answer of a read: the given sessions that the caller may see. */
function answerSessions(call: Context, sessions: readonly SessionRecord[]): JsonAnswer<Session[]> {
  const { profile } = call.service
  const visible = visibleSessions(call, sessions)
  const shown = visible.map((record) => showSession(record, profile))
  const watch = { topic: 'sessions', filtered: true } as const
  return tellLack(json(shown, watch), visible.length < sessions.length)
}

const MALFORMED = 'failed session lookup: index error: UUID must be 36 characters'

export function requireSessionId(id: string, field = 'ID'): void {
  if (!isUuid(id)) throw new AclError('id_invalid', MALFORMED, { field })
}

/** The session, unless the caller may not read it. @throws AclError `id_missing`, `id_invalid`. */
function sessionInPath(call: Context, { ID }: { readonly ID: string }): SessionRecord | undefined {
  if (ID === '') throw new AclError('id_missing', 'Missing session', { field: 'ID' })
  requireSessionId(ID)
  const found = call.service.store.catalog().sessions.get(ID)
  return found && visibleSessions(call, [found])[0]
}

function noSuchSession(id: string): AclError {
  return new AclError('not_found', `Session id '${shorten(id)}' not found`)
}

/**
 * Refuses requests that fail because the leader runs an incompatible version. Spec 9.3 (1.7.0, 1.7.2).
 * @throws AclError `session_incompatible`.
 */
async function requireCompatibleLeader({ service }: Context): Promise<void> {
  const { cluster, profile } = service
  if (profile.has('session.checkLists') && !profile.has('session.incompatibleQueries')) return
  const [address, members] = await Promise.all([cluster.leader(), cluster.members()])
  const leader = members.find((member) => member.address === address && member.status === 'alive')
  if (!leader || !rejectsSessionQueries(profile, profileOf(parseServiceVersion(leader.version)))) return
  throw new AclError('session_incompatible', `rpc error making call: ${MALFORMED}`)
}

/** @param given the name in the request, if the stored one has another case. @throws AclError `privilege_missing`. */
function requireSessionWrite({ caller }: Context, node: string, given = node): void {
  const question = { resource: 'session', segment: node, access: 'write' } as const
  requireRight(caller, DEFAULT_NAMESPACE, question, { segment: given })
}

function visibleSessions({ caller }: Context, sessions: readonly SessionRecord[]): readonly SessionRecord[] {
  return sessions.filter(({ Node }) =>
    mayIn(caller, DEFAULT_NAMESPACE, { resource: 'session', segment: Node, access: 'read' }),
  )
}

/** Maximum number of sessions that one commit ends, so that no write waits long behind it. */
const BATCH_SIZE_MAX = 64

/** Ends sessions whose lifetime is over. @returns whether more may be waiting. */
export async function endExpiredSessions(store: Store): Promise<boolean> {
  const expired = await store.sessionTimes.expired(BATCH_SIZE_MAX)
  const { sessions } = store.catalog()
  const changes = expired.flatMap((id): Change[] => {
    const record = sessions.get(id)
    return record ? [{ table: 'sessions', op: 'delete', record, expect: undefined, ifExpired: true }] : []
  })
  if (changes.length === 0) return false
  try {
    await store.commit(changes)
    return true
  } catch (error) {
    // One of the sessions was renewed or destroyed concurrently: the next round ends the rest.
    if (error instanceof StoreConflict) return false
    throw error
  }
}
