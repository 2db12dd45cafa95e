import { useMemo } from 'react'
import { durationText } from '../live/durations.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/page.tsx'
import { type DumpFinding, type DumpPlan, policyOf, type RuleText } from './dump-plan.ts'

/** Rule texts beyond this number are only counted. */
const TEXTS_SHOWN = 25

/** The plan of an upgrade: counts, duration, problems of the dump, and the policies that its rules become. */
export function PlanView({ plan }: { readonly plan: DumpPlan }) {
  const numbers = [
    [texts.upgrade.plan.tokens, plan.tokens],
    [texts.upgrade.plan.management, plan.management],
    [texts.upgrade.plan.withRules, plan.withRules],
    [texts.upgrade.plan.refused, plan.refused],
  ] as const
  return (
    <div className="stack" data-gap="large">
      <Card title={texts.upgrade.plan.heading}>
        <dl className="numbers">
          {numbers.map(([label, count]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="nums">{count.toLocaleString('en')}</dd>
            </div>
          ))}
        </dl>
        <p className="secondary">
          {texts.upgrade.plan.duration(plan.batches, plan.batchSize, durationText(plan.durationMs))}
        </p>
      </Card>
      {plan.findings.length > 0 && (
        <Card title={texts.upgrade.plan.findings}>
          <ul className="stack">
            {plan.findings.map((finding) => (
              <Finding key={finding.code} finding={finding} />
            ))}
          </ul>
        </Card>
      )}
      {plan.texts.length > 0 && (
        <Card title={texts.upgrade.plan.texts(plan.texts.length)}>
          <div className="stack" data-gap="large">
            <p className="secondary">{texts.upgrade.plan.textsLead}</p>
            {plan.texts.slice(0, TEXTS_SHOWN).map((text) => (
              <Rules key={text.rules} text={text} />
            ))}
            {plan.texts.length > TEXTS_SHOWN && (
              <p className="small muted">{texts.tokens.more(plan.texts.length - TEXTS_SHOWN)}</p>
            )}
          </div>
        </Card>
      )}
    </div>
  )
}

function Finding({ finding: { code, severity, tokens, places } }: { readonly finding: DumpFinding }) {
  return (
    <li>
      <div className="row">
        <Badge tone={severity === 'error' ? 'danger' : 'warn'}>
          {texts.upgrade.plan.severities[severity]}
        </Badge>
        <strong>{texts.upgrade.plan.codes[code]}</strong>
        <span className="small muted nums">{texts.upgrade.plan.affected(tokens)}</span>
      </div>
      <ul className="small secondary places">
        {places.map(({ name, position, message }) => (
          <li key={message}>
            {texts.upgrade.plan.place(position, name)}: {message}
          </li>
        ))}
      </ul>
    </li>
  )
}

function Rules({ text: { rules, tokens } }: { readonly text: RuleText }) {
  const policy = useMemo(() => policyOf(rules), [rules])
  return (
    <section aria-label={texts.upgrade.plan.affected(tokens)}>
      <h3>{texts.upgrade.plan.affected(tokens)}</h3>
      <div className="grid-2 translation">
        <Text label={texts.upgrade.plan.before} text={rules} />
        <Text label={texts.upgrade.plan.after} text={policy?.rules ?? texts.upgrade.plan.unreadable} />
      </div>
      {policy?.notes.map((note) => (
        <p key={note} className="small secondary">
          {note}
        </p>
      ))}
    </section>
  )
}

function Text({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <figure>
      <figcaption className="small muted">{label}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable. */}
      <pre className="rules-text" tabIndex={0}>
        {text.trim()}
      </pre>
    </figure>
  )
}
