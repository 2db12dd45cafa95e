/** Keys. A lock is a conditional write: losing a race answers `false`. Spec 5.4; decisions: sessions. */
import type { KvRecord } from '@latchkey/acl'
import { isSameKey, type LockRequest, lockedKey, releasedKey } from '@latchkey/catalog'
import { AclError, shorten } from '@latchkey/contract'
import { type Answer, type Call, type Handler, json, missing } from '../handler.ts'
import { requireSessionId } from '../sessions.ts'
import { put, remove } from '../store/changes.ts'
import { type Decision, decideAndCommitFor } from '../store/commit.ts'
import { kvTopic } from '../store/store.ts'
import { makeLongText, noSuchKey, requireKey, requireKeyRight, showEntry } from './kv-entry.ts'
import { listKeys, readTree } from './kv-tree.ts'

/**
 * Reads one key, a tree (`recurse`) or key names (`keys`, `separator`), of one `session` or all, or only a value (`raw`). Spec
 * 5.4.
 */
export const readKvHandler: Handler<'kv.read'> = (call) => {
  const { session } = call.query
  if (session !== undefined) requireSessionId(session, 'session')
  if (call.query.keys) return listKeys(call)
  if (call.query.recurse) return readTree(call)
  return readKey(call)
}

/** Rendering a longer one takes milliseconds. */
const LONG_VALUE_BYTES = 65_536

async function readKey(call: Call<'kv.read'>): Promise<Answer<'kv.read'>> {
  const key = requireKey(call.params)
  requireKeyRead(call, key)
  const { store } = call.service
  const topic = kvTopic(call.namespace, key)
  const answer = (entry: KvRecord | undefined): Answer<'kv.read'> => {
    if (!entry) return missing(noSuchKey(), { topic, isOwn: true })
    const watch = { topic, modifyIndex: entry.ModifyIndex }
    if (!call.query.raw) return json([showEntry(call, entry)], watch)
    return { body: { kind: 'bytes', bytes: entry.Value, contentType: 'application/octet-stream' }, watch }
  }
  const readWhole = async () => answer(await store.kvEntry(call.namespace, key))
  if (call.query.raw) return readWhole()
  // A long value is only read when it is rendered, so waiting requests keep none in memory.
  const entry = await store.kvShortEntry(call.namespace, key, LONG_VALUE_BYTES)
  const isLong = entry === 'long' || (entry !== undefined && entry.Value.length > LONG_VALUE_BYTES)
  return isLong ? makeLongText(call, readWhole) : answer(entry)
}

/**
 * Spec 5.4: without the right to a key, the answer is a 403, whether or not the key exists. Before 1.0 it was a 404. Only this
 * function decides which.
 */
function requireKeyRead(call: Call<'kv.read'>, key: string): void {
  try {
    requireKeyRight(call, key, 'read')
  } catch (error) {
    throw call.service.profile.has('kv.forbidden403') ? error : noSuchKey()
  }
}

/** `true`, or `false` if `cas`, `acquire` or `release` does not hold. Spec 5.4. */
export const writeKvHandler: Handler<'kv.write'> = (call) => {
  const { body, namespace, query } = call
  const key = requireKey(call.params)
  refuseConflicts(query)
  requireKeyRight(call, key, 'write')
  const { flags: Flags = 0n, cas, acquire, release } = query
  const request = { Namespace: namespace, Key: key, Flags, Value: body }
  const session = acquire ?? release
  if (session === '') {
    const field = acquire === undefined ? 'release' : 'acquire'
    throw new AclError('id_missing', 'missing session', { field })
  }
  if (acquire !== undefined) return lockKey(call, { ...request, Session: acquire.toLowerCase() })
  if (release !== undefined) return releaseKey(call, { ...request, Session: release.toLowerCase() })
  const { store } = call.service
  return decideAndCommitFor(call, async () => {
    const existing = await store.kvEntry(namespace, key)
    const index = existing?.ModifyIndex ?? 0
    if (cas !== undefined && cas !== BigInt(index)) return { changes: [], answer: () => json(false) }
    const record: KvRecord = {
      ...request,
      LockIndex: existing?.LockIndex ?? 0,
      ...(existing?.Session === undefined ? {} : { Session: existing.Session }),
      CreateIndex: existing?.CreateIndex ?? 0,
      ModifyIndex: 0,
    }
    if (isSameKey(existing, record)) return { changes: [], answer: () => json(true) }
    return {
      changes: [{ table: 'kv', op: 'put', record, expect: cas === undefined ? undefined : index }],
      answer: () => json(true),
    }
  })
}

