import { PermissionDenied } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../ui/controls.tsx'
import { TextField } from '../ui/form/field.tsx'
import { Dialog, DiscardDialog } from '../ui/overlay/dialog.tsx'
import { signIn, signOut } from './session.ts'

/** Asks for another token on top of a page with typed input, after the person's own token ended. */
export function SignInAgain() {
  const [secret, setSecret] = useState('')
  const [isLeaving, setLeaving] = useState(false)
  const enter = useMutation({ mutationFn: () => signIn(secret.trim(), { remember: false }) })
  const isUnknown = enter.error instanceof PermissionDenied
  const leave = () => setLeaving(true)
  return (
    <>
      <Dialog
        title="Sign in again"
        lead="Your token has expired or was deleted. Your input is still here."
        onClose={leave}
        action={{ label: 'Sign in', run: enter, disabled: secret.trim() === '', isErrorShown: isUnknown }}
        foot={<Button onClick={leave}>Sign out</Button>}
      >
        <TextField
          label="Secret"
          type="password"
          name="secret"
          autoComplete="current-password"
          value={secret}
          onValue={setSecret}
          error={
            isUnknown
              ? 'The server does not know this secret. It may be mistyped, or its token has expired or was deleted.'
              : undefined
          }
        />
      </Dialog>
      {isLeaving && <DiscardDialog onKeep={() => setLeaving(false)} onDiscard={() => signOut('ended')} />}
    </>
  )
}
