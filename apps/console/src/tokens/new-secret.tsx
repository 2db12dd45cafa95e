import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, Copy, Eye } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/controls.tsx'
import { copyText } from '../ui/copy.tsx'
import { Problem } from '../ui/feedback.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'

/** A new token. Its secret is behind a function, so that nothing renders it by accident. */
export interface Made {
  readonly accessorId: string
  readonly name: string
  readonly secret: () => string
}

interface NewSecretProps {
  readonly made: Made
  readonly onClose: () => void
}

/** Hands over the secret of a new token: copied, or shown on demand. */
export function NewSecret({ made, onClose }: NewSecretProps) {
  const navigate = useNavigate()
  const [isShown, setShown] = useState(false)
  const copy = useMutation({ mutationFn: () => copyText(made.secret()) })
  const done = () => {
    onClose()
    void navigate({ to: '/tokens/$accessorId', params: { accessorId: made.accessorId } })
  }
  return (
    <Dialog
      title="The token is ready"
      lead="Pass its secret on now. Later, only people with acl:write can read it."
      onClose={onClose}
      foot={
        <>
          <Button onClick={done}>Open token</Button>
          <Button look="primary" onClick={() => copy.mutate()}>
            {copy.isSuccess ? <Check aria-hidden /> : <Copy aria-hidden />}
            {copy.isSuccess ? 'Copied' : 'Copy secret'}
          </Button>
        </>
      }
    >
      <div className="stack">
        <dl className="facts">
          <div>
            <dt>Description</dt>
            <dd>{made.name || 'No description'}</dd>
          </div>
          <div>
            <dt>Accessor</dt>
            <dd className="mono small">{made.accessorId}</dd>
          </div>
          <div>
            <dt>Secret</dt>
            <dd>
              {isShown ? (
                <output className="mono secret">{made.secret()}</output>
              ) : (
                <Button size="small" look="quiet" onClick={() => setShown(true)}>
                  <Eye aria-hidden />
                  Show secret
                </Button>
              )}
            </dd>
          </div>
        </dl>
        {copy.error && <Problem error={copy.error} />}
      </div>
    </Dialog>
  )
}
