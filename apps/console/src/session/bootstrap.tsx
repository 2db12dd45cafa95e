import { LatchkeyError } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { Check, Copy, Eye } from 'lucide-react'
import { useRef, useState } from 'react'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { copyText } from '../ui/copy-text.ts'
import { Problem } from '../ui/feedback/problem.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
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
  const enter = useMutation({ mutationFn: () => signIn(secret.current ?? '', { remember: false }) })
  const copy = useMutation({ mutationFn: () => copyText(secret.current ?? '') })
  const isKept = copy.isSuccess || isShown
  // The secret exists only in this dialog, so closing it by accident asks first.
  const close = () => (create.isPending || (create.isSuccess && !isKept) ? setLeaving(true) : onClose())
  const isDone = create.error instanceof LatchkeyError && create.error.code === 'bootstrap_done'
  return (
    <Dialog
      title={create.isSuccess ? texts.signIn.bootstrapCreated : texts.signIn.bootstrap}
      lead={create.isSuccess ? texts.signIn.bootstrapKeep : texts.signIn.bootstrapLead}
      onClose={close}
      foot={
        create.isSuccess ? (
          <>
            <Button onClick={() => copy.mutate()}>
              {copy.isSuccess ? <Check aria-hidden /> : <Copy aria-hidden />}
              {copy.isSuccess ? texts.common.copied : texts.signIn.bootstrapCopy}
            </Button>
            <Button look="primary" disabled={!isKept} busy={enter.isPending} onClick={() => enter.mutate()}>
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
      <div className="stack" data-gap="small">
        {create.isSuccess &&
          (isShown ? (
            <output className="mono secret">{secret.current}</output>
          ) : (
            <div>
              <Button size="small" look="quiet" onClick={() => setShown(true)}>
                <Eye aria-hidden />
                {texts.tokens.showSecret}
              </Button>
            </div>
          ))}
        {isLeaving && create.isSuccess && !isKept && (
          <p className="field-error" role="alert">
            {texts.signIn.bootstrapFirst}
          </p>
        )}
        {copy.error && <Problem error={copy.error} />}
        {isDone && <p className="field-error">{texts.signIn.bootstrapDone}</p>}
        {create.error && !isDone && <Problem error={create.error} />}
        {enter.error && <Problem error={enter.error} />}
      </div>
    </Dialog>
  )
}
