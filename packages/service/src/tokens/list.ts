import type { TokenRecord } from '@latchkey/acl'
import { expirationMs, isOrphan } from '@latchkey/acl'
import type { TokenListEntry } from '@latchkey/contract'
import { secretsSeen, seesSecret } from '../caller/authority.ts'
import type { Answer, Call as CallOf, Handler, Watch } from '../handler.ts'
import type { JsonBytes, JsonElementBytes, JsonElements } from '../reply/json-text.ts'
import { joinElements, jsonBytes } from '../reply/json-text.ts'
import { formatCursor, type ListOrder, orderOf, type Page, pageOf } from '../reply/paging.ts'
import type { TokenFilter } from '../store/store.ts'
import { tokenFilterOf } from './token-filter.ts'
import type { ShownTokens, TokenListRequest, WholeTokenList } from './token-list-cache.ts'

type Call = CallOf<'tokens.list'>
type Listed = Answer<'tokens.list'>

/** Synchronous if the whole list is cached. */
export const listTokensHandler: Handler<'tokens.list'> = (call) => {
  const order = orderOf(call.query)
  const filter = filterOf(call, order)
  const page = pageOf(call.query, order)
  const { lists, store } = call.service
  const request = cacheRequest(call, filter, store.tableIndex('tokens'))
  const known = page ? undefined : lists?.known(request)
  if (known) return withSecrecy(call, wholeList(filter, known))
  const list = page ? listPage(call, filter, page) : listWhole(call, request)
  return list.then((listed) => withSecrecy(call, listed))
}

function withSecrecy(call: Call, list: Listed): Listed {
  return secretsSeen(call) === 'none' ? { ...list, showsNoSecret: true } : list
}

async function listWhole(call: Call, request: TokenListRequest): Promise<Listed> {
  const { filter } = request
  const { lists } = call.service
  if (!lists) return wholeList(filter, await readTokens(call, filter))
  const list = await lists.whole(request)
  if (list) return wholeList(filter, list)
  // The bytes consist of texts from {@link showTokens}.
  const pages = lists.streamed(request) as AsyncIterable<JsonElementBytes<TokenListEntry[]>>
  return { body: { kind: 'json-stream', pages }, watch: watchOf(filter, false) }
}

function cacheRequest(call: Call, filter: TokenFilter, tokensIndex: number): TokenListRequest {
  return {
    filter,
    secrets: secretsSeen(call),
    tokensIndex,
    directoryVersion: call.directory.version,
    now: call.now,
    store: call.service.store,
    show: (tokens) => showTokens(call, tokens),
  }
}

function wholeList(filter: TokenFilter, list: WholeTokenList): Listed {
  // The bytes consist of texts from {@link showTokens}.
  const bytes = list.bytes as JsonBytes<TokenListEntry[]>
  return { body: { kind: 'json-bytes', bytes }, watch: watchOf(filter, list.leavesOutExpired) }
}

function filterOf(call: Call, order: ListOrder): TokenFilter {
  // With `ns=*`, all namespaces that the caller may read: every one, or only its own. Spec 4.8.
  const namespace = call.allNamespaces && call.caller.isGlobal ? undefined : call.namespace
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...tokenFilterOf(call.query),
    ...methodNamespaceOf(call),
    ...(order === 'newest-first' ? { newestFirst: true } : {}),
  }
}

/** The namespace of the auth method in the filter `authmethod`: that of the list, unless the query names another. */
function methodNamespaceOf({ query, service, allNamespaces, namespace }: Call): Partial<TokenFilter> {
  if (service.edition === 'standard' || query.authmethod === undefined) return {}
  const { 'authmethod-ns': authMethodNamespace = allNamespaces ? undefined : namespace } = query
  return authMethodNamespace === undefined ? {} : { authMethodNamespace }
}

function watchOf(filter: TokenFilter, leavesOutExpired: boolean): Watch {
  const isFiltered = Object.keys(filter).some((name) => name !== 'namespace' && name !== 'newestFirst')
  if (!isFiltered) return { topic: 'tokens' }
  return { topic: 'tokens', filtered: true, ...(leavesOutExpired ? { leavesOutExpired } : {}) }
}

async function listPage(call: Call, filter: TokenFilter, page: Page): Promise<Listed> {
  const { limit, after } = page
  const list = await readTokens(call, { ...filter, limit, ...(after ? { after } : {}) })
  const { count, last } = list
  const order = filter.newestFirst ? 'newest-first' : 'oldest-first'
  const nextCursor =
    count === limit && last ? formatCursor(call.service.store.placeOf(last), order) : undefined
  return { ...wholeList(filter, list), nextCursor }
}

/** @returns the list, with the number of tokens read for it and the last token read, shown or not. */
async function readTokens(call: Call, filter: TokenFilter) {
  const texts: JsonElements<TokenListEntry[]>[] = []
  let last: TokenRecord | undefined
  let count = 0
  let leavesOutExpired = false
  for await (const tokens of call.service.store.tokens(filter)) {
    const shown = showTokens(call, tokens)
    texts.push(shown.text)
    leavesOutExpired ||= shown.leavesOutExpired
    count += tokens.length
    last = tokens.at(-1) ?? last
  }
  return { bytes: jsonBytes(joinElements(texts)), leavesOutExpired, count, last }
}

function showTokens(call: Call, tokens: readonly TokenRecord[]): ShownTokens {
  const { texts, directory, now } = call
  let validUntil = Number.POSITIVE_INFINITY
  const living = tokens.filter((token) => {
    const expiresAt = expirationMs(token) ?? Number.POSITIVE_INFINITY
    if (now >= expiresAt || isOrphan(token, directory)) return false
    validUntil = Math.min(validUntil, expiresAt)
    return true
  })
  return {
    text: texts.listEntries(living, directory, (token) => seesSecret(call, token)),
    validUntil,
    leavesOutExpired: living.length < tokens.length,
  }
}
