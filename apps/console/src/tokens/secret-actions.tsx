import { useMutation } from '@tanstack/react-query'
import { Check, Copy, Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useClient } from '../session/session.ts'
import { Button } from '../ui/controls.tsx'
import { copyText } from '../ui/copy.tsx'
import { Problem } from '../ui/feedback.tsx'

/** How long a secret stays on screen. */
const SHOWN_MS = 30_000
const COPIED_MS = 2_500

/**
 * Copies or shows the secret of a token. It is read on demand, copied without entering the page, and shown for half a
 * minute.
 */
export function SecretActions({ accessorId }: { readonly accessorId: string }) {
  const client = useClient()
  const [shown, setShown] = useState<string>()
  const copy = useMutation({
    mutationFn: async () => {
      const { SecretID } = await client.tokens.read(accessorId)
      await copyText(SecretID)
    },
  })
  const show = useMutation({
    mutationFn: async () => setShown((await client.tokens.read(accessorId)).SecretID),
  })
  useEffect(() => {
    if (shown === undefined) return
    const timer = setTimeout(() => setShown(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [shown])
  const { reset } = copy
  useEffect(() => {
    if (!copy.isSuccess) return
    const timer = setTimeout(reset, COPIED_MS)
    return () => clearTimeout(timer)
  }, [copy.isSuccess, reset])
  const error = copy.error ?? show.error
  return (
    <div className="stack" data-gap="small">
      <p className="small secondary">
        The credential. Copy it without displaying it, or show it for half a minute.
      </p>
      <div className="row">
        <Button size="small" busy={copy.isPending} onClick={() => copy.mutate()}>
          {copy.isSuccess ? <Check aria-hidden /> : <Copy aria-hidden />}
          {copy.isSuccess ? 'Copied' : 'Copy secret'}
        </Button>
        {shown === undefined ? (
          <Button size="small" look="quiet" busy={show.isPending} onClick={() => show.mutate()}>
            <Eye aria-hidden />
            Show secret
          </Button>
        ) : (
          <Button size="small" look="quiet" onClick={() => setShown(undefined)}>
            <EyeOff aria-hidden />
            Hide secret
          </Button>
        )}
      </div>
      {shown !== undefined && <output className="mono secret">{shown}</output>}
      {error && <Problem error={error} />}
    </div>
  )
}
