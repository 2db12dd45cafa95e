/**
 * Trees of keys: entries (`recurse`) and names (`keys`). Checks rights before it reads the store, reads names before values,
 * and works page by page, so that nothing costs more than what the caller may see. Decisions: list streaming.
 */
import type { KvRecord } from '@latchkey/acl'
import type { KvEntry } from '@latchkey/contract'
import { Fingerprint } from '../blocking/shown.ts'
import { isAtHome } from '../caller/caller.ts'
import { type Call, type Context, type JsonAnswer, json, missing, type Watch } from '../handler.ts'
import { type JsonElements, joinElements, jsonElements } from '../reply/json-text.ts'
import type { KvRange } from '../store/store.ts'
import { makeLongText, noSuchKey, showEntry } from './kv-entry.ts'

/** Trees with a longer text are streamed. */
const WHOLE_LENGTH_MAX = 1_048_576

const WATCH: Watch = { topic: 'kv', filtered: true }

/** Where reading continues: after this key (empty: from the first), with this name as the last one shown. */
interface Place {
  readonly after: string
  readonly name?: string | undefined
}

/** Elements that the caller may see, perhaps none, and the position at which they end. */
interface Page<T> {
  readonly elements: T
  readonly end: Place
}

type Marks = Pick<Page<readonly string[]>, 'elements'>

interface Visible<T, E> {
  readonly pages: (from: Place) => AsyncIterable<Page<readonly T[]>>
  readonly show: (element: T) => E
  /** In order, what identifies the content of the answer without its values. */
  readonly marks: () => AsyncIterable<Marks>
}

const START: Place = { after: '' }

export async function readTree(call: Call<'kv.read'>): Promise<JsonAnswer<KvEntry[]>> {
  const { Key: prefix } = call.params
  const answer = mayReadBelow(call, prefix)
    ? await answerWith(call, {
        pages: (from) => visibleEntries(call, prefix, from),
        show: (entry) => showEntry(call, entry),
        marks: () => visibleMarks(call, prefix),
      })
    : undefined
  return answer ?? nothing()
}

/**
 * Names below a prefix; with a separator, cut after its first occurrence behind the prefix. If there are none, the answer is a
 * 404, or for the empty prefix an empty list, whether or not there are names that the caller may not read.
 */
export async function listKeys(call: Call<'kv.read'>): Promise<JsonAnswer<string[]>> {
  const { Key: prefix } = call.params
  const pages = (from: Place) => visibleNames(call, prefix, from)
  const answer = mayReadBelow(call, prefix)
    ? await answerWith(call, { pages, show: (name) => name, marks: () => pages(START) })
    : undefined
  return answer ?? (prefix === '' ? json([], WATCH) : nothing())
}

function nothing(): JsonAnswer<never> {
  return missing(noSuchKey(), WATCH)
}

/** In one piece if the answer is short, or else page by page; `undefined` if there is nothing to show. */
function answerWith<T, E>(call: Context, visible: Visible<T, E>): Promise<JsonAnswer<E[]> | undefined> {
  // Few start concurrently, because each keeps its first pages until they are written.
  return makeLongText(call, () => begin(call, visible))
}

async function begin<T, E>(call: Context, visible: Visible<T, E>): Promise<JsonAnswer<E[]> | undefined> {
  const held: JsonElements<E[]>[] = []
  let length = 0
  for await (const { elements, end } of textsOf(call, visible, START)) {
    held.push(elements)
    length += elements.length
    if (length <= WHOLE_LENGTH_MAX) continue
    const watch = call.isBlocking ? { ...WATCH, fingerprint: await fingerprintOf(visible.marks()) } : WATCH
    return { body: { kind: 'json-stream', pages: streamed(call, visible, { held, end }) }, watch }
  }
  if (held.length === 0) return undefined
  return { body: { kind: 'json-text', text: joinElements(held) }, watch: WATCH }
}

/** Elements of a JSON array as text, never empty. */
async function* textsOf<T, E>(
  { turns }: Context,
  { pages, show }: Visible<T, E>,
  from: Place,
): AsyncGenerator<Page<JsonElements<E[]>>, undefined> {
  for await (const { elements, end } of pages(from)) {
    if (elements.length === 0) continue
    await turns.next()
    yield { elements: jsonElements(elements.map(show)), end }
  }
}

/**
 * The pages of a long answer, each read on demand by a generator of its own. Between two pages only the position is kept: a
 * suspended generator would keep its last page, which is a megabyte for each of many slow readers.
 */
