import { parseRules, type Rule } from '@latchkey/acl'
import { Badge, type Tone } from '../ui/controls.tsx'

const TONES: Readonly<Record<string, Tone>> = {
  write: 'good',
  deny: 'danger',
  read: 'accent',
  list: 'accent',
}

const SHOWN_MAX = 200

export default function RuleList({ rules }: { readonly rules: string }) {
  const parsed = read(rules)
  if (typeof parsed === 'string') return <p className="field-error">{parsed}</p>
  if (parsed.length === 0) return <p className="muted small">Grants nothing.</p>
  return (
    <ul className="rule-list">
      {parsed.slice(0, SHOWN_MAX).map((rule) => (
        <li key={`${rule.kind} ${rule.match} ${rule.segment}`}>
          <span className="rule-kind">
            {rule.kind === 'acl' ? 'Access control' : rule.kind.charAt(0).toUpperCase() + rule.kind.slice(1)}
          </span>
          <span className="rule-segment">
            <Segment rule={rule} />
          </span>
          <span className="row">
            <Badge tone={TONES[rule.level] ?? 'plain'}>{rule.level}</Badge>
            {rule.intentions !== undefined && (
              <Badge tone={TONES[rule.intentions] ?? 'plain'}>intentions {rule.intentions}</Badge>
            )}
          </span>
        </li>
      ))}
      {parsed.length > SHOWN_MAX && (
        <li className="muted small">and {(parsed.length - SHOWN_MAX).toLocaleString('en')} more</li>
      )}
    </ul>
  )
}

function Segment({ rule }: { readonly rule: Rule }) {
  if (rule.match === 'scalar') return <span className="muted">the whole system</span>
  if (rule.match === 'exact') return <code>{rule.segment}</code>
  if (rule.segment === '') return <span>all</span>
  return (
    <>
      <code>{rule.segment}</code>
      <span className="small muted">prefix</span>
    </>
  )
}

function read(rules: string): readonly Rule[] | string {
  try {
    return parseRules(rules).rules
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