/** A write has at most one condition. @throws AclError `query_invalid`. */
function refuseConflicts(query: Call<'kv.write'>['query']): void {
  const given = (['acquire', 'cas', 'release'] as const).filter((option) => option in query)
  if (given.length < 2) return
  const flags = given.map((option) => `${option}=${shorten(String(query[option]))}`).join('&')
  const field = given.find((option) => option !== 'cas') ?? 'cas'
  throw new AclError('query_invalid', `Conflicting flags: ${flags}`, { field })
}

/** `true`, even if the key did not exist and whatever `cas` says; `false` if the key has another ModifyIndex. Spec 5.4. */
export const deleteKvHandler: Handler<'kv.delete'> = async (call) => {
  if (call.query.recurse) return deleteTree(call)
  const key = requireKey(call.params)
  requireKeyRight(call, key, 'write')
  const { cas } = call.query
  const { store } = call.service
  return decideAndCommitFor(call, async () => {
    const existing = await store.kvEntry(call.namespace, key)
    if (!existing) return { changes: [], answer: () => json(true) }
    if (cas !== undefined && cas !== BigInt(existing.ModifyIndex))
      return { changes: [], answer: () => json(false) }
    return { changes: [remove('kv', existing)], answer: () => json(true) }
  })
}

async function deleteTree(call: Call<'kv.delete'>): Promise<Answer<'kv.delete'>> {
  const { Key: prefix } = call.params
  const message = 'Conflicting flags: recurse and cas exclude each other'
  if ('cas' in call.query) throw new AclError('query_invalid', message, { field: 'recurse' })
  requireKeyRight(call, prefix, 'write-prefix')
  await call.service.store.commit([{ table: 'kv', op: 'delete-tree', namespace: call.namespace, prefix }])
  return json(true)
}

/** `false` if another session holds the key, or a lock delay blocks it. */
function lockKey(call: Call<'kv.write'>, request: LockRequest): Promise<Answer<'kv.write'>> {
  const { store } = call.service
  const { Namespace, Key, Session } = request
  requireSessionId(Session, 'acquire')
  const refused: Decision<Answer<'kv.write'>> = { changes: [], answer: () => json(false) }
  return decideAndCommitFor(call, async () => {
    if (!store.catalog().sessions.get(Session))
      throw new AclError('session_unknown', `invalid session "${shorten(Session)}"`, { field: 'acquire' })
    const existing = await store.kvEntry(Namespace, Key)
    const record = lockedKey(existing, request)
    if (!record) return refused
    if (isSameKey(existing, record)) return { changes: [], answer: () => json(true) }
    const isHeld = existing?.Session === Session
    if (!isHeld && (await store.sessionTimes.isDelayed(Namespace, Key))) return refused
    return { changes: [put('kv', record, existing)], answer: () => json(true) }
  })
}

/** `false` if the session does not hold the key, or does not exist. */
function releaseKey(call: Call<'kv.write'>, request: LockRequest): Promise<Answer<'kv.write'>> {
  return decideAndCommitFor(call, async () => {
    const existing = await call.service.store.kvEntry(request.Namespace, request.Key)
    const record = releasedKey(existing, request)
    if (!record) return { changes: [], answer: () => json(false) }
    return { changes: [put('kv', record, existing)], answer: () => json(true) }
  })
}
