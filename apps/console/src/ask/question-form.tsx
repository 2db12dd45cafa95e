import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useRights } from '../session/use-rights.ts'
import { Button } from '../ui/controls.tsx'
import { SelectField, TextField } from '../ui/form/field.tsx'
import { ACCESS_NAMES, type Access, KINDS, type Kind, type QuestionSearch, resourceOf } from './question.ts'

interface QuestionFormProps {
  /** The current question, with which the fields begin. */
  readonly search: QuestionSearch
  readonly onAsk: (question: QuestionSearch) => void
  /** A field before the others. */
  readonly children?: ReactNode
}

/** The right in question. */
export function QuestionForm({ search, onAsk, children }: QuestionFormProps) {
  const [kind, setKind] = useState<Kind>(search.kind ?? 'key')
  const [access, setAccess] = useState<Access>(search.access ?? 'read')
  const [segment, setSegment] = useState(search.segment ?? '')
  const [isMissing, setMissing] = useState(false)
  const { isNamed, accesses, label = 'Name' } = resourceOf(kind)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(isNamed && segment === '')
    if (isNamed && segment === '') return
    onAsk({ kind, access, ...(isNamed ? { segment } : {}) })
  }
  const chooseKind = (value: string) => {
    setKind(value as Kind)
    setMissing(false)
    if (!resourceOf(value as Kind).accesses.includes(access)) setAccess('read')
  }
  return (
    <form className="question" onSubmit={submit} noValidate>
      {children}
      <SelectField
        label="Access"
        value={access}
        options={accesses.map((each) => [each, ACCESS_NAMES[each]] as const)}
        onValue={(value) => setAccess(value as Access)}
      />
      <SelectField
        label="Resource"
        value={kind}
        options={KINDS.map((each) => [each, resourceOf(each).name] as const)}
        onValue={chooseKind}
      />
      {isNamed && (
        <TextField
          label={label}
          value={segment}
          onValue={setSegment}
          className="input mono"
          error={isMissing ? 'Enter a name.' : undefined}
        />
      )}
      <Button type="submit" look="primary">
        Ask
      </Button>
    </form>
  )
}

/** Both kinds of question; switching keeps the right in question. */
export function AskTabs({ search: { token: _token, ...right } }: { readonly search: QuestionSearch }) {
  const rights = useRights()
  return (
    <nav className="tabs" aria-label="Questions">
      <Link to="/ask" search={right} activeOptions={{ exact: true, includeSearch: false }}>
        May it?
      </Link>
      {rights.aclRead && (
        <Link to="/ask/who" search={right} activeOptions={{ exact: true, includeSearch: false }}>
          Who may?
        </Link>
      )}
    </nav>
  )
}
