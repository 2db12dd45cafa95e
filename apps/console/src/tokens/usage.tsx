/** Where a policy or a role is used: the tokens that link it, and the roles. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { KeyRound, UsersRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { useRefetchOn } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { Loaded } from '../ui/feedback.tsx'
import { Card } from '../ui/page.tsx'
import { TokenLink } from './token-cell.tsx'

const TOKENS_MAX = 10

interface UsageProps {
  readonly title: string
  readonly by: 'policy' | 'role'
  readonly id: string
  readonly name: string
  readonly none: ReactNode
}

export function Usage({ title, by, id, name, none }: UsageProps) {
  const client = useClient()
  const key = ['usage', by, id]
  const usage = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const [roles, tokens] = await Promise.all([
        by === 'policy' ? client.roles.list({ policy: id }, { signal }) : [],
        client.withMeta().tokens.list({ [by]: id, sort: '-CreateIndex' }, { limit: TOKENS_MAX, signal }),
      ])
      return {
        roles: roles.map(({ ID, Name }) => ({ ID, Name })),
        tokens: tokens.value.map(({ AccessorID, Description }) => ({ AccessorID, Description })),
        hasMore: tokens.nextCursor !== undefined,
      }
    },
  })
  useRefetchOn(key, (client, options) => client.tokens.list({ [by]: id }, { ...options, limit: 1 }))
  useRefetchOn(key, (client, options) => client.roles.list({ policy: id }, options), by === 'policy')
  return (
    <Card title={title}>
      <Loaded query={usage} lines={3}>
        {({ roles, tokens, hasMore }) =>
          roles.length + tokens.length === 0 ? (
            <p className="secondary">{none}</p>
          ) : (
            <ul className="usage">
              {roles.map(({ ID, Name }) => (
                <li key={ID}>
                  <UsersRound aria-hidden />
                  <Link to="/roles/$id" params={{ id: ID }} className="truncate">
                    {Name}
                  </Link>
                </li>
              ))}
              {tokens.map(({ AccessorID, Description }) => (
                <li key={AccessorID}>
                  <KeyRound aria-hidden />
                  <TokenLink id={AccessorID} className="truncate">
                    {Description || AccessorID}
                  </TokenLink>
                </li>
              ))}
              <li className="small">
                <Link to="/tokens" search={{ [by]: name }}>
                  {hasMore ? 'Show all tokens' : 'Show in tokens'}
                </Link>
              </li>
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}
