/** Name, description and rules of a policy, with findings of the service while the person types. */

import { Conflict, Invalid, type LintFinding, type Policy } from '@latchkey/sdk'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { RuleEditor } from '../rules/rule-editor.tsx'
import { Badge, type Tone } from '../ui/controls.tsx'
import { TextField } from '../ui/form/field.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Card } from '../ui/page.tsx'

/** The place is shown beside the message. */
const PLACE = /^Rules: line \d+, column \d+: /
const SEVERITY_NAMES = { error: 'error', warning: 'warning', info: 'note' }

interface PolicyFormProps {
  readonly content: PolicyContent
  readonly onContent: (content: PolicyContent) => void
  readonly readOnly: boolean
  /** Why the server refused it: an error about the name is shown at its field. */
  readonly error?: unknown
}

const TONES: Readonly<Record<LintFinding['Severity'], Tone>> = {
  error: 'danger',
  warning: 'warn',
  info: 'accent',
}

export function PolicyForm({ content, onContent, readOnly, error }: PolicyFormProps) {
  const [findings, setFindings] = useState<readonly LintFinding[]>([])
  return (
    <div className="stack" data-gap="large">
      <Card>
        <div className="grid-2">
          <TextField
            label="Name"
            hint="Letters, digits, - and _. At most 128 characters."
            name="name"
            autoFocus={content.name === ''}
            error={isAboutName(error) ? messageOf(error) : undefined}
            disabled={readOnly}
            value={content.name}
            onValue={(name) => onContent({ ...content, name })}
          />
          <TextField
            label="Description"
            name="description"
            disabled={readOnly}
            value={content.description}
            onValue={(description) => onContent({ ...content, description })}
          />
        </div>
      </Card>
      <Card
        title="Rules"
        flush
        actions={<span className="small muted">{readOnly ? 'Read only' : 'Ctrl Space completes'}</span>}
      >
        <RuleEditor
          label="Rules"
          value={content.rules}
          readOnly={readOnly}
          onChange={(rules) => onContent({ ...content, rules })}
          onFindings={setFindings}
        />
        {!readOnly && <Findings findings={findings} />}
      </Card>
    </div>
  )
}

export function isAboutName(error: unknown): boolean {
  return (error instanceof Invalid && error.field === 'Name') || error instanceof Conflict
}

function Findings({ findings }: { readonly findings: readonly LintFinding[] }) {
  if (findings.length === 0) {
    return (
      <div className="findings" role="status">
        <span className="row gain">
          <CircleCheck aria-hidden size={15} />
          No findings
        </span>
      </div>
    )
  }
  return (
    <ul className="findings" aria-label="Findings" aria-live="polite">
      {findings.map(({ Code, Severity, Message, Line, Column }) => (
        <li key={`${Line}:${Column}:${Code}`}>
          <span className="place">
            {Line}:{Column}
          </span>
          <span>
            <Badge tone={TONES[Severity]}>{SEVERITY_NAMES[Severity]}</Badge> {Message.replace(PLACE, '')}
          </span>
        </li>
      ))}
    </ul>
  )
}

export interface PolicyContent {
  readonly name: string
  readonly description: string
  readonly rules: string
}

export function contentOf({ Name, Description, Rules }: Policy): PolicyContent {
  return { name: Name, description: Description, rules: Rules }
}

export function isSameContent(a: PolicyContent, b: PolicyContent): boolean {
  return a.name === b.name && a.description === b.description && a.rules === b.rules
}
