import { LatchkeyError } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Button } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { CopySecret, ShownSecret, useCopySecret } from '../ui/secret.tsx'
import { anonymousClient, signIn } from './session.ts'

/** Creates the first management token of a new server, and hands over its secret without showing it. */
export default function Bootstrap({ onClose }: { readonly onClose: () => void }) {
  // Not state, because React may render state into the page.
  const secret = useRef<string>(undefined)
  const [isShown, setShown] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const create = useMutation({
    mutationFn: async () => {
      const token = await anonymousClient.bootstrap()
      secret.current = token.SecretID
      return true
    },
  })
  const read = () => secret.current ?? ''
  const enter = useMutation({ mutationFn: () => signIn(read(), { remember: false }) })
  const copy = useCopySecret(read)
  const isKept = copy.isSuccess || isShown
  // The secret exists only in this dialog, so closing it by accident asks first.
  const close = () => (create.isPending || (create.isSuccess && !isKept) ? setLeaving(true) : onClose())
  const isDone = create.error instanceof LatchkeyError && create.error.code === 'bootstrap_done'
  return (
    <Dialog
      title={create.isSuccess ? 'The management token is ready' : 'Create the first management token'}
      lead={
        create.isSuccess
          ? 'Store the secret in a safe place now: this is the only time it is returned.'
          : 'This works only once per server. The token has every right, so keep its secret in a safe place.'
      }
      onClose={close}
      foot={
        create.isSuccess ? (
          <>
            <CopySecret copy={copy} />
            <Button look="primary" disabled={!isKept} busy={enter.isPending} onClick={() => enter.mutate()}>
              I have saved it: sign in
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" busy={create.isPending} onClick={() => create.mutate()}>
              Create token
            </Button>
          </>
        )
      }
    >
      <div className="stack" data-gap="small">
        {create.isSuccess && <ShownSecret read={read} onShown={() => setShown(true)} />}
        {isLeaving && create.isSuccess && !isKept && (
          <p className="field-error" role="alert">
            Copy or show the secret first. Without it, this server cannot be managed.
          </p>
        )}
        {copy.error && <Problem error={copy.error} />}
        {isDone && (
          <p className="field-error">
            The first token already exists. Sign in with its secret, or ask its owner.
          </p>
        )}
        {create.error && !isDone && <Problem error={create.error} />}
        {enter.error && <Problem error={enter.error} />}
      </div>
    </Dialog>
  )
}
