import type { LockSession } from '@latchkey/sdk'
import { Lock } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { BEHAVIOR_NAMES, checksOf, lockDelayOf, nameOf, ttlOf } from './session-facts.ts'

const COLUMNS: readonly Column<LockSession>[] = [
  {
    header: 'Session',
    track: 'minmax(0, 4fr)',
    cell: (session) => (
      <TitleCell
        to="/sessions/$id"
        params={{ id: session.ID }}
        preload={false}
        title={nameOf(session)}
        sub={session.Name === '' ? 'Unnamed' : session.ID}
        isMono
      />
    ),
  },
  { header: 'Node', track: 'minmax(0, 2fr)', cell: ({ Node }) => <span className="truncate">{Node}</span> },
  {
    header: 'TTL',
    track: '5rem',
    priority: 'low',
    cell: (session) => <span className="small secondary nums">{ttlOf(session)}</span>,
  },
  {
    header: 'When it ends',
    track: '10rem',
    priority: 'low',
    cell: ({ Behavior }) => <span className="small secondary">{BEHAVIOR_NAMES[Behavior]}</span>,
  },
  {
    header: 'Lock delay',
    track: '9rem',
    priority: 'low',
    cell: (session) => <span className="small secondary">{lockDelayOf(session)}</span>,
  },
]

/** The sessions that lock keys. */
export function SessionsPage() {
  const client = useClient()
  const sessions = useLive(['sessions'], (options) => client.sessions.watchList(options))
  return (
    <ListPage
      title="Sessions and locks"
      lead="Programs lock keys with a session that they keep alive. When the session ends, its keys are free again."
      query={sessions}
      columns={COLUMNS}
      keyOf={({ ID }) => ID}
      textsOf={(session) => [session.Name, session.ID, session.Node, ...checksOf(session)]}
      empty={{
        icon: Lock,
        title: 'No sessions',
        text: 'No program has a session, or your token may not read them.',
      }}
      narrowTracks="minmax(0, 1fr) minmax(0, 6rem)"
    />
  )
}
