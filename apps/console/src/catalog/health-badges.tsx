import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../ui/badge.tsx'
import { type Counts, STATE_NAMES, STATES, type State } from './health.ts'

const LOOKS = {
  critical: { tone: 'danger', icon: CircleX },
  warning: { tone: 'warn', icon: TriangleAlert },
  passing: { tone: 'good', icon: CircleCheck },
} as const

/** How many checks are in each state, the worst first. */
export function HealthBadges({ counts }: { readonly counts: Counts }) {
  const shown = STATES.filter((state) => counts[state] > 0)
  if (shown.length === 0) return <span className="small muted">No checks</span>
  return (
    <span className="links">
      {shown.map((state) => (
        <StateBadge key={state} state={state}>
          <span>
            {counts[state]} <span className="badge-word">{STATE_NAMES[state].toLowerCase()}</span>
          </span>
        </StateBadge>
      ))}
    </span>
  )
}

export function StateBadge({ state, children }: { readonly state: State; readonly children?: ReactNode }) {
  const { tone, icon: Icon } = LOOKS[state]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {children ?? STATE_NAMES[state]}
    </Badge>
  )
}
