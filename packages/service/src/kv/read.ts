import { type Answer, type Call, json, missing } from '../handler.ts'
import { kvTopic } from '../store/store.ts'
import { requireKey, requireKeyRight } from './key.ts'
import { noSuchKey, showEntry } from './kv-entry.ts'
import { listKeys, readTree } from './kv-tree.ts'

/** One key, a tree (`recurse`), key names (`keys`, `separator`), or a value alone (`raw`). Spec 5.4. */
export function readKvHandler(call: Call<'kv.read'>): Promise<Answer<'kv.read'>> {
  if (call.query.keys) return listKeys(call)
  if (call.query.recurse) return readTree(call)
  return readKey(call)
}

async function readKey(call: Call<'kv.read'>): Promise<Answer<'kv.read'>> {
  const key = requireKey(call.params)
  requireKeyRead(call, key)
  const topic = kvTopic(call.namespace, key)
  const entry = await call.service.store.kvEntry(call.namespace, key)
  if (!entry) return missing(noSuchKey(), { topic, isOwn: true })
  const watch = { topic, modifyIndex: entry.ModifyIndex }
  if (!call.query.raw) return json([showEntry(call, entry)], watch)
  return {
    body: { kind: 'bytes', bytes: entry.Value, contentType: 'application/octet-stream' },
    watch,
  }
}

/**
 * Spec 5.4: no right on a key is a 403, whether the key exists or not. Before 1.0 it was a 404: this one place decides.
 */
function requireKeyRead(call: Call<'kv.read'>, key: string): void {
  try {
    requireKeyRight(call, key, 'read')
  } catch (error) {
    throw call.service.profile.has('kv.forbidden403') ? error : noSuchKey()
  }
}
