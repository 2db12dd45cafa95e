import { Link } from '@tanstack/react-router'
import { PartyPopper } from 'lucide-react'
import { texts } from '../texts.ts'
import type { TokenRow } from '../tokens/list/token-feed.ts'
import { useTokenFeed } from '../tokens/list/use-token-feed.ts'
import { Problem } from '../ui/feedback/problem.tsx'
import { Empty, Skeleton } from '../ui/feedback/states.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'

const COLUMNS: readonly Column<TokenRow>[] = [
  {
    id: 'token',
    header: texts.upgrade.token,
    track: 'minmax(0, 4fr)',
    cell: ({ AccessorID, Description }) => (
      <span className="cell-title">
        <Link
          to="/tokens/$accessorId"
          params={{ accessorId: AccessorID }}
          preload={false}
          className="cell-link truncate"
        >
          {Description || texts.tokens.noDescription}
        </Link>
        <span className="cell-sub mono truncate">{AccessorID}</span>
      </span>
    ),
  },
  {
    id: 'needs',
    header: texts.upgrade.needs,
    track: 'minmax(0, 5fr)',
    priority: 'low',
    cell: (token) => (
      <span className="small secondary">
        {isLinked(token) ? texts.upgrade.needsNothing : texts.upgrade.needsPolicy}
      </span>
    ),
  },
]

/** Tokens whose rights come from legacy rules, and what each needs before legacy rules are removed. */
export function LegacyTokens() {
  const { rows, isComplete, error, retry } = useTokenFeed()
  const legacy = rows.filter(({ Legacy }) => Legacy)
  return (
    <section className="card" aria-label={texts.upgrade.legacy}>
      <div className="card-head legacy-head">
        <h2>{texts.upgrade.legacy}</h2>
        <span className="small muted nums">{isComplete && texts.upgrade.legacyCount(legacy.length)}</span>
      </div>
      {error !== undefined && <Problem error={error} onRetry={retry} />}
      {legacy.length > 0 && (
        <DataTable
          label={texts.upgrade.legacy}
          columns={COLUMNS}
          rows={legacy}
          keyOf={({ AccessorID }) => AccessorID}
          narrowTracks="minmax(0, 1fr)"
        />
      )}
      {legacy.length === 0 && !isComplete && error === undefined && <Skeleton lines={3} />}
      {legacy.length === 0 && isComplete && (
        <Empty icon={PartyPopper} title={texts.upgrade.noLegacyTitle}>
          {texts.upgrade.noLegacy}
        </Empty>
      )}
    </section>
  )
}

/** Links hide legacy rules. */
function isLinked({ Policies, Roles, ServiceIdentities, NodeIdentities }: TokenRow): boolean {
  return [Policies, Roles, ServiceIdentities, NodeIdentities].some((links) => (links?.length ?? 0) > 0)
}
