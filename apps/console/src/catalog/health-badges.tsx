import type { HealthCheck } from '@latchkey/sdk'
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../ui/controls.tsx'
import { ChoiceFilter } from '../ui/table/choice-filter.tsx'
import { useChangeSearch } from '../ui/table/list-page.tsx'
import '../ui/styles/catalog.css'
import { type Counts, STATE_NAMES, STATES, type State } from './health.ts'

const LOOKS = {
  critical: { tone: 'danger', icon: CircleX },
  warning: { tone: 'warn', icon: TriangleAlert },
  passing: { tone: 'good', icon: CircleCheck },
} as const

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

function StateBadge({ state, children }: { readonly state: State; readonly children?: ReactNode }) {
  const { tone, icon: Icon } = LOOKS[state]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {children ?? STATE_NAMES[state]}
    </Badge>
  )
}

/** The filter of a list by its worst checks. */
export function HealthFilter({ state }: { readonly state: State | undefined }) {
  const change = useChangeSearch()
  return (
    <ChoiceFilter
      label="Health"
      value={state}
      options={() => STATES.map((each) => [each, STATE_NAMES[each]] as const)}
      onValue={(chosen) => change({ state: chosen })}
    />
  )
}

/** Checks with their last output, the worst first. */
export function Checks({ checks }: { readonly checks: readonly HealthCheck[] }) {
  if (checks.length === 0) return <p className="small muted">No checks</p>
  const order = (check: HealthCheck) => STATES.indexOf(stateOf(check))
  return (
    <ul className="checks">
      {[...checks]
        .sort((a, b) => order(a) - order(b) || (a.Name < b.Name ? -1 : 1))
        .map((check) => (
          <li key={`${check.Node}/${check.CheckID}`}>
            <div className="row">
              <StateBadge state={stateOf(check)} />
              <span className="checks-name">{check.Name}</span>
              {check.ServiceName === '' && <span className="small muted">of the node</span>}
            </div>
            {check.Notes !== '' && <p className="small secondary">{check.Notes}</p>}
            {check.Output !== '' && <pre className="output">{check.Output.trimEnd()}</pre>}
          </li>
        ))}
    </ul>
  )
}

function stateOf({ Status }: HealthCheck) {
  return STATES.find((each) => each === Status) ?? 'critical'
}
