import type { LockSession } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { Page } from '../ui/page.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import type { ListSearch } from '../ui/table/list-search.ts'
import { RecordList } from '../ui/table/record-list.tsx'
import { BEHAVIOR_NAMES, checksOf, lockDelayOf, nameOf, ttlOf } from './session-facts.ts'

const route = getRouteApi('/sessions')

const COLUMNS: readonly Column<LockSession>[] = [
  {
    id: 'name',
    header: 'Session',
    track: 'minmax(0, 4fr)',
    cell: (session) => (
      <span className="cell-title">
        <Link to="/sessions/$id" params={{ id: session.ID }} preload={false} className="cell-link truncate">
          {nameOf(session)}
        </Link>
        <span className="cell-sub mono truncate">{session.Name === '' ? 'Unnamed' : session.ID}</span>
      </span>
    ),
  },
  {
    id: 'node',
    header: 'Node',
    track: 'minmax(0, 2fr)',
    cell: ({ Node }) => <span className="truncate">{Node}</span>,
  },
  {
    id: 'ttl',
    header: 'TTL',
    track: '5rem',
    priority: 'low',
    cell: (session) => <span className="small secondary nums">{ttlOf(session)}</span>,
  },
  {
    id: 'behavior',
    header: 'When it ends',
    track: '10rem',
    priority: 'low',
    cell: ({ Behavior }) => <span className="small secondary">{BEHAVIOR_NAMES[Behavior]}</span>,
  },
  {
    id: 'delay',
    header: 'Lock delay',
    track: '9rem',
    priority: 'low',
    cell: (session) => <span className="small secondary">{lockDelayOf(session)}</span>,
  },
]

/** The sessions that lock keys. */
export function SessionsPage() {
  const { q } = route.useSearch() as ListSearch
  const navigate = route.useNavigate()
  const client = useClient()
  const sessions = useLive(['sessions'], (options) => client.sessions.watchList(options))
  return (
    <Page
      title="Sessions and locks"
      lead="Programs lock keys with a session that they keep alive. When the session ends, its keys are free again."
    >
      <RecordList
        label="Sessions and locks"
        records={sessions.data}
        error={sessions.error}
        onRetry={sessions.refetch}
        columns={COLUMNS}
        keyOf={({ ID }) => ID}
        textOf={(session) => [session.Name, session.ID, session.Node, ...checksOf(session)].join(' ')}
        q={q}
        onSearch={(words) =>
          void navigate({ search: words === undefined ? {} : { q: words }, replace: true })
        }
        empty={{
          icon: Lock,
          title: 'No sessions',
          text: 'No program has a session, or your token may not read them.',
        }}
        narrowTracks="minmax(0, 1fr) minmax(0, 6rem)"
      />
    </Page>
  )
}
