import { getRouteApi, Link } from '@tanstack/react-router'
import { KeyRound, Plus, Search, SearchX } from 'lucide-react'
import { useDeferredValue, useMemo } from 'react'
import { LinkBadges } from '../../links/link-badges.tsx'
import { absoluteTime, dateOf, isInstant } from '../../live/instants.ts'
import { useOnce } from '../../live/use-kept.ts'
import { useNow } from '../../live/use-now.ts'
import { useRights } from '../../session/use-rights.ts'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/feedback/problem.tsx'
import { Empty, Skeleton } from '../../ui/feedback/states.tsx'
import { Page } from '../../ui/page.tsx'
import { ChoiceFilter } from '../../ui/table/choice-filter.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { CreateToken } from '../create-token.tsx'
import { Expiry } from '../expiry.tsx'
import type { TokenRow } from './token-feed.ts'
import {
  EXPIRY_FILTERS,
  type ExpiryFilter,
  filterTokens,
  isFiltered,
  LINK_FILTERS,
  readSorting,
  sortTokens,
  type TokenSearch,
  valuesOf,
} from './token-filter.ts'
import { useTokenFeed } from './use-token-feed.ts'

const route = getRouteApi('/tokens')

const COLUMNS: readonly Column<TokenRow>[] = [
  {
    id: 'token',
    header: texts.tokens.columns.token,
    track: 'minmax(0, 5fr)',
    isSortable: true,
    cell: (token) => (
      <span className="cell-title">
        <span className="row" style={{ flexWrap: 'nowrap' }}>
          <Link
            to="/tokens/$accessorId"
            params={{ accessorId: token.AccessorID }}
            preload={false}
            className="cell-link truncate"
          >
            {token.Description || texts.tokens.noDescription}
          </Link>
          {token.Local && <Badge>{texts.tokens.local}</Badge>}
          {token.Legacy && <Badge tone="warn">{texts.tokens.legacy}</Badge>}
        </span>
        <span className="cell-sub mono truncate">{token.AccessorID}</span>
      </span>
    ),
  },
  {
    id: 'links',
    header: texts.tokens.columns.rights,
    track: 'minmax(0, 4fr)',
    priority: 'low',
    cell: (token) => <LinkBadges record={token} />,
  },
  {
    id: 'expires',
    header: texts.tokens.columns.expires,
    track: '8.5rem',
    isSortable: true,
    cell: (token) => <Expiry value={token.ExpirationTime} />,
  },
  {
    id: 'created',
    header: texts.tokens.columns.created,
    track: '6.5rem',
    priority: 'low',
    isSortable: true,
    cell: ({ CreateTime }) =>
      isInstant(CreateTime) && (
        <time className="small muted nums" dateTime={CreateTime} title={absoluteTime(CreateTime)}>
          {dateOf(CreateTime)}
        </time>
      ),
  },
]

/** Expired tokens disappear from the list within this time. */
const EXPIRY_STEP_MS = 5_000

export function TokensPage() {
  const search = route.useSearch() as TokenSearch
  const navigate = route.useNavigate()
  const rights = useRights()
  const mayCreate = useOnce(rights.aclWrite)
  const { rows, isComplete, error, retry } = useTokenFeed()
  const now = useNow(EXPIRY_STEP_MS)
  const shownSearch = useDeferredValue(search)
  const sorting = useMemo(() => readSorting(shownSearch.sort), [shownSearch.sort])
  const sorted = useMemo(() => sortTokens(rows, sorting), [rows, sorting])
  // Passing time only affects the filter, so a long list is not sorted again every few seconds.
  const shown = useMemo(() => filterTokens(sorted, shownSearch, now), [sorted, shownSearch, now])
  const change = (part: { readonly [K in keyof TokenSearch]?: TokenSearch[K] | undefined }) =>
    void navigate({ search: (before: TokenSearch) => ({ ...before, ...part }), replace: true })
  const sort = (column: string) => {
    const isDescending = sorting.column === column ? !sorting.descending : column === 'created'
    change({ sort: isDescending ? `-${column}` : column })
  }
  const clear = () => void navigate({ search: {} })

  return (
    <Page
      title={texts.tokens.title}
      lead={texts.tokens.lead}
      actions={
        rights.aclWrite && (
          <Button look="primary" onClick={() => change({ create: true })}>
            <Plus aria-hidden />
            {texts.tokens.create}
          </Button>
        )
      }
    >
      {error !== undefined && rows.length === 0 ? (
        <Problem error={error} onRetry={retry} />
      ) : (
        <section className="card" aria-label={texts.tokens.table}>
          <div className="toolbar">
            <div className="search input-with-icon">
              <Search aria-hidden />
              <input
                className="input"
                type="search"
                aria-label={texts.tokens.searchLabel}
                placeholder={texts.tokens.search}
                value={search.q ?? ''}
                onChange={(event) => change({ q: event.target.value || undefined })}
              />
            </div>
            {LINK_FILTERS.map((filter) => (
              <ChoiceFilter
                key={filter}
                label={texts.tokens.filters[filter]}
                value={search[filter]}
                options={() => valuesOf(rows, filter).map((value) => [value, value] as const)}
                onValue={(value) => change({ [filter]: value })}
              />
            ))}
            <ChoiceFilter
              label={texts.tokens.filters.expiry}
              value={search.expiry}
              options={() =>
                EXPIRY_FILTERS.map((value) => [value, texts.tokens.filters.expiryOptions[value]] as const)
              }
              onValue={(value) => change({ expiry: value as ExpiryFilter | undefined })}
            />
            <span className="count nums" role="status">
              {isComplete ? texts.tokens.count(shown.length, rows.length) : texts.tokens.loading(rows.length)}
            </span>
          </div>
          {error !== undefined && <Problem error={error} onRetry={retry} />}
          {shown.length > 0 ? (
            <DataTable
              label={texts.tokens.table}
              columns={COLUMNS}
              rows={shown}
              keyOf={keyOf}
              sorting={sorting}
              onSort={sort}
              narrowTracks="minmax(0, 1fr) 7.5rem"
            />
          ) : !isComplete ? (
            <Skeleton lines={8} />
          ) : isFiltered(search) ? (
            <Empty
              icon={SearchX}
              title={texts.tokens.noMatchTitle}
              actions={<Button onClick={clear}>{texts.tokens.clear}</Button>}
            >
              {texts.tokens.noMatch}
            </Empty>
          ) : (
            <Empty icon={KeyRound} title={texts.tokens.emptyTitle}>
              {texts.tokens.empty}
            </Empty>
          )}
        </section>
      )}
      {search.create && mayCreate && (
        <CreateToken
          policies={[search.policy ?? []].flat()}
          roles={[search.role ?? []].flat()}
          onClose={() => change({ create: undefined })}
        />
      )}
    </Page>
  )
}

const keyOf = (token: TokenRow) => token.AccessorID
