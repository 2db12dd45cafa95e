/**
 * Trees of keys: entries (`recurse`) and names (`keys`). Rights come before the store, names before values, and pages
 * before the whole, so that nothing costs more than what the caller may see. Decisions: list streaming.
 */
import type { KvRecord } from '@latchkey/acl'
import type { KvEntry } from '@latchkey/contract'
import { Fingerprint } from '../blocking/shown.ts'
import { isAtHome } from '../caller/caller.ts'
import { type Call, type Context, type JsonAnswer, json, missing, type Watch } from '../handler.ts'
import { type JsonElements, joinElements, jsonElements } from '../reply/json-text.ts'
import type { KvRange } from '../store/store.ts'
import { makeLongText, noSuchKey, showEntry } from './kv-entry.ts'

/** A tree with a longer text than this is streamed. */
const WHOLE_LENGTH_MAX = 1_048_576

const WATCH: Watch = { topic: 'kv', filtered: true }

/** Elements of the answer, as far as the caller may see them. */
interface Visible<T, E> {
  readonly pages: AsyncIterable<readonly T[]>
  readonly show: (element: T) => E
  /** Everything that makes the answer another, in order, without its values. */
  readonly marks: () => AsyncIterable<readonly string[]>
}

/** Every entry below a prefix that the caller may read; 404 if none is. Decisions: key value. */
export async function readTree(call: Call<'kv.read'>): Promise<JsonAnswer<KvEntry[]>> {
  const { Key: prefix } = call.params
  const answer = mayReadBelow(call, prefix)
    ? await answerWith(call, {
        pages: visibleEntries(call, prefix),
        show: (entry) => showEntry(call, entry),
        marks: () => visibleMarks(call, prefix),
      })
    : undefined
  return answer ?? nothing()
}

/**
 * Names below a prefix; with a separator, cut after its first place behind the prefix. None is a 404, and an empty list
 * where all names are asked for, whether or not there are some that the caller may not read.
 */
export async function listKeys(call: Call<'kv.read'>): Promise<JsonAnswer<string[]>> {
  const { Key: prefix } = call.params
  const names = () => visibleNames(call, prefix)
  const answer = mayReadBelow(call, prefix)
    ? await answerWith(call, { pages: names(), show: (name) => name, marks: names })
    : undefined
  return answer ?? (prefix === '' ? json([], WATCH) : nothing())
}

function nothing(): JsonAnswer<never> {
  return missing(noSuchKey(), WATCH)
}

/** In one piece where that is short, else page by page; `undefined` where there is nothing to show. */
function answerWith<T, E>(call: Context, visible: Visible<T, E>): Promise<JsonAnswer<E[]> | undefined> {
  // Few begin at once: each holds its first pages until they are written.
  return makeLongText(call, () => begin(call, visible))
}

async function begin<T, E>(
  call: Context,
  { pages, show, marks }: Visible<T, E>,
): Promise<JsonAnswer<E[]> | undefined> {
  const texts = textsOf(call, pages, show)
  const held: JsonElements<E[]>[] = []
  let length = 0
  for (let page = await texts.next(); !page.done; page = await texts.next()) {
    held.push(page.value)
    length += page.value.length
    if (length <= WHOLE_LENGTH_MAX) continue
    const watch = call.isBlocking ? { ...WATCH, fingerprint: await fingerprintOf(marks()) } : WATCH
    return { body: { kind: 'json-stream', pages: joined(call, held, texts) }, watch }
  }
  if (held.length === 0) return undefined
  return { body: { kind: 'json-text', text: joinElements(held) }, watch: WATCH }
}

/** Elements of a JSON array as text; never an empty one. */
async function* textsOf<T, E>(
  { turns }: Context,
  pages: AsyncIterable<readonly T[]>,
  show: (element: T) => E,
): AsyncGenerator<JsonElements<E[]>, undefined> {
  for await (const page of pages) {
    if (page.length === 0) continue
    await turns.next()
    yield jsonElements(page.map(show))
  }
}

