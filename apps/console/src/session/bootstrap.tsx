import { LatchkeyError } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { Check, Copy } from 'lucide-react'
import { useRef, useState } from 'react'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { anonymousClient, signIn } from './session.ts'

/** Creates the first management token of a new server, and hands its secret over without showing it. */
export function Bootstrap({ onClose }: { readonly onClose: () => void }) {
  // Not state: what React renders from it would be in the page.
  const secret = useRef<string>(undefined)
  const [isCopied, setCopied] = useState(false)
  const create = useMutation({
    mutationFn: async () => {
      const token = await anonymousClient.bootstrap()
      secret.current = token.SecretID
      return true
    },
  })
  const enter = useMutation({ mutationFn: () => signIn(secret.current ?? '', { remember: false }) })
  const copy = async () => {
    await navigator.clipboard.writeText(secret.current ?? '')
    setCopied(true)
  }
  const isDone = create.error instanceof LatchkeyError && create.error.code === 'bootstrap_done'
  return (
    <Dialog
      title={create.isSuccess ? texts.signIn.bootstrapCreated : texts.signIn.bootstrap}
      lead={create.isSuccess ? texts.signIn.bootstrapKeep : texts.signIn.bootstrapLead}
      onClose={onClose}
      foot={
        create.isSuccess ? (
          <>
            <Button onClick={() => void copy()}>
              {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
              {isCopied ? texts.common.copied : texts.signIn.bootstrapCopy}
            </Button>
            <Button look="primary" disabled={!isCopied} busy={enter.isPending} onClick={() => enter.mutate()}>
              {texts.signIn.bootstrapEnter}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>{texts.common.cancel}</Button>
            <Button look="primary" busy={create.isPending} onClick={() => create.mutate()}>
              {texts.signIn.bootstrapCreate}
            </Button>
          </>
        )
      }
    >
      {isDone && <p className="field-error">{texts.signIn.bootstrapDone}</p>}
      {create.error && !isDone && <Problem error={create.error} />}
      {enter.error && <Problem error={enter.error} />}
    </Dialog>
  )
}
