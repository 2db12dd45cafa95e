/** The filters of the token list, as represented in the URL. */
import type { Sorting } from '../../ui/table/data-table.tsx'
import { readSearch, type UrlSearch } from '../../ui/table/list-search.ts'
import type { TokenRow } from './token-feed.ts'

export const EXPIRY_FILTERS = ['hour', 'day', 'expires', 'never'] as const
export type ExpiryFilter = (typeof EXPIRY_FILTERS)[number]

export const LINK_FILTERS = ['policy', 'role', 'identity', 'method'] as const
type LinkFilter = (typeof LINK_FILTERS)[number]

export interface TokenSearch {
  readonly q?: string
  readonly policy?: string
  readonly role?: string
  readonly identity?: string
  readonly method?: string
  readonly expiry?: ExpiryFilter
  /** A column, with `-` in front for descending. */
  readonly sort?: string
  readonly create?: true
}

/** Reads the search of a URL, and drops what it does not recognise. */
export function readTokenSearch(search: UrlSearch): TokenSearch {
  const expiry = EXPIRY_FILTERS.find((each) => each === search.expiry)
  return {
    ...readSearch(search, ['q', ...LINK_FILTERS, 'sort']),
    ...(expiry === undefined ? {} : { expiry }),
  }
}

export function isFiltered({ q, policy, role, identity, method, expiry }: TokenSearch): boolean {
  return [q, policy, role, identity, method, expiry].some((value) => value !== undefined)
}

const HOUR_MS = 3_600_000

/** The rows that match a search. Tokens that have expired since they were read are left out. */
export function filterTokens(
  rows: readonly TokenRow[],
  search: TokenSearch,
  now: number,
): readonly TokenRow[] {
  const words = (search.q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const { policy, role, identity, method, expiry } = search
  return rows.filter((row) => {
    const { expiresAt } = row
    return (
      (expiresAt === undefined || expiresAt > now) &&
      words.every((word) => row.searched.includes(word)) &&
      (policy === undefined || (row.Policies ?? []).some(({ Name }) => Name === policy)) &&
      (role === undefined || (row.Roles ?? []).some(({ Name }) => Name === role)) &&
      (identity === undefined || identitiesOf(row).includes(identity)) &&
      (method === undefined || row.AuthMethod === method) &&
      (expiry === undefined || matchesExpiry(expiry, expiresAt, now))
    )
  })
}

function matchesExpiry(expiry: ExpiryFilter, expiresAt: number | undefined, now: number): boolean {
  if (expiry === 'never') return expiresAt === undefined
  if (expiresAt === undefined) return false
  if (expiry === 'expires') return true
  return expiresAt - now <= (expiry === 'hour' ? HOUR_MS : 24 * HOUR_MS)
}

function identitiesOf(row: TokenRow): string[] {
  return [
    ...(row.ServiceIdentities ?? []).map(({ ServiceName }) => ServiceName),
    ...(row.NodeIdentities ?? []).map(({ NodeName }) => NodeName),
  ]
}

export function valuesOf(rows: readonly TokenRow[], filter: LinkFilter): readonly string[] {
  const values = new Set<string>()
  for (const row of rows) {
    if (filter === 'policy') for (const { Name } of row.Policies ?? []) values.add(Name)
    else if (filter === 'role') for (const { Name } of row.Roles ?? []) values.add(Name)
    else if (filter === 'identity') for (const name of identitiesOf(row)) values.add(name)
    else if (row.AuthMethod !== undefined) values.add(row.AuthMethod)
  }
  return [...values].sort((a, b) => a.localeCompare(b))
}

export function readSorting(sort: string | undefined): Sorting {
  if (sort === undefined) return { column: 'created', descending: true }
  return sort.startsWith('-')
    ? { column: sort.slice(1), descending: true }
    : { column: sort, descending: false }
}

const COMPARATORS: Readonly<Record<string, (a: TokenRow, b: TokenRow) => number>> = {
  token: (a, b) => compare(a.Description.toLowerCase(), b.Description.toLowerCase()),
  // Tokens that never expire are last.
  expires: (a, b) => compare(a.ExpirationTime ?? '~', b.ExpirationTime ?? '~'),
  created: (a, b) => a.CreateIndex - b.CreateIndex,
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** Sorts the rows. They are already newest first, so that order costs nothing. */
export function sortTokens(rows: readonly TokenRow[], { column, descending }: Sorting): readonly TokenRow[] {
  const comparator = COMPARATORS[column]
  if (comparator === undefined || (column === 'created' && descending)) return rows
  return rows.toSorted(descending ? (a, b) => comparator(b, a) : comparator)
}
