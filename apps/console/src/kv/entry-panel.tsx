import type { KVEntry } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download, FileX, Trash2 } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useCached, useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useMay } from '../session/use-rights.ts'
import { IconButton } from '../ui/controls.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Facts } from '../ui/page.tsx'
import { showToast } from '../ui/toast.tsx'
import { hasDotStep, shownName } from './paths.ts'
import { sizeOf, textOf } from './value.ts'
import { type Draft, ValueEditor } from './value-editor.tsx'

export function EntryPanel({ name, onGone }: { readonly name: string; readonly onGone: () => void }) {
  const isReadable = !hasDotStep(name)
  const entry = useLive(['kv', 'entry', name], (client, options) => client.kv.watch(name, options), {
    enabled: isReadable,
  })
  const mayWrite = useMay('key', 'write', name)
  const [draft, setDraft] = useState<Draft>()
  const record = entry.data ?? (entry.isSuccess ? null : undefined)
  const shown = useCached(record, draft !== undefined)
  const isDeleted = record === null
  return (
    <section className="card" aria-label="Key">
      <div className="card-head">
        <h2 className="kv-title mono">{shownName(name)}</h2>
        <CopyButton label="Copy key" text={() => name} />
        {entry.data && mayWrite && <DeleteKey entry={entry.data} onGone={onGone} />}
      </div>
      <div className="card-body">
        {entry.error && <Problem error={entry.error} onRetry={entry.refetch} />}
        {!isReadable && <DotStep />}
        {isReadable && entry.isPending && <Skeleton lines={5} />}
        {shown === null && (
          <Empty icon={FileX} title="This key does not exist">
            It was deleted or never written. It appears here when somebody writes it.
          </Empty>
        )}
        {shown && <Entry entry={shown} {...{ mayWrite, isDeleted, draft, setDraft }} />}
      </div>
    </section>
  )
}

/** Shown instead of a key or folder with a step `.` or `..`: no URL of the service can address it. */
export function DotStep() {
  return (
    <Empty icon={FileX} title="The console cannot open this key">
      The key contains the path segment “.” or “..”, which browsers remove from URLs. Use the command latchkey
      txn to read, write or delete it.
    </Empty>
  )
}

type EntryProps = Omit<ComponentProps<typeof ValueEditor>, 'text'>

function Entry({ entry, ...editing }: EntryProps) {
  const text = textOf(entry)
  return (
    <div className="stack">
      {text === undefined ? (
        <Empty
          icon={Download}
          title="Not text"
          actions={
            <a
              className="button"
              href={`data:application/octet-stream;base64,${entry.Value ?? ''}`}
              download={entry.Key.split('/').at(-1)}
            >
              <Download aria-hidden />
              Download
            </a>
          }
        >
          The value is not valid UTF-8.
        </Empty>
      ) : (
        <ValueEditor entry={entry} text={text} {...editing} />
      )}
      <Facts
        className="kv-facts"
        facts={[
          ['Size', sizeOf(entry), 'nums'],
          ['Flags', String(entry.Flags), 'nums'],
          ['Changed at index', entry.ModifyIndex, 'nums'],
          ['Created at index', entry.CreateIndex, 'nums'],
          ['Times locked', entry.LockIndex, 'nums'],
          [
            'Held by session',
            entry.Session !== undefined && (
              <Link to="/sessions/$id" params={{ id: entry.Session }} className="mono small">
                {entry.Session}
              </Link>
            ),
            'kv-holder',
          ],
        ]}
      />
    </div>
  )
}

/** Deletes at once, unless the key has changed, and offers an undo. */
function DeleteKey({ entry, onGone }: { readonly entry: KVEntry; readonly onGone: () => void }) {
  const client = useClient()
  const restore = async () => {
    const value = Uint8Array.from(atob(entry.Value ?? ''), (char) => char.charCodeAt(0))
    const isBack = await client.kv.put(entry.Key, value, { cas: 0, flags: entry.Flags })
    showToast(
      isBack
        ? { text: `${entry.Key} is back` }
        : { text: 'The key already exists again: nothing was overwritten.', tone: 'danger' },
    )
  }
  const notRestored = (error: unknown) =>
    showToast({ text: `“${entry.Key}” was not restored: ${messageOf(error)}`, tone: 'danger' })
  const remove = useMutation({
    mutationFn: () => client.kv.delete(entry.Key, { cas: entry.ModifyIndex }),
    onSuccess: (isDeleted) => {
      if (!isDeleted) {
        showToast({ text: 'The key changed in the meantime and was not deleted.', tone: 'danger' })
        return
      }
      showToast({
        text: `Deleted ${entry.Key}`,
        durationMs: 10_000,
        action: { label: 'Undo', onSelect: () => void restore().catch(notRestored) },
      })
      onGone()
    },
    onError: (error) => showToast({ text: messageOf(error), tone: 'danger' }),
  })
  return (
    <IconButton
      label="Delete key"
      onClick={() => remove.mutate()}
      disabled={remove.isPending}
      icon={Trash2}
    />
  )
}
