import type { Client } from '@latchkey/sdk'
import { Link } from '@tanstack/react-router'
import { useLive } from '../live/use-live.ts'
import { Card } from '../ui/page.tsx'

interface CountsProps {
  readonly title?: string
  readonly client: Client
  readonly queryKey?: readonly string[]
  readonly enabled?: boolean
  /** The namespace of the lists; absent: that of the page. */
  readonly ns?: string
}

export function Counts({ title, client, queryKey = [], enabled = true, ns }: CountsProps) {
  const policies = useLive([...queryKey, 'policies'], (_, options) => client.policies.watchList(options), {
    enabled,
  })
  const roles = useLive([...queryKey, 'roles'], (_, options) => client.roles.watchList({}, options), {
    enabled,
  })
  if (policies.error || roles.error) return null
  const search = ns === undefined ? {} : { search: { ns } }
  return (
    <Card {...(title === undefined ? {} : { title })}>
      <div className="counts">
        <Link to="/policies" {...search} className="count-link">
          <span className="count-number nums">{policies.data?.length ?? '–'}</span>
          Policies
        </Link>
        <Link to="/roles" {...search} className="count-link">
          <span className="count-number nums">{roles.data?.length ?? '–'}</span>
          Roles
        </Link>
      </div>
    </Card>
  )
}
