import type { KvRecord } from '@latchkey/acl'
import { type Answer, type Call, json, missing } from '../handler.ts'
import { requireSessionId } from '../sessions.ts'
import { kvTopic } from '../store/store.ts'
import { requireKey, requireKeyRight } from './key.ts'
import { makeLongText, noSuchKey, showEntry } from './kv-entry.ts'
import { listKeys, readTree } from './kv-tree.ts'

/**
 * Reads one key, a tree (`recurse`) or key names (`keys`, `separator`), of one `session` or all, or only a value (`raw`). Spec
 * 5.4.
 */
export function readKvHandler(call: Call<'kv.read'>): Promise<Answer<'kv.read'>> {
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
    return {
      body: { kind: 'bytes', bytes: entry.Value, contentType: 'application/octet-stream' },
      watch,
    }
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
