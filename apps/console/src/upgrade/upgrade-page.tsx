import '../ui/styles/catalog.css'
import '../ui/styles/upgrade.css'
import type { Member } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FileUp, PartyPopper } from 'lucide-react'
import { everySecond } from '../live/queries.ts'
import { useClient } from '../session/session.ts'
import { type TokenRow, useTokenFeed } from '../tokens/list/token-feed.ts'
import { TokenCell } from '../tokens/token-cell.tsx'
import { Badge, type Tone } from '../ui/controls.tsx'
import { Empty, Loaded, Problem, Skeleton } from '../ui/feedback.tsx'
import { Card, Page } from '../ui/page.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'
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

function Servers() {
  const client = useClient()
  const members = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => client.agent.members({ signal }),
    refetchInterval: everySecond,
  })
  return (
    <Card title="Servers">
      <Loaded query={members} lines={3}>
        {(servers) => (
          <ul className="lines">
            {servers.map((member) => (
              <Server key={member.ID} member={member} />
            ))}
          </ul>
        )}
      </Loaded>
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

const COLUMNS: readonly Column<TokenRow>[] = [
  ['Token', 'minmax(0, 4fr)', (token) => <TokenCell {...token} />],
  [
    'Required action',
    'minmax(0, 5fr)',
    (token) => (
      <span className="small secondary">
        {isLinked(token)
          ? 'None: its links decide, and its rules are ignored.'
          : 'Replace its rules with a policy: 1.11 ignores them.'}
      </span>
    ),
    { priority: 'low' },
  ],
]

/** Tokens whose rights come from legacy rules, and what each needs before legacy rules are removed. */
function LegacyTokens() {
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
