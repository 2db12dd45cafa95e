import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { linksOf, NO_LINKS } from '../links/links.ts'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { Problem } from '../ui/feedback.tsx'
import { CheckField, SelectField, TextField } from '../ui/form/field.tsx'
import { useChanged } from '../ui/form/unsaved.ts'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { type Made, NewSecret } from './new-secret.tsx'
import { type TokenContent, TokenForm } from './token-form.tsx'

const LIFETIMES = [
  ['8h', 'In 8 hours'],
  ['1h', 'In 1 hour'],
  ['24h', 'In 24 hours'],
  ['other', 'After another time…'],
  ['', 'Never'],
] as const

interface CreateTokenProps {
  /** The initial links. */
  readonly policies: readonly string[]
  readonly roles: readonly string[]
  readonly onClose: () => void
}

export function CreateToken({ policies, roles, onClose }: CreateTokenProps) {
  const client = useClient()
  const [content, setContent] = useState<TokenContent>({
    description: '',
    links: { ...NO_LINKS, policies, roles },
  })
  const [lifetime, setLifetime] = useState('8h')
  const [other, setOther] = useState('')
  const [isLocal, setLocal] = useState(false)
  const [made, setMade] = useState<Made>()
  const isChanged = useChanged([content, lifetime, other, isLocal])
  const create = useMutation({
    mutationFn: async () => {
      const ttl = lifetime === 'other' ? other.trim() : lifetime
      const token = await client.tokens.create({
        Description: content.description.trim(),
        ...linksOf(content.links, serverFacts.datacenter),
        Roles: content.links.roles.map((Name) => ({ Name })),
        ...(ttl === '' ? {} : { ExpirationTTL: ttl }),
        Local: isLocal,
      })
      return { accessorId: token.AccessorID, name: token.Description, secret: () => token.SecretID }
    },
    // Not in the mutation's data, which would keep the secret after the dialog has closed.
    onSuccess: setMade,
    gcTime: 0,
  })
  if (made) return <NewSecret made={made} onClose={onClose} />
  return (
    <Dialog
      title="Create token"
      lead="For a program or a person. Short lifetimes are safer."
      onClose={onClose}
      isChanged={isChanged}
      onSubmit={() => create.mutate()}
      submit={{ label: 'Create token', busy: create.isPending }}
    >
      <div className="stack">
        <TokenForm content={content} onContent={setContent} />
        <div className="grid-2">
          <SelectField label="Expires" value={lifetime} options={LIFETIMES} onValue={setLifetime} />
          {lifetime === 'other' && (
            <TextField
              label="Lifetime"
              hint="From 1m to 24h, such as 90m or 1h30m."
              name="lifetime"
              placeholder="90m"
              value={other}
              onValue={setOther}
            />
          )}
        </div>
        <CheckField
          label="Only in this datacenter"
          hint="It is not replicated, and works while the primary datacenter is unreachable."
          checked={isLocal}
          onValue={setLocal}
        />
        {create.error && <Problem error={create.error} />}
      </div>
    </Dialog>
  )
}
