import type { LockSession } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Page } from '../ui/page.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import type { ListSearch } from '../ui/table/list-search.ts'
import { RecordList } from '../ui/table/record-list.tsx'
import { checksOf, lockDelayOf, nameOf, ttlOf } from './session-facts.ts'

const route = getRouteApi('/sessions')

const COLUMNS: readonly Column<LockSession>[] = [
  {
    id: 'name',
    header: texts.locks.session,
    track: 'minmax(0, 4fr)',
    cell: (session) => (
      <span className="cell-title">
        <Link to="/sessions/$id" params={{ id: session.ID }} preload={false} className="cell-link truncate">
          {nameOf(session)}
        </Link>
        <span className="cell-sub mono truncate">
          {session.Name === '' ? texts.locks.unnamed : session.ID}
        </span>
      </span>
    ),
  },
  {
    id: 'node',
    header: texts.locks.node,
    track: 'minmax(0, 2fr)',
    cell: ({ Node }) => <span className="truncate">{Node}</span>,
  },
  {
    id: 'ttl',
    header: texts.locks.ttl,
    track: '5rem',
    priority: 'low',
    cell: (session) => <span className="small secondary nums">{ttlOf(session)}</span>,
  },
  {
    id: 'behavior',
    header: texts.locks.behavior,
    track: '10rem',
    priority: 'low',
    cell: ({ Behavior }) => <span className="small secondary">{texts.locks.behaviors[Behavior]}</span>,
  },
  {
    id: 'delay',
    header: texts.locks.lockDelay,
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
    <Page title={texts.locks.title} lead={texts.locks.lead}>
      <RecordList
        label={texts.locks.title}
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
        empty={{ icon: Lock, title: texts.locks.emptyTitle, text: texts.locks.empty }}
        narrowTracks="minmax(0, 1fr) minmax(0, 6rem)"
      />
    </Page>
  )
}
