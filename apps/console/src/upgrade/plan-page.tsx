import '../ui/styles/upgrade.css'
import { useMutation } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { type DragEvent, useId, useMemo, useState } from 'react'
import { durationText } from '../live/instants.ts'
import { Badge } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { Card, Page } from '../ui/page.tsx'
import { type DumpFinding, type DumpPlan, planDump, policyOf, type RuleText } from './dump-plan.ts'

/** Takes the dump of a legacy server, and shows what its upgrade would do. The file stays in the browser. */
export function PlanPage() {
  const [share, setShare] = useState(0)
  const plan = useMutation({
    mutationFn: (file: File) => planDump(file.stream(), (bytes) => setShare(bytes / file.size)),
  })
  return (
    <Page
      title="Plan an upgrade"
      lead="What an upgrade does to the tokens of a legacy server. Your browser reads the file and sends it nowhere."
      parent={{ to: '/upgrade', label: 'Upgrade' }}
    >
      <div className="stack" data-gap="large">
        <Drop onFile={plan.mutate} name={plan.variables?.name} />
        {plan.isPending && (
          <progress className="progress" aria-label="Reading the dump" value={share} max={1} />
        )}
        {plan.error && <Problem error={plan.error} />}
        {plan.data && <PlanView plan={plan.data} />}
      </div>
    </Page>
  )
}

function Drop(props: { readonly onFile: (file: File) => void; readonly name: string | undefined }) {
  const { onFile, name } = props
  const id = useId()
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    if (file) onFile(file)
  }
  return (
    <label
      htmlFor={id}
      className="drop"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileUp aria-hidden />
      <span>
        <strong>{name ?? 'Drop a dump here, or choose a file'}</strong>
        <span className="small secondary">
          The answer of GET /v1/acl/list, as a JSON list or with one token per line.
        </span>
      </span>
      <input
        id={id}
        type="file"
        className="visually-hidden"
        accept=".json,.ndjson,.txt,application/json"
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file) onFile(file)
        }}
      />
    </label>
  )
}

const CODE_NAMES = {
  field_malformed: 'A field has the wrong type',
  field_unknown: 'Unknown fields',
  field_too_long: 'A field is too long',
  field_case: 'Field names in another case than in the legacy list',
  list_wrapped: 'A list inside an object: choose a file that contains only the list',
  token_of_token_api: 'A record of the token API: create the dump from /v1/acl/list',
  id_missing: 'No ID',
  id_redacted: 'The ID is hidden: create the dump with a management token',
  id_root_name: 'The ID is the name of a root authorizer',
  id_reserved: 'A reserved ID',
  id_duplicate: 'The ID of an earlier token',
  type_unknown: 'An unknown type',
  rules_unused: 'Rules of a management token, which have no effect',
  rules_unreadable: 'Invalid rules: every use of the token is refused',
  rules_ignored: 'Rules that are ignored',
}

const TEXTS_SHOWN = 25

/** The plan of an upgrade: counts, duration, problems of the dump, and the policies that its rules become. */
function PlanView({ plan }: { readonly plan: DumpPlan }) {
  const numbers = [
    ['Tokens', plan.tokens],
    ['Management tokens', plan.management],
    ['With rules to replace', plan.withRules],
    ['Cannot be imported', plan.refused],
  ] as const
  return (
    <div className="stack" data-gap="large">
      <Card title="The plan">
        <dl className="numbers">
          {numbers.map(([label, count]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="nums">{count.toLocaleString('en')}</dd>
            </div>
          ))}
        </dl>
        <p className="secondary">{planText(plan.batches, plan.batchSize, durationText(plan.durationMs))}</p>
      </Card>
      {plan.findings.length > 0 && (
        <Card title="Check these first">
          <ul className="stack">
            {plan.findings.map((finding) => (
              <Finding key={finding.code} finding={finding} />
            ))}
          </ul>
        </Card>
      )}
      {plan.texts.length > 0 && (
        <Card
          title={
            plan.texts.length === 1
              ? 'One set of rules'
              : `${plan.texts.length.toLocaleString('en')} sets of rules`
          }
        >
          <div className="stack" data-gap="large">
            <p className="secondary">Each set becomes one policy for the tokens that share it.</p>
            {plan.texts.slice(0, TEXTS_SHOWN).map((text) => (
              <Rules key={text.rules} text={text} />
            ))}
            {plan.texts.length > TEXTS_SHOWN && (
              <p className="small muted">+{plan.texts.length - TEXTS_SHOWN}</p>
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
          {severity === 'error' ? 'Not imported' : 'Note'}
        </Badge>
        <strong>{CODE_NAMES[code]}</strong>
        <span className="small muted nums">{affectedText(tokens)}</span>
      </div>
      <ul className="small secondary places">
        {places.map(({ name, position, message }) => (
          <li key={message}>
            Token {position}
            {name !== '' && `, “${name}”`}: {message}
          </li>
        ))}
      </ul>
    </li>
  )
}

function Rules({ text: { rules, tokens } }: { readonly text: RuleText }) {
  const policy = useMemo(() => policyOf(rules), [rules])
  return (
    <section aria-label={affectedText(tokens)}>
      <h3>{affectedText(tokens)}</h3>
      <div className="grid-2 translation">
        <Text label="Legacy rules" text={rules} />
        <Text
          label="As a policy"
          text={policy?.rules ?? 'The rules are invalid, so there is no policy with the same rights.'}
        />
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

function planText(batches: number, size: number, text: string): string {
  return batches === 0
    ? 'There is nothing to migrate.'
    : batches === 1
      ? 'Accessors are assigned in one batch. Management tokens are linked to global-management.'
      : `Accessors are assigned in ${batches.toLocaleString('en')} batches of at most ${size}, one per second: at least ${text}. Management tokens are linked to global-management.`
}

function affectedText(tokens: number): string {
  return tokens === 1 ? 'One token' : `${tokens.toLocaleString('en')} tokens`
}
