import { Link } from '@tanstack/react-router'
import { PartyPopper } from 'lucide-react'
import { type TokenRow, useTokenFeed } from '../tokens/list/token-feed.ts'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'

const COLUMNS: readonly Column<TokenRow>[] = [
  {
    header: 'Token',
    track: 'minmax(0, 4fr)',
    cell: ({ AccessorID, Description }) => (
      <span className="cell-title">
        <Link
          to="/tokens/$accessorId"
          params={{ accessorId: AccessorID }}
          preload={false}
          className="cell-link truncate"
        >
          {Description || 'No description'}
        </Link>
        <span className="cell-sub mono truncate">{AccessorID}</span>
      </span>
    ),
  },
  {
    header: 'Required action',
    track: 'minmax(0, 5fr)',
    priority: 'low',
    cell: (token) => (
      <span className="small secondary">
        {isLinked(token)
          ? 'None: its links decide, and its rules are ignored.'
          : 'Replace its rules with a policy: 1.11 ignores them.'}
      </span>
    ),
  },
]

/** Tokens whose rights come from legacy rules, and what each needs before legacy rules are removed. */
export function LegacyTokens() {
  const { rows, isComplete, error, retry } = useTokenFeed()
  const legacy = rows.filter(({ Legacy }) => Legacy)
  return (
    <section className="card" aria-label="Tokens with legacy rules">
      <div className="card-head legacy-head">
        <h2>Tokens with legacy rules</h2>
        <span className="small muted nums">
          {isComplete && legacy.length > 0 && legacy.length.toLocaleString('en')}
        </span>
      </div>
      {error !== undefined && <Problem error={error} onRetry={retry} />}
      {legacy.length > 0 && (
        <DataTable
          label="Tokens with legacy rules"
          columns={COLUMNS}
          rows={legacy}
          keyOf={({ AccessorID }) => AccessorID}
          narrowTracks="minmax(0, 1fr)"
        />
      )}
      {legacy.length === 0 && !isComplete && error === undefined && <Skeleton lines={3} />}
      {legacy.length === 0 && isComplete && (
        <Empty icon={PartyPopper} title="No token has legacy rules">
          No token prevents the upgrade to 1.11.
        </Empty>
      )}
    </section>
  )
}

/** Links hide legacy rules. */
function isLinked({ Policies, Roles, ServiceIdentities, NodeIdentities }: TokenRow): boolean {
  return [Policies, Roles, ServiceIdentities, NodeIdentities].some((links) => (links?.length ?? 0) > 0)
}
