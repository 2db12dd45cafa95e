import type { KVEntry } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { GitMerge } from 'lucide-react'
import { type Dispatch, type KeyboardEvent, type SetStateAction, useEffect } from 'react'
import { useClient } from '../session/session.ts'
import { Button } from '../ui/controls.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Problem } from '../ui/feedback.tsx'
import { DeletedNotice } from '../ui/form/use-edit.tsx'
import { LeaveGuard } from '../ui/overlay/dialog.tsx'
import { showToast } from '../ui/toast.tsx'
import { isSameKey } from './paths.ts'
import { formatted, unified, withEndingsOf } from './value.ts'

interface ValueEditorProps {
  readonly entry: KVEntry
  readonly text: string
  readonly mayWrite: boolean
  /** The key was deleted elsewhere while the person typed: saving creates it again. */
  readonly isDeleted: boolean
  readonly draft: Draft | undefined
  readonly setDraft: Dispatch<SetStateAction<Draft | undefined>>
}

/** The text being edited, and the version on which it is based. */
export interface Draft {
  /** Every line ends with `\n`: a text area supports no other line endings. */
  readonly text: string
  readonly base: string
  readonly index: number
}

/** Edits a value. If it changed elsewhere meanwhile, the person chooses the version to continue with. */
export function ValueEditor({ entry, text, mayWrite, isDeleted, draft, setDraft }: ValueEditorProps) {
  const client = useClient()
  const saved = unified(text)
  const shown = draft?.text ?? saved
  const withEndings = () => (draft === undefined ? text : withEndingsOf(draft.base, draft.text))
  const isConflict = draft !== undefined && draft.index !== entry.ModifyIndex && draft.base !== text
  const isDirty = draft !== undefined && draft.text !== saved
  const save = useMutation({
    mutationFn: () =>
      client.kv.put(entry.Key, withEndings(), {
        cas: isDeleted ? 0 : (draft?.index ?? entry.ModifyIndex),
        flags: entry.Flags,
      }),
    onSuccess: (isWritten) => {
      if (!isWritten) return
      setDraft(undefined)
      showToast({ text: 'Saved' })
    },
  })
  // If the same value was written again, there is no conflict: save on the current version.
  useEffect(() => {
    setDraft((each) =>
      each && each.base === text && each.index !== entry.ModifyIndex
        ? { ...each, index: entry.ModifyIndex }
        : each,
    )
  }, [text, entry.ModifyIndex, setDraft])
  const type = (next: string) =>
    setDraft({ text: next, base: draft?.base ?? text, index: draft?.index ?? entry.ModifyIndex })
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (isDirty && !isConflict) save.mutate()
  }
  const pretty = formatted(shown)
  return (
    <div className="stack" data-gap="small">
      <LeaveGuard isChanged={isDirty} isKept={isSameKey} />
      {isDeleted && (
        <DeletedNotice
          onCreate={() => save.mutate()}
          isCreating={save.isPending}
          onDiscard={() => setDraft(undefined)}
        />
      )}
      {isConflict && (
        <ConflictView
          mine={draft.text}
          theirs={text}
          onMine={() => setDraft({ text: draft.text, base: text, index: entry.ModifyIndex })}
          onTheirs={() => setDraft(undefined)}
        />
      )}
      {!isConflict && (
        <textarea
          className="input mono kv-value"
          aria-label="Value"
          spellCheck={false}
          readOnly={!mayWrite}
          value={shown}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKey}
        />
      )}
      {save.error && <Problem error={save.error} />}
      <div className="row">
        {mayWrite && !isConflict && !isDeleted && (
          <>
            <Button look="primary" busy={save.isPending} disabled={!isDirty} onClick={() => save.mutate()}>
              Save
            </Button>
            {isDirty && (
              <Button look="quiet" onClick={() => setDraft(undefined)}>
                Discard
              </Button>
            )}
            {pretty !== shown && (
              <Button look="quiet" onClick={() => type(pretty)}>
                Format JSON
              </Button>
            )}
          </>
        )}
        {!mayWrite && <span className="small muted">Your token may read this key but not write it.</span>}
        <span className="kv-copy">
          <CopyButton label="Copy value" text={withEndings} />
        </span>
      </div>
    </div>
  )
}

interface ConflictViewProps {
  readonly mine: string
  readonly theirs: string
  readonly onMine: () => void
  readonly onTheirs: () => void
}

function ConflictView({ mine, theirs, onMine, onTheirs }: ConflictViewProps) {
  const versions = [
    ['Your version', mine, 'Keep mine', onMine],
    ['The version on the server', theirs, 'Use theirs', onTheirs],
  ] as const
  return (
    <div className="stack" data-gap="small">
      <div className="problem" data-tone="warn" role="alert">
        <GitMerge aria-hidden />
        <div>
          <div className="problem-title">Changed elsewhere while you edited</div>
          <div className="problem-text">
            Choose the version to continue with. Choosing does not save anything.
          </div>
        </div>
      </div>
      <div className="grid-2">
        {versions.map(([title, text, action, onChoose]) => (
          <section key={title} className="stack" data-gap="small" aria-label={title}>
            <h3>{title}</h3>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable. */}
            <pre className="kv-version" tabIndex={0}>
              {text}
            </pre>
            <div>
              <Button onClick={onChoose}>{action}</Button>
            </div>
          </section>
        ))}
      </div>
    </div>
  )
}
