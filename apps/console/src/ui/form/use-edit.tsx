import { NotFound } from '@latchkey/sdk'
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState } from 'react'
import { Button } from '../controls.tsx'
import { Dialog } from '../overlay/dialog.tsx'

type FieldLabel = string | readonly [label: string, names: Readonly<Record<string, string>>]

interface EditOptions<R, C, S> {
  /** The record on the page, which follows changes made elsewhere; `undefined`: a new one. */
  readonly record: R | undefined
  /** Somebody else has deleted the record: its last version is shown. */
  readonly isDeleted?: boolean
  readonly blank: C
  /** Absent: the fields of the record with the names that `blank` has. */
  readonly contentOf?: (record: R) => C
  /** The fields that can be edited, with which two versions are compared. */
  readonly labels: { readonly [K in keyof C]?: FieldLabel }
  /** Fields that are compared beside those with labels. */
  readonly moreFields?: (content: C) => readonly FieldText[]
  /** Reads the stored record. `undefined` or NotFound: it was deleted. */
  readonly read: (base: R) => Promise<R | undefined>
  /** Updates `stored`, or creates a record. */
  readonly save: (content: C, stored: R | undefined) => Promise<S>
  readonly onSaved: (saved: S) => void
  readonly onClose: () => void
}

interface Edit<C> {
  readonly content: C
  readonly set: (part: Partial<C>) => void
  readonly field: <K extends keyof C & string>(name: K) => FieldControl<C[K]>
  readonly save: UseMutationResult<unknown, Error, void>
  /** Saving creates a record: it is new, or was deleted elsewhere. */
  readonly isNew: boolean
  readonly isChanged: boolean
  /** Both versions, shown instead of the form, if somebody else has changed the record. */
  readonly conflict: ReactNode
  /** Says before saving that somebody else has changed or deleted the record. */
  readonly notice: ReactNode
}

interface FieldControl<T> {
  readonly label: string
  readonly value: T
  readonly onValue: (value: T) => void
}

/**
 * Edits a record in a form. If somebody else has changed the same record since, saving shows both versions instead, and the
 * person chooses which to continue editing. If somebody else has deleted it, the form stays and saving creates it again.
 */
export function useEdit<R, C extends object, S>(options: EditOptions<R, C, S>): Edit<C> {
  const { record, isDeleted = false, blank, labels, onSaved, onClose } = options
  const contentOf =
    options.contentOf ?? ((from: R): C => ({ ...blank, ...pick(from as Partial<C>, Object.keys(blank)) }))
  const [base, setBase] = useState(record)
  const [content, setContent] = useState(() => (record === undefined ? blank : contentOf(record)))
  const [theirs, setTheirs] = useState<R>()
  const [isFoundDeleted, setFoundDeleted] = useState(false)
  const isGone = isDeleted || isFoundDeleted
  const fieldsOf = (from: C): readonly FieldText[] => [
    ...Object.entries<FieldLabel | undefined>(labels).flatMap(([name, label = '']) => {
      const value = from[name as keyof C]
      const text = Array.isArray(value) ? value.join('\n') : String(value)
      return [
        typeof label === 'string' ? ([label, text] as const) : ([label[0], label[1][text] ?? text] as const),
      ]
    }),
    ...(options.moreFields?.(from) ?? []),
  ]
  const changes = (from: C, to: R) => differences(fieldsOf(from), fieldsOf(contentOf(to)))
  const isOutdatedBy = (stored: R) => base !== undefined && changes(contentOf(base), stored).length > 0
  const save = useMutation({
    mutationFn: async () => {
      const stored = base === undefined || isGone ? undefined : await options.read(base).catch(noneIfDeleted)
      if (stored === undefined && base !== undefined && !isGone) {
        setFoundDeleted(true)
        return undefined
      }
      if (stored === undefined || !isOutdatedBy(stored) || changes(content, stored).length === 0) {
        return { saved: await options.save(content, stored) }
      }
      setTheirs(() => stored)
      return undefined
    },
    onSuccess: (outcome) => outcome && onSaved(outcome.saved),
    // The result of saving may contain a secret, which must not be kept after the form has closed.
    gcTime: 0,
  })
  const settle = (chosen: C) => {
    setBase(() => theirs)
    setContent(() => chosen)
    setTheirs(undefined)
  }
  const set = (part: Partial<C>) => setContent({ ...content, ...part })
  return {
    content,
    set,
    field: (name) => {
      const label = labels[name] ?? ''
      return {
        label: typeof label === 'string' ? label : label[0],
        value: content[name],
        onValue: (value) => set({ [name]: value } as unknown as Partial<C>),
      }
    },
    save,
    isNew: record === undefined || isGone,
    isChanged: JSON.stringify(content) !== JSON.stringify(base === undefined ? blank : contentOf(base)),
    conflict: theirs !== undefined && (
      <Conflict
        rows={changes(content, theirs)}
        onMine={() => settle(content)}
        onTheirs={() => settle(contentOf(theirs))}
        onClose={() => setTheirs(undefined)}
      />
    ),
    notice: isGone ? (
      <DeletedNotice onDiscard={onClose} isCreating={save.isPending} />
    ) : (
      record !== undefined && isOutdatedBy(record) && <ChangedNotice />
    ),
  }
}

