import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { texts } from '../../texts.ts'
import { Conflict, differences, type FieldText } from './conflict.tsx'

interface EditOptions<R, C, S> {
  /** The record as the page shows it, which follows changes made elsewhere; `undefined`: a new one. */
  readonly record: R | undefined
  /** What a new record begins with. */
  readonly blank: C
  readonly contentOf: (record: R) => C
  /** Each field as text: what the two versions are compared by. */
  readonly fieldsOf: (content: C) => readonly FieldText[]
  /** Reads what is stored now. */
  readonly read: (base: R) => Promise<R>
  /** Updates `stored`, or creates a record. */
  readonly save: (content: C, stored: R | undefined) => Promise<S>
  readonly onSaved: (saved: S) => void
}

interface Edit<C> {
  readonly content: C
  readonly setContent: (content: C) => void
  readonly save: UseMutationResult<unknown, Error, void>
  /** Both versions, in place of the form, if somebody else has changed the record. */
  readonly conflict: ReactNode
  /** Says that somebody else has changed the record, before saving does. */
  readonly notice: ReactNode
}

/**
 * What a person edits in a form. If somebody else has changed the same record since, saving shows both versions instead, and
 * the person chooses which to edit further.
 */
export function useEdit<R, C, S>(options: EditOptions<R, C, S>): Edit<C> {
  const { record, blank, contentOf, fieldsOf, read, onSaved } = options
  const [base, setBase] = useState(record)
  const [content, setContent] = useState(() => (record === undefined ? blank : contentOf(record)))
  const [theirs, setTheirs] = useState<R>()
  const changes = (from: C, to: R) => differences(fieldsOf(from), fieldsOf(contentOf(to)))
  const isOutdatedBy = (stored: R) => base !== undefined && changes(contentOf(base), stored).length > 0
  const save = useMutation({
    mutationFn: async () => {
      const stored = base === undefined ? undefined : await read(base)
      if (stored === undefined || !isOutdatedBy(stored) || changes(content, stored).length === 0) {
        return { saved: await options.save(content, stored) }
      }
      setTheirs(() => stored)
      return undefined
    },
    onSuccess: (outcome) => outcome && onSaved(outcome.saved),
  })
  const settle = (chosen: C) => {
    setBase(() => theirs)
    setContent(() => chosen)
    setTheirs(undefined)
  }
  return {
    content,
    setContent: (next) => setContent(() => next),
    save,
    conflict: theirs !== undefined && (
      <Conflict
        rows={changes(content, theirs)}
        onMine={() => settle(content)}
        onTheirs={() => settle(contentOf(theirs))}
        onClose={() => setTheirs(undefined)}
      />
    ),
    notice: record !== undefined && isOutdatedBy(record) && <ChangedNotice />,
  }
}

/** Says that somebody else has changed the record that a form shows. */
export function ChangedNotice() {
  return (
    <div className="problem" data-tone="info" role="status">
      <div style={{ gridColumn: '1 / -1' }}>{texts.conflict.changed}</div>
    </div>
  )
}