function streamed<T, E>(
  call: Context,
  visible: Visible<T, E>,
  { held, end }: { readonly held: JsonElements<E[]>[]; readonly end: Place },
): AsyncIterable<JsonElements<E[]>> {
  let place = end
  const next = async (): Promise<IteratorResult<JsonElements<E[]>, undefined>> => {
    // Sent as one piece, because held text only counts as unread once it is written.
    if (held.length > 0) return { done: false, value: held.splice(0).join(',') as JsonElements<E[]> }
    const page = await makeLongText(call, () => firstOf(textsOf(call, visible, place)))
    if (!page) return { done: true, value: undefined }
    place = page.end
    return { done: false, value: page.elements }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

async function firstOf<T>(generator: AsyncGenerator<T, undefined>): Promise<T | undefined> {
  const { value } = await generator.next()
  await generator.return(undefined)
  return value
}

async function fingerprintOf(marks: AsyncIterable<Marks>): Promise<string> {
  const fingerprint = new Fingerprint()
  for await (const { elements } of marks) for (const mark of elements) fingerprint.add(`${mark}\n`)
  return fingerprint.text
}

async function* visibleMarks(call: Call<'kv.read'>, prefix: string): AsyncGenerator<Marks> {
  for await (const page of call.service.store.kvKeys(rangeOf(call, prefix))) {
    const mayRead = await readerNow(call)
    const seen = page.filter(({ Key }) => mayRead(Key))
    yield { elements: seen.map(({ Key, ModifyIndex }) => `${Key}\n${ModifyIndex}`) }
  }
}

/** Keys are sorted, so those that are cut to the same name are adjacent. */
async function* visibleNames(
  call: Call<'kv.read'>,
  prefix: string,
  { after, name: shown }: Place,
): AsyncGenerator<Page<readonly string[]>> {
  const { separator } = call.query
  let last = shown
  for await (const page of call.service.store.kvKeys({ ...rangeOf(call, prefix), after })) {
    const mayRead = await readerNow(call)
    const elements: string[] = []
    for (const { Key } of page) {
      if (!mayRead(Key)) continue
      const cut = separator === undefined ? -1 : Key.indexOf(separator, prefix.length)
      const name = cut < 0 ? Key : Key.slice(0, cut + (separator?.length ?? 0))
      if (name !== last) elements.push(name)
      last = name
    }
    yield { elements, end: { after: page.at(-1)?.Key ?? after, name: last } }
  }
}

/**
 * Reads values of hidden keys only if they share a page with visible ones: after a page that ends with a hidden key, it skips
 * ahead by names.
 */
async function* visibleEntries(
  call: Call<'kv.read'>,
  prefix: string,
  from: Place,
): AsyncGenerator<Page<readonly KvRecord[]>> {
  let { after } = from
  let isHidden = !(await readerNow(call))(after === '' ? prefix : after)
  do {
    const start = isHidden ? await lastHidden(call, prefix, after) : after
    if (start === undefined) return
    isHidden = false
    for await (const page of call.service.store.kvEntries({ ...rangeOf(call, prefix), after: start })) {
      const mayRead = await readerNow(call)
      after = page.at(-1)?.Key ?? after
      yield { elements: page.filter(({ Key }) => mayRead(Key)), end: { after } }
      isHidden = !mayRead(after)
      if (isHidden) break
    }
  } while (isHidden)
}

/** The key before the next visible one; `undefined` if none follows. */
async function lastHidden(call: Call<'kv.read'>, prefix: string, after: string): Promise<string | undefined> {
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

function rangeOf({ namespace, query: { session } }: Call<'kv.read'>, prefix: string): KvRange {
  return { namespace, prefix, ...(session === undefined ? {} : { session: session.toLowerCase() }) }
}

/**
 * Re-authorizes the reader after each page has loaded: a long answer takes time, and writes made after the caller lost a
 * right are not shown (COH-10).
 * @throws AclError `caller_unknown` if the token of the caller no longer exists.
 */
async function readerNow(call: Context): Promise<(key: string) => boolean> {
  const { service, callers, caller, namespace } = call
  const secretId = caller.presented ? caller.token.SecretID : undefined
  const directory = service.store.directory()
  const { token } = await callers.resolve(secretId, service.store)
  const rights = await callers.rightsOf(token, directory)
  if (!isAtHome({ token, ...rights }, namespace)) return () => false
  return (key) => rights.authorizer.decide({ resource: 'key', segment: key, access: 'read' })
}

function mayReadBelow({ caller, namespace }: Context, prefix: string): boolean {
  return isAtHome(caller, namespace) && caller.authorizer.policies.mayReadBelow(prefix)
}
