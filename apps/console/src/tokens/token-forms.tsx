import type { Token } from '@latchkey/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { LinkPickers, NamePicker } from '../links/link-editor.tsx'
import { linkNamesOf, linksOf, NO_LINKS, SHARED_LINK_LABELS } from '../links/links.ts'
import { serverFacts } from '../server-facts.ts'
import { type KnownToken, useClient, withoutSecret } from '../session/session.ts'
import { Button } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { CheckField, SelectField, TextField } from '../ui/form/field.tsx'
import { useChanged } from '../ui/form/unsaved.ts'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { Facts } from '../ui/page.tsx'
import { CopySecret, ShownSecret, useCopySecret } from '../ui/secret.tsx'
import { showToast } from '../ui/toast.tsx'

interface TokenFormProps {
  readonly content: typeof BLANK
  readonly onContent: (part: Partial<typeof BLANK>) => void
}

const BLANK = { description: '', ...NO_LINKS }

function TokenForm({ content, onContent }: TokenFormProps) {
  return (
    <>
      <TextField
        label="Description"
        hint="Who or what uses the token."
        name="description"
        value={content.description}
        onValue={(description) => onContent({ description })}
      />
      <LinkPickers links={content} onLinks={onContent}>
        <NamePicker
          label="Roles"
          kind="roles"
          value={content.roles}
          onValue={(roles) => onContent({ roles })}
        />
      </LinkPickers>
    </>
  )
}

const bodyOf = ({ description, ...links }: typeof BLANK) => ({
  Description: description.trim(),
  ...linksOf(links, serverFacts.datacenter),
  Roles: links.roles.map((Name) => ({ Name })),
})

const LIFETIMES = [
  ['8h', 'In 8 hours'],
  ['1h', 'In 1 hour'],
  ['24h', 'In 24 hours'],
  ['other', 'After another time…'],
  ['', 'Never'],
] as const

interface CreateTokenProps {
  readonly policies: readonly string[]
  readonly roles: readonly string[]
  readonly onClose: () => void
}

export function CreateToken({ policies, roles, onClose }: CreateTokenProps) {
  const client = useClient()
  const [content, setContent] = useState({ ...BLANK, policies, roles })
  const [lifetime, setLifetime] = useState('8h')
  const [other, setOther] = useState('')
  const [isLocal, setLocal] = useState(false)
  const [made, setMade] = useState<Made>()
  const isChanged = useChanged([content, lifetime, other, isLocal])
  const create = useMutation({
    mutationFn: async () => {
      const ttl = lifetime === 'other' ? other.trim() : lifetime
      const token = await client.tokens.create({
        ...bodyOf(content),
        ...(ttl === '' ? {} : { ExpirationTTL: ttl }),
        Local: isLocal,
      })
      return madeOf(token)
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
      action={{ label: 'Create token', run: create }}
    >
      <TokenForm content={content} onContent={(part) => setContent({ ...content, ...part })} />
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
    </Dialog>
  )
}

interface EditTokenProps {
  /** The token on the page, which follows changes made elsewhere while the person types. */
  readonly token: KnownToken
  readonly isDeleted: boolean
  readonly onClose: () => void
}

/** Edits a token. If somebody else has changed it since, saving shows both versions. */
export function EditToken({ token, isDeleted, onClose }: EditTokenProps) {
  const client = useClient()
  const queries = useQueryClient()
  const [made, setMade] = useState<Made>()
  const edit = useEdit({
    record: token,
    isDeleted,
    blank: BLANK,
    contentOf: (from) => ({ description: from.Description, ...linkNamesOf(from) }),
    labels: { description: 'Description', ...SHARED_LINK_LABELS, roles: 'Roles' },
    read: async ({ AccessorID }) =>
      withoutSecret(await client.tokens.read(AccessorID, { consistency: 'consistent' })),
    save: async (content, stored): Promise<Made | undefined> => {
      const record = { ...bodyOf(content), Local: token.Local }
      if (stored) {
        await client.tokens.update(token.AccessorID, record)
        return undefined
      }
      const { ExpirationTime } = token
      return madeOf(await client.tokens.create(ExpirationTime ? { ...record, ExpirationTime } : record))
    },
    onSaved: async (again) => {
      if (again) {
        setMade(again)
        return
      }
      showToast({ text: 'Token saved.' })
      await queries.invalidateQueries({ queryKey: ['token-expanded', token.AccessorID] })
      onClose()
    },
    onClose,
  })
  if (made) return <NewSecret made={made} onClose={onClose} />
  return (
    <EditDialog edit={edit} what="token" onClose={onClose}>
      <TokenForm content={edit.content} onContent={edit.set} />
    </EditDialog>
  )
}

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
