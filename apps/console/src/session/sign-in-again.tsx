import { PermissionDenied } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
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
        title={texts.signIn.again}
        lead={texts.signIn.againLead}
        onClose={leave}
        onSubmit={() => enter.mutate()}
        foot={
          <>
            <Button onClick={leave}>{texts.shell.signOut}</Button>
            <Button type="submit" look="primary" busy={enter.isPending} disabled={secret.trim() === ''}>
              {texts.signIn.submit}
            </Button>
          </>
        }
      >
        <div className="stack">
          <TextField
            label={texts.signIn.secret}
            type="password"
            name="secret"
            autoComplete="current-password"
            value={secret}
            onValue={setSecret}
            error={isUnknown ? texts.signIn.unknown : undefined}
          />
          {enter.error && !isUnknown && <Problem error={enter.error} />}
        </div>
      </Dialog>
      {isLeaving && <DiscardDialog onKeep={() => setLeaving(false)} onDiscard={() => signOut('ended')} />}
    </>
  )
}
