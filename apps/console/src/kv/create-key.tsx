import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../session/session.ts'
import { Problem } from '../ui/feedback.tsx'
import { Field, TextField } from '../ui/form/field.tsx'
import { useChanged } from '../ui/form/unsaved.ts'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { hasDotStep } from './paths.ts'

interface CreateKeyProps {
  /** The open folder. */
  readonly prefix: string
  readonly onClose: () => void
  readonly onCreated: (key: string) => void
}

/** Creates a key; never overwrites one. */
export function CreateKey({ prefix, onClose, onCreated }: CreateKeyProps) {
  const client = useClient()
  const [key, setKey] = useState(prefix)
  const [value, setValue] = useState('')
  const isChanged = useChanged([key, value])
  const create = useMutation({
    mutationFn: () => client.kv.put(key, value, { cas: 0 }),
    onSuccess: (isWritten) => isWritten && onCreated(key),
  })
  const exists = create.data === false
  const isImpossible = hasDotStep(key)
  const isNamed = key !== '' && !key.endsWith('/') && !isImpossible
  return (
    <Dialog
      title="Create key"
      onClose={onClose}
      isChanged={isChanged}
      onSubmit={() => isNamed && create.mutate()}
      submit={{ label: 'Create key', busy: create.isPending, disabled: !isNamed }}
    >
      <div className="stack">
        <TextField
          label="Key"
          hint="Use slashes to create folders."
          className="input mono"
          autoFocus
          value={key}
          onValue={(next) => {
            create.reset()
            setKey(next)
          }}
          error={
            exists
              ? 'This key already exists. Open it to edit its value.'
              : isImpossible
                ? 'A name between slashes cannot be “.” or “..”, because browsers remove them from URLs.'
                : undefined
          }
        />
        <Field label="Value">
          {(control) => (
            <textarea
              className="input mono"
              rows={8}
              spellCheck={false}
              {...control}
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </Field>
        {create.error && <Problem error={create.error} />}
      </div>
    </Dialog>
  )
}