function pick<T extends object>(from: T, names: readonly string[]): T {
  const found = Object.entries(from).filter(([name, value]) => names.includes(name) && value !== undefined)
  return Object.fromEntries(found) as T
}

function noneIfDeleted(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error
}

interface EditDialogProps {
  readonly edit: Omit<Edit<object>, 'content' | 'set' | 'field'>
  readonly what: string
  /** Absent: "Create role" or "Edit role". */
  readonly title?: string | undefined
  readonly lead?: string
  readonly size?: 'medium' | 'large'
  readonly disabled?: boolean
  /** Absent: saves. */
  readonly onSubmit?: () => void
  /** The error of saving is shown at a field. */
  readonly isErrorShown?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The dialog with the form of {@link useEdit}, or the conflict. */
export function EditDialog(props: EditDialogProps) {
  const { edit, what, title, disabled = false, isErrorShown = false, children, ...dialog } = props
  const { save, isNew, isChanged, conflict, notice } = edit
  if (conflict) return conflict
  return (
    <Dialog
      {...dialog}
      title={title ?? `${isNew ? 'Create' : 'Edit'} ${what}`}
      isChanged={isChanged}
      action={{ label: isNew ? `Create ${what}` : 'Save', run: save, disabled, isErrorShown }}
    >
      {notice}
      {children}
    </Dialog>
  )
}

interface DeletedNoticeProps {
  /** Absent: submits the enclosing form. */
  readonly onCreate?: () => void
  readonly isCreating?: boolean
  readonly onDiscard: () => void
}

export function DeletedNotice({ onCreate, isCreating = false, onDiscard }: DeletedNoticeProps) {
  return (
    <div className="problem" data-tone="info" role="status">
      <div className="stack" data-gap="small" style={{ gridColumn: '1 / -1' }}>
        Somebody else deleted this record. Your changes are still here.
        <span className="row">
          <Button type={onCreate ? 'button' : 'submit'} size="small" onClick={onCreate} busy={isCreating}>
            Create again
          </Button>
          <Button size="small" look="quiet" onClick={onDiscard}>
            Discard
          </Button>
        </span>
      </div>
    </div>
  )
}

export function ChangedNotice() {
  return (
    <div className="problem" data-tone="info" role="status">
      <div style={{ gridColumn: '1 / -1' }}>
        Somebody else has just changed this record. When you save, you will see both versions.
      </div>
    </div>
  )
}

export type FieldText = readonly [label: string, text: string]

/** The fields whose texts differ, or that only one version has. */
export function differences(mine: readonly FieldText[], theirs: readonly FieldText[]) {
  const [ours, others] = [new Map(mine), new Map(theirs)]
  return [...new Set([...ours.keys(), ...others.keys()])]
    .map((label) => ({ label, mine: ours.get(label) ?? '', theirs: others.get(label) ?? '' }))
    .filter((row) => row.mine !== row.theirs)
}

interface ConflictProps {
  readonly rows: ReturnType<typeof differences>
  readonly onMine: () => void
  readonly onTheirs: () => void
  readonly onClose: () => void
}

/** Two versions of a record; the person chooses which to continue editing. Choosing saves nothing. */
export function Conflict({ rows, onMine, onTheirs, onClose }: ConflictProps) {
  return (
    <Dialog
      title="Somebody else changed this record"
      lead="Choose the version to continue with. Nothing is saved yet."
      size="large"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onTheirs}>Use the stored version</Button>
          <Button look="primary" onClick={onMine}>
            Continue with mine
          </Button>
        </>
      }
    >
      {rows.length === 0 ? (
        <p className="secondary">Both versions are the same.</p>
      ) : (
        <div className="conflict">
          <div className="conflict-head conflict-label" />
          <div className="conflict-head">Yours</div>
          <div className="conflict-head">Stored</div>
          {rows.map(({ label, mine, theirs }) => (
            <Fragment key={label}>
              <div className="conflict-head conflict-label">{label}</div>
              <div>{mine || <span className="muted">None</span>}</div>
              <div>{theirs || <span className="muted">None</span>}</div>
            </Fragment>
          ))}
        </div>
      )}
    </Dialog>
  )
}
