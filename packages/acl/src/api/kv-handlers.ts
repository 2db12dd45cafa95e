/** The key-value store, guarded by the rules. Spec 5.4; shapes of the reference world. */
import { AclError, type KvEntry, limits, utf8Length } from '@latchkey/contract'
import type { Question } from '../rules/question.ts'
import type { KvRecord } from '../store/records.ts'
import { kvTopic } from '../store/store.ts'
import { type Answer, type Call, json, missing } from './call.ts'
import { type Caller, requireRight } from './caller.ts'
import { decideAndCommit } from './commit.ts'

/** GET: one key, a tree (`recurse`), key names (`keys`, `separator`), or a value alone (`raw`). */
export function readKvHandler(call: Call): Promise<Answer> | Answer {
  if (call.query.has('keys')) return listKeys(call)
  if (call.query.has('recurse')) return readTree(call)
  return readKey(call)
}

async function readKey(call: Call): Promise<Answer> {
  const key = requireKey(call)
  requireKeyRead(call, key)
  const topic = kvTopic(call.namespace, key)
  const entry = await call.api.store.kvEntry(call.namespace, key)
  if (!entry) return missing(noSuchKey(), topic)
  if (!call.query.has('raw')) return json([showEntry(call, entry)], { topic })
  return {
    body: { kind: 'bytes', bytes: entry.Value, contentType: 'application/octet-stream' },
    watch: { topic },
  }
}

/**
 * Spec 5.4: no right on a key is a 403, whether the key exists or not. Before 1.0 it was a 404: this one place decides.
 */
function requireKeyRead(call: Call, key: string): void {
  const { caller, namespace, api } = call
  if (!api.aclEnabled) return
  try {
    requireRight(caller, namespace, { resource: 'key', segment: key, access: 'read' })
  } catch (error) {
    throw api.profile.has('kv.forbidden403') ? error : noSuchKey()
  }
}

/** Every entry below a prefix that the caller may read; nothing readable is a 404. Reference, upgrade 5.1. */
async function readTree(call: Call): Promise<Answer> {
  const prefix = call.params.Key ?? ''
  const entries = await visibleEntries(call, prefix)
  const watch = { topic: 'kv', filtered: true } as const
  if (entries.length === 0) return { ...missing(noSuchKey(), 'kv'), watch }
  return json(
    entries.map((entry) => showEntry(call, entry)),
    watch,
  )
}

/** Names below a prefix; with a separator, cut after its first place behind the prefix. */
async function listKeys(call: Call): Promise<Answer> {
  const prefix = call.params.Key ?? ''
  const separator = call.query.get('separator')
  const names = new Set<string>()
  for (const entry of await visibleEntries(call, prefix)) {
    const cut = separator === undefined ? -1 : entry.Key.indexOf(separator, prefix.length)
    names.add(cut < 0 ? entry.Key : entry.Key.slice(0, cut + (separator?.length ?? 0)))
  }
  const watch = { topic: 'kv', filtered: true } as const
  const entriesExist = names.size > 0
  if (!entriesExist && (await call.api.store.kvEntries(call.namespace, prefix)).length === 0) {
    return { ...missing(noSuchKey(), 'kv'), watch }
  }
  return json([...names], watch)
}

async function visibleEntries(call: Call, prefix: string): Promise<readonly KvRecord[]> {
  const entries = await call.api.store.kvEntries(call.namespace, prefix)
  if (!call.api.aclEnabled) return entries
  return entries.filter((entry) =>
    mayDo(call.caller, call.namespace, { resource: 'key', segment: entry.Key, access: 'read' }),
  )
}

function mayDo(caller: Caller, namespace: string, question: Question): boolean {
  return (caller.isGlobal || caller.token.Namespace === namespace) && caller.authorizer.decide(question)
}

