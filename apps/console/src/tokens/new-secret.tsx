import type { Token } from '@latchkey/sdk'
import { useNavigate } from '@tanstack/react-router'
import { Button } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { Facts } from '../ui/page.tsx'
import { CopySecret, ShownSecret, useCopySecret } from '../ui/secret.tsx'

/** A new token. Its secret is behind a function, so that nothing renders it by accident. */
export interface Made {
  readonly accessorId: string
  readonly name: string
  readonly secret: () => string
}

export function madeOf({ AccessorID, Description, SecretID }: Token): Made {
  return { accessorId: AccessorID, name: Description, secret: () => SecretID }
}

/** Hands over the secret of a new token: copied, or shown on demand. */
export function NewSecret({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) {
  const navigate = useNavigate()
  const copy = useCopySecret(made.secret)
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
          <CopySecret copy={copy} look="primary" />
        </>
      }
    >
      <Facts
        facts={[
          ['Description', made.name || 'No description'],
          ['Accessor', made.accessorId, 'mono small'],
          ['Secret', <ShownSecret key="secret" read={made.secret} />],
        ]}
      />
      {copy.error && <Problem error={copy.error} />}
    </Dialog>
  )
}
