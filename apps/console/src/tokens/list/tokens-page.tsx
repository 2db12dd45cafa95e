import { getRouteApi } from '@tanstack/react-router'
import { KeyRound, SearchX } from 'lucide-react'
import { useDeferredValue, useMemo } from 'react'
import { LinkBadges } from '../../links/link-badges.tsx'
import { absoluteTime, dateOf, isInstant, useNow } from '../../live/instants.ts'
import { useOnce } from '../../live/use-live.ts'
import { useRights } from '../../session/use-rights.ts'
import { Badge, Button } from '../../ui/controls.tsx'
import { Empty, Problem, Skeleton } from '../../ui/feedback.tsx'
import { Expiry } from '../../ui/instant.tsx'
import { Page } from '../../ui/page.tsx'
import { ChoiceFilter } from '../../ui/table/choice-filter.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { CreateAction, countText, SearchBox } from '../../ui/table/list-page.tsx'
import { TokenLink } from '../token-cell.tsx'
import { CreateToken } from '../token-forms.tsx'
import { type TokenRow, useTokenFeed } from './token-feed.ts'
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

const FILTER_LABELS = {
  policy: 'Policy',
  role: 'Role',
  identity: 'Identity',
  method: 'Login method',
  expiry: 'Expiry',
}

const EXPIRY_OPTIONS = {
  hour: 'Within an hour',
  day: 'Within a day',
  never: 'Never expires',
  expires: 'Expires eventually',
}

const route = getRouteApi('/tokens')

const COLUMNS: readonly Column<TokenRow>[] = [
  [
    'Token',
    'minmax(0, 5fr)',
    (token) => (
      <span className="cell-title">
        <span className="row" style={{ flexWrap: 'nowrap' }}>
          <TokenLink id={token.AccessorID} className="cell-link truncate">
            {token.Description || 'No description'}
          </TokenLink>
          {token.Local && <Badge>local</Badge>}
          {token.Legacy && <Badge tone="warn">legacy rules</Badge>}
        </span>
        <span className="cell-sub mono truncate">{token.AccessorID}</span>
      </span>
    ),
    { sort: 'token' },
  ],
  ['Gets its rights from', 'minmax(0, 4fr)', (token) => <LinkBadges record={token} />, { priority: 'low' }],
  ['Expires', '8.5rem', (token) => <Expiry value={token.ExpirationTime} />, { sort: 'expires' }],
  [
    'Created',
    '6.5rem',
    ({ CreateTime }) =>
      isInstant(CreateTime) && (
        <time className="small muted nums" dateTime={CreateTime} title={absoluteTime(CreateTime)}>
          {dateOf(CreateTime)}
        </time>
      ),
    { priority: 'low', sort: 'created' },
  ],
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
      title="Tokens"
      lead="Credentials that programs and people present to the service."
      actions={rights.aclWrite && <CreateAction what="token" onClick={() => change({ create: true })} />}
    >
      {error !== undefined && rows.length === 0 ? (
        <Problem error={error} onRetry={retry} />
      ) : (
        <section className="card" aria-label="Tokens">
          <div className="toolbar">
            <SearchBox
              label="Search tokens"
              placeholder="Search description, accessor, policy, role, identity…"
              value={search.q}
              onValue={(q) => change({ q })}
            />
            {LINK_FILTERS.map((filter) => (
              <ChoiceFilter
                key={filter}
                label={FILTER_LABELS[filter]}
                value={search[filter]}
                options={() => valuesOf(rows, filter).map((value) => [value, value] as const)}
                onValue={(value) => change({ [filter]: value })}
              />
            ))}
            <ChoiceFilter
              label="Expiry"
              value={search.expiry}
              options={() => EXPIRY_FILTERS.map((value) => [value, EXPIRY_OPTIONS[value]] as const)}
              onValue={(value) => change({ expiry: value as ExpiryFilter | undefined })}
            />
            <span className="count nums" role="status">
              {isComplete
                ? `${countText(shown.length, rows.length)} ${rows.length === 1 ? 'token' : 'tokens'}`
                : `${rows.length.toLocaleString('en')} loaded…`}
            </span>
          </div>
          {error !== undefined && <Problem error={error} onRetry={retry} />}
          {shown.length > 0 ? (
            <DataTable
              label="Tokens"
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
              title="No token matches"
              actions={<Button onClick={clear}>Clear filters</Button>}
            >
              Use fewer words, or clear the filters.
            </Empty>
          ) : (
            <Empty icon={KeyRound} title="No tokens yet">
              Create a token for a program or a person, and give it policies or roles.
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