async function* joined<E>(
  call: Context,
  held: JsonElements<E[]>[],
  rest: AsyncGenerator<JsonElements<E[]>>,
): AsyncGenerator<JsonElements<E[]>> {
  try {
    for (let page = held.shift(); page !== undefined; page = held.shift()) yield page
    for (;;) {
      const page = await makeLongText(call, () => rest.next())
      if (page.done) return
      yield page.value
    }
  } finally {
    // The reader may leave before the rest has begun.
    await rest.return(undefined)
  }
}

async function fingerprintOf(marks: AsyncIterable<readonly string[]>): Promise<string> {
  const fingerprint = new Fingerprint()
  for await (const page of marks) for (const mark of page) fingerprint.add(`${mark}\n`)
  return fingerprint.text
}

async function* visibleMarks(call: Context, prefix: string): AsyncGenerator<readonly string[]> {
  for await (const page of call.service.store.kvKeys(rangeOf(call, prefix))) {
    const mayRead = await readerNow(call)
    yield page.filter(({ Key }) => mayRead(Key)).map(({ Key, ModifyIndex }) => `${Key}\n${ModifyIndex}`)
  }
}

/** Sorted as keys are, so the names that are cut to one follow each other. */
async function* visibleNames(call: Call<'kv.read'>, prefix: string): AsyncGenerator<readonly string[]> {
  const { separator } = call.query
  let last: string | undefined
  for await (const page of call.service.store.kvKeys(rangeOf(call, prefix))) {
    const mayRead = await readerNow(call)
    const names: string[] = []
    for (const { Key } of page) {
      if (!mayRead(Key)) continue
      const cut = separator === undefined ? -1 : Key.indexOf(separator, prefix.length)
      const name = cut < 0 ? Key : Key.slice(0, cut + (separator?.length ?? 0))
      if (name !== last) names.push(name)
      last = name
    }
    yield names
  }
}

/** Values of hidden keys are read only beside visible ones: where a page ends with a hidden key, names lead on. */
async function* visibleEntries(call: Context, prefix: string): AsyncGenerator<readonly KvRecord[]> {
  let after: string | undefined = ''
  if (!(await readerNow(call))(prefix)) after = await lastHidden(call, prefix, after)
  while (after !== undefined) {
    let hidden: string | undefined
    for await (const page of call.service.store.kvEntries({ ...rangeOf(call, prefix), after })) {
      const mayRead = await readerNow(call)
      yield page.filter(({ Key }) => mayRead(Key))
      const last = page.at(-1)
      if (!last || mayRead(last.Key)) continue
      hidden = last.Key
      break
    }
    after = hidden === undefined ? undefined : await lastHidden(call, prefix, hidden)
  }
}

/** The key before the next one that is visible; `undefined` where none follows. */
async function lastHidden(call: Context, prefix: string, after: string): Promise<string | undefined> {
  let hidden = after
  for await (const page of call.service.store.kvKeys({ ...rangeOf(call, prefix), after })) {
    const mayRead = await readerNow(call)
    for (const { Key } of page) {
      if (mayRead(Key)) return hidden
      hidden = Key
    }
  }
  return undefined
}

function rangeOf({ namespace }: Context, prefix: string): KvRange {
  return { namespace, prefix }
}

/**
 * What may be read by the rights that hold now, when a page has come: a long answer takes its time, and what is written
 * after a right was taken away is not shown (COH-10).
 *
 * @throws AclError `caller_unknown` where the caller is gone.
 */
async function readerNow(call: Context): Promise<(key: string) => boolean> {
  const { service, callers, caller, namespace } = call
  if (!service.aclEnabled) return () => true
  const secretId = caller.presented ? caller.token.SecretID : undefined
  const directory = service.store.directory()
  const { token } = await callers.resolve(secretId, service.store)
  const rights = await callers.rightsOf(token, directory)
  if (!isAtHome({ token, ...rights }, namespace)) return () => false
  return (key) => rights.authorizer.decide({ resource: 'key', segment: key, access: 'read' })
}

function mayReadBelow({ service, caller, namespace }: Context, prefix: string): boolean {
  if (!service.aclEnabled) return true
  return isAtHome(caller, namespace) && caller.authorizer.policies.mayReadBelow(prefix)
}
