import type { Client, TokenListEntry } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FilePlus2, KeyRound, UsersRound } from 'lucide-react'
import { Fragment } from 'react'
import { everySecond } from '../live/queries.ts'
import { useRefetchOn } from '../live/use-live.ts'
import { Counts } from '../policies/counts.tsx'
import { serverFacts } from '../server-facts.ts'
import { useClient, useSession } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { TokenLink } from '../tokens/token-cell.tsx'
import { Badge } from '../ui/controls.tsx'
import { Problem, Skeleton } from '../ui/feedback.tsx'
import { Instant } from '../ui/instant.tsx'
import { Card, Facts, Page } from '../ui/page.tsx'

const SHOWN = 6

export function HomePage() {
  const client = useClient()
  const session = useSession()
  const rights = useRights()
  const token = session.state === 'signedIn' ? session.token : undefined
  return (
    <Page
      title="Overview"
      heading={serverFacts.datacenter === '' ? 'Overview' : `Overview of ${serverFacts.datacenter}`}
      lead={
        token
          ? `You are signed in as ${token.Description || token.AccessorID}.`
          : 'You are not signed in. You only see what everyone may see.'
      }
    >
      <div className="stack" data-gap="large">
        {rights.aclWrite && <Starts />}
        <div className="columns">
          {rights.aclRead ? (
            <Tokens />
          ) : (
            <Card title="Your rights">
              <div className="stack">
                <p>
                  Your token may not read access control. Ask your administrator for acl:read to see tokens
                  and policies.
                </p>
                {token && <TokenLink id={token.AccessorID}>My token</TokenLink>}
              </div>
            </Card>
          )}
          <div className="stack" data-gap="large">
            {rights.aclRead && <Counts client={client} />}
            <ClusterFacts />
          </div>
        </div>
      </div>
    </Page>
  )
}

function Starts() {
  const create = { create: true }
  const starts = [
    [KeyRound, 'Create a token', 'For a program or a person', { to: '/tokens', search: create }],
    [FilePlus2, 'Write a policy', 'With completion and checks', { to: '/policies/new' }],
    [UsersRound, 'Create a role', 'The same rights for many tokens', { to: '/roles', search: create }],
  ] as const
  return (
    <div className="starts">
      {starts.map(([Icon, title, text, link]) => (
        <Link key={title} {...link} className="card start">
          <span className="start-icon">
            <Icon aria-hidden size={18} />
          </span>
          <span className="start-title">{title}</span>
          <span className="start-text">{text}</span>
        </Link>
      ))}
    </div>
  )
}

function Tokens() {
  const client = useClient()
  const tokens = useQuery({
    queryKey: ['recent-tokens'],
    queryFn: ({ signal }) => readRecentTokens(client, signal),
  })
  useRefetchOn(['recent-tokens'], (client, options) => client.tokens.list({}, { ...options, limit: 1 }))
  const failed = tokens.error && <Problem error={tokens.error} onRetry={tokens.refetch} />
  const loading = tokens.isPending && <Skeleton lines={4} />
  const now = Date.now()
  const expiring = (tokens.data ?? [])
    .filter(({ ExpirationTime }) => ExpirationTime !== undefined && Date.parse(ExpirationTime) > now)
    .sort((a, b) => ((a.ExpirationTime ?? '') < (b.ExpirationTime ?? '') ? -1 : 1))
  return (
    <div className="stack" data-gap="large">
      <Card
        title="Expiring soon"
        actions={
          <Link to="/tokens" search={{ expiry: 'day', sort: 'expires' }} className="small">
            Show all
          </Link>
        }
      >
        {failed ||
          loading ||
          (expiring.length === 0 ? (
            <p className="secondary">No token expires within the next day.</p>
          ) : (
            <TokenLines
              tokens={expiring.slice(0, SHOWN)}
              instantOf={({ ExpirationTime }) => ExpirationTime ?? ''}
            />
          ))}
      </Card>
      <Card
        title="Newest tokens"
        actions={
          <Link to="/tokens" className="small">
            Show all
          </Link>
        }
      >
        {failed || loading || (
          <TokenLines
            tokens={(tokens.data ?? []).slice(0, SHOWN)}
            instantOf={({ CreateTime }) => CreateTime}
          />
        )}
      </Card>
    </div>
  )
}

interface TokenLinesProps {
  readonly tokens: readonly RecentToken[]
  readonly instantOf: (token: RecentToken) => string
}

function TokenLines({ tokens, instantOf }: TokenLinesProps) {
  return (
    <ul className="usage">
      {tokens.map((token) => (
        <li key={token.AccessorID}>
          <KeyRound aria-hidden />
          <TokenLink id={token.AccessorID} className="truncate usage-name">
            {token.Description || 'No description'}
          </TokenLink>
          <span className="small muted nums">
            <Instant value={instantOf(token)} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The newest tokens: every token that expires is from the last day, because no lifetime is longer. Spec 4.2.1. */
type RecentToken = Pick<TokenListEntry, 'AccessorID' | 'Description' | 'CreateTime' | 'ExpirationTime'>

/** A clone expires with its source, so it cannot outlive this lifetime either. */
const LIFETIME_MS_MAX = 24 * 3_600_000
const PAGE = 200
const PAGES_MAX = 5

/** The tokens of the last day, newest first, and at least a page of older ones; secrets are dropped. */
async function readRecentTokens(client: Client, signal: AbortSignal): Promise<readonly RecentToken[]> {
  const recent: RecentToken[] = []
  const oldest = Date.now() - LIFETIME_MS_MAX
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await client
      .withMeta()
      .tokens.list({ sort: '-CreateIndex' }, { limit: PAGE, cursor, signal })
    for (const { AccessorID, Description, CreateTime, ExpirationTime } of page.value) {
      const expiration = ExpirationTime === undefined ? {} : { ExpirationTime }
      recent.push({ AccessorID, Description, CreateTime, ...expiration })
    }
    cursor = page.nextCursor
    if (cursor === undefined || Date.parse(recent.at(-1)?.CreateTime ?? '') < oldest) break
  }
  return recent
}

function ClusterFacts() {
  const client = useClient()
  const status = useQuery({
    queryKey: ['cluster-facts'],
    queryFn: async ({ signal }) => {
      const [leader, peers, datacenters] = await Promise.all([
        client.status.leader({ signal }),
        client.status.peers({ signal }),
        client.status.datacenters({ signal }),
      ])
      return { leader, peers, datacenters }
    },
    refetchInterval: everySecond,
  })
  if (status.error) return <Problem error={status.error} onRetry={status.refetch} />
  const { leader, peers = [], datacenters = [] } = status.data ?? {}
  return (
    <Card
      title="Service"
      actions={
        status.data && <Badge tone={leader ? 'good' : 'danger'}>{leader ? 'working' : 'no leader'}</Badge>
      }
    >
      <Facts
        facts={[
          ['Server processes', peers.length || '–', 'nums'],
          ['Datacenters', datacenters.join(', ') || serverFacts.datacenter],
          [
            'API version',
            <Fragment key="version">
              {serverFacts.serviceVersion} <span className="muted">· {serverFacts.edition} edition</span>
            </Fragment>,
          ],
        ]}
      />
    </Card>
  )
}
