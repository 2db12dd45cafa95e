/** The list of tokens. Spec 4.8. */
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { TokenRecord } from '../store/records.ts'
import type { TokenFilter } from '../store/store.ts'
import type { Answer, AnswerBody, Call, Watch } from './call.ts'
import { formatCursor, type ListOrder, orderOf, type Page, pageOf } from './paging.ts'
import { tokenFilterOf } from './token-filter.ts'
import { makeTokenList, showTokens } from './token-list-parts.ts'

export function listTokensHandler(call: Call): MaybePromise<Answer> {
  const order = orderOf(call.query)
  const filter = filterOf(call, order)
  const watch: Watch = { topic: 'tokens', ...(isFiltered(filter) ? { filtered: true } : {}) }
  const page = pageOf(call.query, order)
  if (page) return listPage(call, filter, page).then((answer) => ({ ...answer, watch }))
  return andThen(call.api.store.tableIndex('tokens'), (tokensIndex) => {
    const key = JSON.stringify([filter, showsSecrets(call)])
    const request = { key, version: `${tokensIndex}:${call.directory.version}`, now: call.now }
    const whole = call.lists.whole(request, (previous) =>
      makeTokenList(call, filter, { tokensIndex, previous }),
    )
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

const encoder = new TextEncoder()

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
    texts.push(showTokens(call, tokens).text)
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

/** What is too long to be held goes out page by page, so that its size costs no memory. */
function streamed(call: Call, filter: TokenFilter, key: string): AnswerBody {
  async function* pages(): AsyncGenerator<string> {
    let length = 0
    for await (const tokens of call.api.store.tokens(filter)) {
      const { text } = showTokens(call, tokens)
      length += text.length
      yield text
    }
    call.lists.noteStreamed(key, length)
  }
  return { kind: 'json-stream', pages: pages() }
}
