/** Where a policy is used: the roles and tokens that link it. */
import type { Policy } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight, KeyRound, UsersRound } from 'lucide-react'
import { useRefetchOn } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Problem, Skeleton } from '../ui/feedback.tsx'
import { Card } from '../ui/page.tsx'

const TOKENS_MAX = 8

export function PolicyUsage({ policy: { ID, Name } }: { readonly policy: Policy }) {
  const client = useClient()
  const rights = useRights()
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
  })
  const key = ['policy-usage', ID]
  useRefetchOn(key, (options) => client.withMeta().tokens.list({ policy: ID }, options))
  useRefetchOn(key, ({ limit: _, ...options }) => client.withMeta().roles.list({ policy: ID }, options))
  return (
    <Card title="Used by">
      {usage.error ? (
        <Problem error={usage.error} onRetry={usage.refetch} />
      ) : !usage.data ? (
        <Skeleton lines={3} />
      ) : usage.data.roles.length + usage.data.tokens.length === 0 ? (
        <div className="stack" data-gap="small">
          <p className="secondary">No role or token uses this policy.</p>
          {rights.aclWrite && (
            <Link to="/tokens" search={{ policy: Name, create: true }} className="link-more">
              Create a token with it
              <ArrowRight aria-hidden />
            </Link>
          )}
        </div>
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
              {usage.data.hasMore ? 'Show all tokens' : 'Show in tokens'}
            </Link>
          </li>
        </ul>
      )}
    </Card>
  )
}
