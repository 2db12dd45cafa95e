/** Where a policy is used: the roles and tokens that link it. */
import type { Policy } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { KeyRound, UsersRound } from 'lucide-react'
import { useClient } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Problem } from '../ui/feedback/problem.tsx'
import { Skeleton } from '../ui/feedback/states.tsx'
import { Card } from '../ui/page.tsx'

const TOKENS_MAX = 8
const REFETCH_MS = 10_000

export function PolicyUsage({ policy: { ID, Name } }: { readonly policy: Policy }) {
  const client = useClient()
  const usage = useQuery({
    queryKey: ['policy-usage', ID],
    queryFn: async ({ signal }) => {
      const [roles, tokens] = await Promise.all([
        client.roles.list({ policy: ID }, { signal }),
        client.withMeta().tokens.list({ policy: ID, sort: '-CreateIndex' }, { limit: TOKENS_MAX, signal }),
      ])
      return {
        roles: roles.map((role) => ({ id: role.ID, name: role.Name })),
        tokens: tokens.value.map(({ AccessorID, Description }) => ({ AccessorID, Description })),
        hasMore: tokens.nextCursor !== undefined,
      }
    },
    refetchInterval: REFETCH_MS,
  })
  return (
    <Card title={texts.policies.usage}>
      {usage.error ? (
        <Problem error={usage.error} onRetry={usage.refetch} />
      ) : !usage.data ? (
        <Skeleton lines={3} />
      ) : usage.data.roles.length + usage.data.tokens.length === 0 ? (
        <p className="secondary">{texts.policies.unused}</p>
      ) : (
        <ul className="usage">
          {usage.data.roles.map(({ id, name }) => (
            <li key={id}>
              <UsersRound aria-hidden />
              <Link to="/roles/$id" params={{ id }} className="truncate">
                {name}
              </Link>
            </li>
          ))}
          {usage.data.tokens.map(({ AccessorID, Description }) => (
            <li key={AccessorID}>
              <KeyRound aria-hidden />
              <Link
                to="/tokens/$accessorId"
                params={{ accessorId: AccessorID }}
                preload={false}
                className="truncate"
              >
                {Description || AccessorID}
              </Link>
            </li>
          ))}
          <li className="small">
            <Link to="/tokens" search={{ policy: Name }}>
              {usage.data.hasMore ? texts.policies.allTokens : texts.policies.inTokens}
            </Link>
          </li>
        </ul>
      )}
    </Card>
  )
}
