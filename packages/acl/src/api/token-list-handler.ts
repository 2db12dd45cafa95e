/** The list of tokens. Spec 4.8. */
import { AclError } from '@latchkey/contract'
import type { TokenRecord } from '../store/records.ts'
import type { TokenFilter } from '../store/store.ts'
import { expirationMs, isExpired } from '../token/expiration.ts'
import type { Answer, Call, Watch } from './call.ts'
import { formatCursor, type Page, pageOf } from './paging.ts'
import { joinJson } from './render.ts'

/** Query option and the filter that it sets; at most one at a time. */
const LINK_FILTERS = {
  policy: 'policyId',
  role: 'roleId',
  authmethod: 'authMethod',
  servicename: 'serviceName',
} as const satisfies Record<string, keyof TokenFilter>

export async function listTokensHandler(call: Call): Promise<Answer> {
  const filter = filterOf(call)
  const watch: Watch = { topic: 'tokens', ...(isFiltered(filter) ? { filtered: true } : {}) }
  const page = pageOf(call.query)
  if (page) return { ...(await listPage(call, filter, page)), watch }
  const tokensIndex = await call.api.store.tableIndex('tokens')
  const key = JSON.stringify([filter, showsSecrets(call)])
  const version = `${tokensIndex}:${call.directory.version}`
  const known = call.lists.get(key, version, call.now)
  if (known) return { body: { kind: 'json-bytes', bytes: known }, watch }
  return { ...(await listAll(call, filter, { key, version })), watch }
}

function filterOf(call: Call): TokenFilter {
  const namespace = namespaceOf(call)
  const given = Object.entries(LINK_FILTERS).flatMap(([option, name]) => {
    const value = call.query.get(option)
    return value === undefined ? [] : [{ option, name, value }]
  })
  const [first, second] = given
  if (second) {
    throw new AclError(
      'filter_conflict',
      'can only filter by one of policy, role, servicename, or authmethod at a time',
      { field: second.option },
    )
  }
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(first ? { [first.name]: first.value } : {}),
  }
}

/** `ns=*` is all namespaces for whoever has rights in all, and the caller's own for everyone else. Spec 4.8. */
function namespaceOf(call: Call): string | undefined {
  const isAll = call.api.edition === 'standard' || (call.allNamespaces && call.caller.isGlobal)
  return isAll ? undefined : call.namespace
}

function isFiltered(filter: TokenFilter): boolean {
  return Object.keys(filter).some((name) => name !== 'namespace')
}

function showsSecrets(call: Call): boolean {
  return call.caller.authorizer.aclWrite
}

function entry(call: Call, token: TokenRecord): string {
  return call.texts.listEntry(token, call.directory, showsSecrets(call))
}

async function listPage(
  call: Call,
  filter: TokenFilter,
  page: Page,
): Promise<Pick<Answer, 'body' | 'headers'>> {
  const { limit, after } = page
  const entries: string[] = []
  let last: TokenRecord | undefined
  let seen = 0
  for await (const tokens of call.api.store.tokens({ ...filter, limit, ...(after ? { after } : {}) })) {
    for (const token of tokens) {
      seen += 1
      last = token
      if (!isExpired(token, call.now)) entries.push(entry(call, token))
    }
  }
  const hasMore = seen === limit && last !== undefined
  const cursor = last && formatCursor({ createIndex: last.CreateIndex, accessorId: last.AccessorID })
  return {
    body: { kind: 'json-bytes', bytes: joinJson(entries) },
    ...(hasMore && cursor ? { headers: { [call.family.nextCursor]: cursor } } : {}),
  }
}

/** One page is answered whole and kept; what is longer streams, so that its size costs no memory. */
async function listAll(
  call: Call,
  filter: TokenFilter,
  cached: { readonly key: string; readonly version: string },
): Promise<Pick<Answer, 'body'>> {
  const pages = call.api.store.tokens(filter)[Symbol.asyncIterator]()
  const entries: string[] = []
  let validUntil = Number.POSITIVE_INFINITY
  let length = 0
  for (;;) {
    const next = await pages.next()
    if (next.done) break
    for (const token of next.value) {
      if (isExpired(token, call.now)) continue
      validUntil = Math.min(validUntil, expirationMs(token) ?? validUntil)
      const text = entry(call, token)
      length += text.length
      entries.push(text)
    }
    if (length > WHOLE_LIST_LENGTH_MAX)
      return { body: { kind: 'json-stream', pages: restOf(call, entries, pages) } }
  }
  const whole = joinJson(entries)
  call.lists.set(cached.key, cached.version, { bytes: whole, validUntil })
  return { body: { kind: 'json-bytes', bytes: whole } }
}

/** Longest list that is put together in memory, in characters. */
const WHOLE_LIST_LENGTH_MAX = 16_777_216

async function* restOf(
  call: Call,
  start: readonly string[],
  pages: AsyncIterator<readonly TokenRecord[]>,
): AsyncGenerator<readonly string[]> {
  try {
    yield start
    for (let next = await pages.next(); !next.done; next = await pages.next()) {
      yield next.value.filter((token) => !isExpired(token, call.now)).map((token) => entry(call, token))
    }
  } finally {
    await pages.return?.()
  }
}