/** PUT: `true`, or `false` where `cas` does not hold. */
export async function writeKvHandler(call: Call): Promise<Answer> {
  const key = requireKey(call)
  refuseSessions(call)
  requireKeyRight(call, key, 'write')
  const Flags = parseCount(call, 'flags', 0)
  const cas = call.query.has('cas') ? parseCount(call, 'cas', 0) : undefined
  const { store } = call.api
  return decideAndCommit(store, async () => {
    const existing = await store.kvEntry(call.namespace, key)
    if (cas !== undefined && cas !== (existing?.ModifyIndex ?? 0))
      return { changes: [], answer: () => json(false) }
    const record: KvRecord = {
      Key: key,
      Flags,
      Value: call.body,
      LockIndex: existing?.LockIndex ?? 0,
      CreateIndex: existing?.CreateIndex ?? 0,
      ModifyIndex: 0,
      Namespace: call.namespace,
    }
    return {
      changes: [
        {
          table: 'kv',
          op: 'put',
          record,
          expect: cas === undefined ? undefined : (existing?.ModifyIndex ?? 0),
        },
      ],
      answer: () => json(true),
    }
  })
}

/** DELETE: `true`, also for what was not there; `false` where `cas` does not hold. */
export async function deleteKvHandler(call: Call): Promise<Answer> {
  if (call.query.has('recurse')) return deleteTree(call)
  const key = requireKey(call)
  requireKeyRight(call, key, 'write')
  const cas = call.query.has('cas') ? parseCount(call, 'cas', 1) : undefined
  const { store } = call.api
  return decideAndCommit(store, async () => {
    const existing = await store.kvEntry(call.namespace, key)
    if (cas !== undefined && cas !== existing?.ModifyIndex) return { changes: [], answer: () => json(false) }
    if (!existing) return { changes: [], answer: () => json(true) }
    return {
      changes: [{ table: 'kv', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })
}

async function deleteTree(call: Call): Promise<Answer> {
  const prefix = call.params.Key ?? ''
  if (call.query.has('cas')) {
    throw new AclError('query_invalid', 'Conflicting flags: recurse and cas exclude each other', {
      field: 'cas',
    })
  }
  requireKeyRight(call, prefix, 'write-prefix')
  await call.api.store.commit([{ table: 'kv', op: 'delete-tree', namespace: call.namespace, prefix }])
  return json(true)
}

function requireKeyRight(call: Call, segment: string, access: 'write' | 'write-prefix'): void {
  if (call.api.aclEnabled) requireRight(call.caller, call.namespace, { resource: 'key', segment, access })
}

function requireKey(call: Call): string {
  const key = call.params.Key ?? ''
  if (key === '') throw new AclError('id_missing', 'Missing key name', { field: 'Key' })
  if (utf8Length(key) > limits.KV_KEY_BYTES_MAX) {
    throw new AclError('field_too_long', `Key must be at most ${limits.KV_KEY_BYTES_MAX} bytes long`, {
      field: 'Key',
    })
  }
  return key
}

function refuseSessions(call: Call): void {
  for (const option of ['acquire', 'release'] as const) {
    if (!call.query.has(option)) continue
    throw new AclError('session_unsupported', `${option} needs sessions, which this service does not have`, {
      field: option,
    })
  }
}

/** An unsigned number that a double holds exactly. */
function parseCount(call: Call, option: 'flags' | 'cas', min: number): number {
  const text = call.query.get(option)
  if (text === undefined) return min
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value) || value < min) {
    throw new AclError(
      'query_invalid',
      `Invalid ${option}: it must be a whole number from ${min} to 2^53 - 1`,
      {
        field: option,
      },
    )
  }
  return value
}

function noSuchKey(): AclError {
  return new AclError('not_found', '')
}

function showEntry(call: Call, entry: KvRecord): KvEntry {
  return {
    LockIndex: entry.LockIndex,
    Key: entry.Key,
    Flags: entry.Flags,
    Value: entry.Value.length === 0 ? null : toBase64(entry.Value),
    CreateIndex: entry.CreateIndex,
    ModifyIndex: entry.ModifyIndex,
    ...(call.api.edition === 'extended' ? { Namespace: entry.Namespace } : {}),
  }
}

/** In pieces, as a call takes only so many arguments. */
function toBase64(bytes: Uint8Array): string {
  const PIECE = 8_192
  let binary = ''
  for (let at = 0; at < bytes.length; at += PIECE)
    binary += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(binary)
}
