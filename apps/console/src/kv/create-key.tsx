import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import { Field, TextField } from '../ui/form/field.tsx'
import { useChanged } from '../ui/form/use-changed.ts'
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
      title={texts.kv.create}
      onClose={onClose}
      isChanged={isChanged}
      onSubmit={() => isNamed && create.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={create.isPending} disabled={!isNamed}>
            {texts.kv.create}
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextField
          label={texts.kv.key}
          hint={texts.kv.keyHint}
          className="input mono"
          autoFocus
          value={key}
          onValue={(next) => {
            create.reset()
            setKey(next)
          }}
          error={exists ? texts.kv.exists : isImpossible ? texts.kv.dotStep : undefined}
        />
        <Field label={texts.kv.value}>
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
