import type { LockSession } from '@latchkey/sdk'
import { Link } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { Problem } from '../ui/feedback/problem.tsx'
import { Empty, Skeleton } from '../ui/feedback/states.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'
import { placeOf } from './session-facts.ts'

const ROW_REM = 2.75

const COLUMNS: readonly Column<{ readonly key: string }>[] = [
  {
    id: 'key',
    header: 'Key',
    track: 'minmax(0, 1fr)',
    cell: ({ key }) => (
      <Link to="/kv" search={placeOf(key)} preload={false} className="cell-link mono truncate">
        {key}
      </Link>
    ),
  },
]

/** The keys that a session locks, updated as they are locked and released. */
export function HeldKeys({ session: { ID } }: { readonly session: LockSession }) {
  const client = useClient()
  const keys = useLive(['session', ID, 'keys'], (options) =>
    client.kv.watchKeys('', { ...options, session: ID }),
  )
  return (
    <section className="card" aria-label="Locked keys">
      <div className="toolbar">
        <h2>Locked keys</h2>
        {keys.data && (
          <span className="count nums" role="status">
            {keys.data.length.toLocaleString('en')}
          </span>
        )}
      </div>
      {keys.error && <Problem error={keys.error} onRetry={keys.refetch} />}
      {keys.isPending && <Skeleton lines={4} />}
      {keys.data?.length === 0 && (
        <Empty icon={KeyRound} title="No keys">
          This session holds no keys, or your token may not read them.
        </Empty>
      )}
      {keys.data && keys.data.length > 0 && (
        <DataTable
          label="Locked keys"
          columns={COLUMNS}
          rows={keys.data.map((key) => ({ key }))}
          keyOf={({ key }) => key}
          rowRem={ROW_REM}
          narrowTracks="minmax(0, 1fr)"
        />
      )}
    </section>
  )
}
