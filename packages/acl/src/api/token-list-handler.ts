/** The list of tokens. Spec 4.8. */
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { TokenRecord } from '../store/records.ts'
import type { TokenFilter } from '../store/store.ts'
import { expirationMs } from '../token/expiration.ts'
import type { Answer, AnswerBody, Call, Watch } from './call.ts'
import type { CachedList } from './list-cache.ts'
import { formatCursor, type ListOrder, orderOf, type Page, pageOf } from './paging.ts'
import { tokenFilterOf } from './token-filter.ts'

export function listTokensHandler(call: Call): MaybePromise<Answer> {
  const order = orderOf(call.query)
  const filter = filterOf(call, order)
  const watch: Watch = { topic: 'tokens', ...(isFiltered(filter) ? { filtered: true } : {}) }
  const page = pageOf(call.query, order)
  if (page) return listPage(call, filter, page).then((answer) => ({ ...answer, watch }))
  return andThen(call.api.store.tableIndex('tokens'), (tokensIndex) => {
    const key = JSON.stringify([filter, showsSecrets(call)])
    const request = { key, version: `${tokensIndex}:${call.directory.version}`, now: call.now }
    const whole = call.lists.whole(request, () => listWhole(call, filter))
    return andThen(whole, (bytes): Answer => {
      return { body: bytes ? { kind: 'json-bytes', bytes } : streamed(call, filter, key), watch }
    })
  })
}

function filterOf(call: Call, order: ListOrder): TokenFilter {
  const namespace = namespaceOf(call)
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...tokenFilterOf(call.query),
    ...(order === 'newest-first' ? { newestFirst: true } : {}),
  }
}

/** `ns=*` is all namespaces for whoever has rights in all, and the caller's own for everyone else. Spec 4.8. */
function namespaceOf(call: Call): string | undefined {
  const isAll = call.api.edition === 'standard' || (call.allNamespaces && call.caller.isGlobal)
  return isAll ? undefined : call.namespace
}

function isFiltered(filter: TokenFilter): boolean {
  return Object.keys(filter).some((name) => name !== 'namespace' && name !== 'newestFirst')
}

function showsSecrets(call: Call): boolean {
  return call.caller.authorizer.aclWrite
}

/** Tokens as they stand in the list, without those that are expired. */
interface Shown {
  /** Elements of a JSON array; empty where there are none. */
  readonly text: string
  /** When the first of them expires, in milliseconds since the epoch. */
  readonly validUntil: number
}

function show(call: Call, tokens: readonly TokenRecord[]): Shown {
  let validUntil = Number.POSITIVE_INFINITY
  const living = tokens.filter((token) => {
    const expiresAt = expirationMs(token) ?? Number.POSITIVE_INFINITY
    if (call.now >= expiresAt) return false
    validUntil = Math.min(validUntil, expiresAt)
    return true
  })
  return { text: call.texts.listEntries(living, call.directory, showsSecrets(call)), validUntil }
}

async function listPage(
  call: Call,
  filter: TokenFilter,
  page: Page,
): Promise<Pick<Answer, 'body' | 'headers'>> {
  const { limit, after } = page
  const texts: string[] = []
  let last: TokenRecord | undefined
  let seen = 0
  for await (const tokens of call.api.store.tokens({ ...filter, limit, ...(after ? { after } : {}) })) {
    texts.push(show(call, tokens).text)
    seen += tokens.length
    last = tokens.at(-1) ?? last
  }
  const hasMore = seen === limit && last !== undefined
  const order = filter.newestFirst ? 'newest-first' : 'oldest-first'
  const cursor = last && formatCursor(call.api.store.placeOf(last), order)
  return {
    body: { kind: 'json-bytes', bytes: encoder.encode(`[${texts.filter((text) => text !== '').join(',')}]`) },
    ...(hasMore && cursor ? { headers: { [call.family.nextCursor]: cursor } } : {}),
  }
}

/** All entries in one piece, which is kept; `undefined` where that would be too long. */
async function listWhole(call: Call, filter: TokenFilter): Promise<CachedList | undefined> {
  const pieces: Uint8Array[] = []
  let validUntil = Number.POSITIVE_INFINITY
  let length = 0
  for await (const tokens of call.api.store.tokens(filter)) {
    const shown = show(call, tokens)
    if (shown.text === '') continue
    validUntil = Math.min(validUntil, shown.validUntil)
    const piece = encoder.encode(shown.text)
    pieces.push(length === 0 ? OPENING : COMMA, piece)
    length += 1 + piece.length
    if (length > call.lists.wholeBytesMax) return undefined
  }
  pieces.push(encoder.encode(length === 0 ? '[]' : ']'))
  return { bytes: concat(pieces), validUntil }
}

const encoder = new TextEncoder()
const OPENING = encoder.encode('[')
const COMMA = encoder.encode(',')

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** What is too long to be held goes out page by page, so that its size costs no memory. */
function streamed(call: Call, filter: TokenFilter, key: string): AnswerBody {
  async function* pages(): AsyncGenerator<string> {
    let length = 0
    for await (const tokens of call.api.store.tokens(filter)) {
      const { text } = show(call, tokens)
      length += text.length
      yield text
    }
    call.lists.noteStreamed(key, length)
  }
  return { kind: 'json-stream', pages: pages() }
}
