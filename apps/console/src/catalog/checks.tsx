import type { HealthCheck } from '@latchkey/sdk'
import { STATES } from './health.ts'
import { StateBadge } from './health-badges.tsx'

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
