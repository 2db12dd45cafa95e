import '../ui/styles/catalog.css'
import type { LockSession } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { KeyRound, Lock, LockOpen, Unplug } from 'lucide-react'
import { useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useMay } from '../session/use-rights.ts'
import { Badges, Button } from '../ui/controls.tsx'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { Confirm } from '../ui/overlay/dialog.tsx'
import { Card, Facts, Page } from '../ui/page.tsx'
import { type Column, DataTable, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { showToast } from '../ui/toast.tsx'
import * as facts from './session-facts.ts'

const COLUMNS: readonly Column<LockSession>[] = [
  [
    'Session',
    'minmax(0, 4fr)',
    (session) => (
      <TitleCell
        to="/sessions/$id"
        params={{ id: session.ID }}
        title={facts.nameOf(session)}
        sub={session.Name === '' ? 'Unnamed' : session.ID}
        isMono
      />
    ),
  ],
  ['Node', 'minmax(0, 2fr)', ({ Node }) => <span className="truncate">{Node}</span>],
  [
    'TTL',
    '5rem',
    (session) => <span className="small secondary nums">{facts.ttlOf(session)}</span>,
    { priority: 'low' },
  ],
  [
    'When it ends',
    '10rem',
    ({ Behavior }) => <span className="small secondary">{facts.BEHAVIOR_NAMES[Behavior]}</span>,
    { priority: 'low' },
  ],
  [
    'Lock delay',
    '9rem',
    (session) => <span className="small secondary">{facts.lockDelayOf(session)}</span>,
    { priority: 'low' },
  ],
]

export function SessionsPage() {
  return (
    <ListPage
      title="Sessions and locks"
      lead="Programs lock keys with a session that they keep alive. When the session ends, its keys are free again."
      queryKey={['sessions']}
      watch={(client, options) => client.sessions.watchList(options)}
      columns={COLUMNS}
      keyOf={({ ID }) => ID}
      textsOf={(session) => [session.Name, session.ID, session.Node, ...facts.checksOf(session)]}
      empty={{
        icon: Lock,
        title: 'No sessions',
        text: 'No program has a session, or your token may not read them.',
      }}
      narrowTracks="minmax(0, 1fr) minmax(0, 6rem)"
    />
  )
}

const END_TEXTS = {
  release:
    'Its keys are released at once and keep their values. The program that holds them is not notified.',
  delete:
    'Its keys are deleted at once, together with their values. The program that holds them is not notified.',
}

const route = getRouteApi('/sessions/$id')

export function SessionPage() {
  const { id } = route.useParams() as { readonly id: string }
  const found = useLive(['session', id], (client, options) => client.sessions.watchInfo(id, options))
  const session = found.data?.[0]
  return (
    <Page
      title={session ? facts.nameOf(session) : id}
      parent={{ to: '/sessions', label: 'Sessions and locks' }}
      actions={session && <EndSession session={session} />}
    >
      <Loaded query={found}>
        {() =>
          session ? (
            <div className="columns">
              <HeldKeys session={session} />
              <SessionFacts session={session} />
            </div>
          ) : (
            <Empty icon={LockOpen} title="This session has ended">
              The session no longer holds keys, or your token may not read it.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  )
}

function SessionFacts({ session }: { readonly session: LockSession }) {
  const checks = facts.checksOf(session)
  return (
    <Card title="About">
      <Facts
        facts={[
          ['ID', session.ID, 'mono small'],
          [
            'Node',
            <Link key="node" to="/nodes/$name" params={{ name: session.Node }}>
              {session.Node}
            </Link>,
          ],
          ['TTL', facts.ttlOf(session), 'nums'],
          ['If not renewed', facts.lifetimeOf(session)],
          ['Ends with these checks', checks.length === 0 ? 'None' : <Badges texts={checks} />],
          ['When it ends', facts.BEHAVIOR_NAMES[session.Behavior]],
          ['Lock delay', facts.givenLockDelayOf(session)],
          ['Created at index', session.CreateIndex, 'nums'],
        ]}
      />
    </Card>
  )
}

/** Ends the session after a confirmation, because the program that holds its keys learns of it late. */
function EndSession({ session }: { readonly session: LockSession }) {
  const client = useClient()
  const mayEnd = useMay('session', 'write', session.Node)
  const [isAsking, setAsking] = useState(false)
  if (!mayEnd) return null
  const name = facts.nameOf(session)
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)} icon={Unplug}>
        End session
      </Button>
      {isAsking && (
        <Confirm
          title={`End the session ${name}?`}
          action="End session"
          onConfirm={async () => {
            await client.sessions.destroy(session.ID)
            showToast({ text: `Ended the session ${name}` })
          }}
          onClose={() => setAsking(false)}
        >
          {END_TEXTS[session.Behavior]}
        </Confirm>
      )}
    </>
  )
}

const ROW_REM = 2.75

const KEY_COLUMNS: readonly Column<string>[] = [
  [
    'Key',
    'minmax(0, 1fr)',
    (key) => (
      <Link to="/kv" search={facts.placeOf(key)} preload={false} className="cell-link mono truncate">
        {key}
      </Link>
    ),
  ],
]

/** The keys that a session locks, updated as they are locked and released. */
function HeldKeys({ session: { ID } }: { readonly session: LockSession }) {
  const keys = useLive(['session', ID, 'keys'], (client, options) =>
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
      <Loaded query={keys} lines={4}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={KeyRound} title="No keys">
              This session holds no keys, or your token may not read them.
            </Empty>
          ) : (
            <DataTable
              label="Locked keys"
              columns={KEY_COLUMNS}
              rows={rows}
              keyOf={(key) => key}
              rowRem={ROW_REM}
              narrowTracks="minmax(0, 1fr)"
            />
          )
        }
      </Loaded>
    </section>
  )
}
