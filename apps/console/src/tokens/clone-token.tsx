import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type KnownToken, useClient } from '../session/session.ts'
import { Problem } from '../ui/feedback.tsx'
import { TextField } from '../ui/form/field.tsx'
import { useChanged } from '../ui/form/unsaved.ts'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { type Made, NewSecret } from './new-secret.tsx'

interface CloneTokenProps {
  readonly token: KnownToken
  readonly onClose: () => void
}

export function CloneToken({ token, onClose }: CloneTokenProps) {
  const client = useClient()
  const [description, setDescription] = useState(token.Description && `${token.Description} (clone)`)
  const [made, setMade] = useState<Made>()
  const isChanged = useChanged(description)
  const clone = useMutation({
    mutationFn: async () => {
      const { AccessorID, Description, SecretID } = await client.tokens.clone(token.AccessorID, {
        Description: description.trim(),
      })
      return { accessorId: AccessorID, name: Description, secret: () => SecretID }
    },
    onSuccess: setMade,
    gcTime: 0,
  })
  if (made) return <NewSecret made={made} onClose={onClose} />
  return (
    <Dialog
      title="Clone token"
      lead="The clone has the same rights and expiration, and new IDs."
      onClose={onClose}
      isChanged={isChanged}
      onSubmit={() => clone.mutate()}
      submit={{ label: 'Clone token', busy: clone.isPending }}
    >
      <div className="stack">
        <TextField label="Description" name="description" value={description} onValue={setDescription} />
        {clone.error && <Problem error={clone.error} />}
      </div>
    </Dialog>
  )
}
