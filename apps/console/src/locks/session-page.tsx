import type { LockSession } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { LockOpen, Unplug } from 'lucide-react'
import { useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useMay } from '../session/use-may.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import { Empty, Skeleton } from '../ui/feedback/states.tsx'
import { Confirm } from '../ui/overlay/confirm.tsx'
import { Card, Page } from '../ui/page.tsx'
import '../ui/styles/catalog.css'
import { showToast } from '../ui/feedback/toast.tsx'
import { HeldKeys } from './held-keys.tsx'
import { checksOf, givenLockDelayOf, lifetimeOf, nameOf, ttlOf } from './session-facts.ts'

const route = getRouteApi('/sessions/$id')

/** A session, and the keys that it locks. */
export function SessionPage() {
  const { id } = route.useParams() as { readonly id: string }
  const client = useClient()
  const found = useLive(['session', id], (options) => client.sessions.watchInfo(id, options))
  const session = found.data?.[0]
  const hasEnded = found.data !== undefined && session === undefined
  return (
    <Page
      title={session ? nameOf(session) : id}
      parent={{ to: '/sessions', label: texts.locks.title }}
      actions={session && <EndSession session={session} />}
    >
      {found.error && <Problem error={found.error} onRetry={found.refetch} />}
      {found.isPending && <Skeleton lines={6} />}
      {hasEnded && (
        <Empty icon={LockOpen} title={texts.locks.goneTitle}>
          {texts.locks.gone}
        </Empty>
      )}
      {session && (
        <div className="columns">
          <HeldKeys session={session} />
          <SessionFacts session={session} />
        </div>
      )}
    </Page>
  )
}

function SessionFacts({ session }: { readonly session: LockSession }) {
  const checks = checksOf(session)
  return (
    <Card title={texts.locks.about}>
      <dl className="facts">
        <div>
          <dt>{texts.locks.id}</dt>
          <dd className="mono small">{session.ID}</dd>
        </div>
        <div>
          <dt>{texts.locks.node}</dt>
          <dd>
            <Link to="/nodes/$name" params={{ name: session.Node }}>
              {session.Node}
            </Link>
          </dd>
        </div>
        <div>
          <dt>{texts.locks.ttl}</dt>
          <dd className="nums">{ttlOf(session)}</dd>
        </div>
        <div>
          <dt>{texts.locks.lifetime}</dt>
          <dd>{lifetimeOf(session)}</dd>
        </div>
        <div>
          <dt>{texts.locks.checks}</dt>
          <dd className="row">
            {checks.length === 0 && texts.common.none}
            {checks.map((check) => (
              <Badge key={check}>{check}</Badge>
            ))}
          </dd>
        </div>
        <div>
          <dt>{texts.locks.behavior}</dt>
          <dd>{texts.locks.behaviors[session.Behavior]}</dd>
        </div>
        <div>
          <dt>{texts.locks.lockDelay}</dt>
          <dd>{givenLockDelayOf(session)}</dd>
        </div>
        <div>
          <dt>{texts.locks.created}</dt>
          <dd className="nums">{session.CreateIndex}</dd>
        </div>
      </dl>
    </Card>
  )
}

/** Ends the session after a confirmation, because the program that holds its keys learns of it late. */
function EndSession({ session }: { readonly session: LockSession }) {
  const client = useClient()
  const mayEnd = useMay('session', 'write', session.Node)
  const [isAsking, setAsking] = useState(false)
  if (!mayEnd) return null
  const name = nameOf(session)
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        <Unplug aria-hidden />
        {texts.locks.end}
      </Button>
      {isAsking && (
        <Confirm
          title={texts.locks.endTitle(name)}
          action={texts.locks.end}
          onConfirm={async () => {
            await client.sessions.destroy(session.ID)
            showToast({ text: texts.locks.ended(name) })
          }}
          onClose={() => setAsking(false)}
        >
          {texts.locks.endText[session.Behavior]}
        </Confirm>
      )}
    </>
  )
}
