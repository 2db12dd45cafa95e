import { Link } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { Card, Page } from '../ui/page.tsx'
import '../ui/styles/catalog.css'
import '../ui/styles/upgrade.css'
import type { Member } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { everySecond } from '../live/queries.ts'
import { useClient } from '../session/session.ts'
import { Badge, type Tone } from '../ui/controls.tsx'
import { Problem, Skeleton } from '../ui/feedback.tsx'
import { LegacyTokens } from './legacy-tokens.tsx'
import { Migrations } from './migrations.tsx'

/** The progress of the upgrade from legacy tokens: servers, migrations, and the tokens that still need something. */
export function UpgradePage() {
  return (
    <Page
      title="Upgrade"
      lead="From legacy tokens to policies: what is done and what remains."
      actions={
        <Link to="/upgrade/plan" className="button">
          <FileUp aria-hidden />
          Plan from a dump
        </Link>
      }
    >
      <div className="stack" data-gap="large">
        <Migrations />
        <Servers />
        <LegacyTokens />
      </div>
    </Page>
  )
}

/** Every server process with its version, its mode and whether it is alive. */
function Servers() {
  const client = useClient()
  const members = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => client.agent.members({ signal }),
    refetchInterval: everySecond,
  })
  return (
    <Card title="Servers">
      {members.error && <Problem error={members.error} onRetry={members.refetch} />}
      {members.isPending && <Skeleton lines={3} />}
      <ul className="lines">
        {members.data?.map((member) => (
          <Server key={member.ID} member={member} />
        ))}
      </ul>
    </Card>
  )
}

const STATUS: Readonly<Record<number, { readonly tone: Tone; readonly text: string }>> = {
  1: { tone: 'good', text: 'Alive' },
  3: { tone: 'plain', text: 'Stopped' },
  4: { tone: 'danger', text: 'Failed' },
}

/** Read from the tag `acls`, which servers before 1.4.0 lack. */
const MODES: Readonly<Record<string, { readonly tone: Tone; readonly text: string }>> = {
  '0': { tone: 'plain', text: 'ACLs off' },
  '1': { tone: 'good', text: 'New ACLs' },
  '2': { tone: 'warn', text: 'Legacy mode' },
}

function Server({ member: { Name, Addr, Port, Version, Status, Tags } }: { readonly member: Member }) {
  const status = STATUS[Status]
  const mode = MODES[Tags.acls ?? ''] ?? { tone: 'warn' as const, text: 'Before 1.4' }
  return (
    <li>
      <span className="row">
        <strong>{Name}</strong>
        <span className="mono small secondary">
          {Addr}:{Port}
        </span>
      </span>
      <span className="row">
        <span className="small nums secondary">{Version}</span>
        <Badge tone={mode.tone}>{mode.text}</Badge>
        {status && <Badge tone={status.tone}>{status.text}</Badge>}
      </span>
    </li>
  )
}
