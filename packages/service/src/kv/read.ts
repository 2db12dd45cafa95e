import { type Answer, type Call, json, missing } from '../handler.ts'
import { kvTopic } from '../store/store.ts'
import { requireKey, requireKeyRight } from './key.ts'
import { makeLongText, noSuchKey, showEntry } from './kv-entry.ts'
import { listKeys, readTree } from './kv-tree.ts'

/** One key, a tree (`recurse`), key names (`keys`, `separator`), or a value alone (`raw`). Spec 5.4. */
export function readKvHandler(call: Call<'kv.read'>): Promise<Answer<'kv.read'>> {
  if (call.query.keys) return listKeys(call)
  if (call.query.recurse) return readTree(call)
  return readKey(call)
}

/** Showing a longer one takes milliseconds. */
const LONG_VALUE_BYTES = 65_536

async function readKey(call: Call<'kv.read'>): Promise<Answer<'kv.read'>> {
  const key = requireKey(call.params)
  requireKeyRead(call, key)
  const topic = kvTopic(call.namespace, key)
  const read = async () => call.service.store.kvEntry(call.namespace, key)
  let entry = await read()
  const gone = () => missing(noSuchKey(), { topic, isOwn: true })
  if (!entry) return gone()
  if (!call.query.raw && entry.Value.length > LONG_VALUE_BYTES) {
    // Not held while others are shown: most often the store has it in memory.
    entry = undefined
    return makeLongText(call, async () => {
      const now = await read()
      return now ? json([showEntry(call, now)], { topic, modifyIndex: now.ModifyIndex }) : gone()
    })
  }
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
