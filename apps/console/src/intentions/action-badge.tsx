import type { Intention } from '@latchkey/sdk'
import { Badge } from '../ui/badge.tsx'

/** Whether the source may connect; with permissions, that depends on the request. */
export function ActionBadge({ Action }: Pick<Intention, 'Action'>) {
  if (Action === undefined) return <Badge tone="accent">By request</Badge>
  const isAllowed = Action === 'allow'
  return <Badge tone={isAllowed ? 'good' : 'danger'}>{isAllowed ? 'Allow' : 'Deny'}</Badge>
}
