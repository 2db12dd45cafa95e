import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { LinkPickers, NamePicker } from '../links/link-editor.tsx'
import { LINK_LABELS, type LinkNames, linkNamesOf, linksOf, NO_LINKS } from '../links/links.ts'
import { serverFacts } from '../server-facts.ts'
import { type KnownToken, useClient, withoutSecret } from '../session/session.ts'
import { Problem } from '../ui/feedback.tsx'
import { CheckField, SelectField, TextField } from '../ui/form/field.tsx'
import { useChanged } from '../ui/form/unsaved.ts'
import type { FieldText } from '../ui/form/use-edit.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { showToast } from '../ui/toast.tsx'
import { type Made, NewSecret } from './new-secret.tsx'

interface TokenContent {
  readonly description: string
  readonly links: LinkNames
}

interface TokenFormProps {
  readonly content: TokenContent
  readonly onContent: (content: TokenContent) => void
}

/** The fields that create and edit share. */
function TokenForm({ content, onContent }: TokenFormProps) {
  const { description, links } = content
  const link = (part: Partial<LinkNames>) => onContent({ description, links: { ...links, ...part } })
  return (
    <>
      <TextField
        label="Description"
        hint="Who or what uses the token."
        name="description"
        value={description}
        onValue={(value) => onContent({ links, description: value })}
      />
      <LinkPickers links={links} onLinks={link}>
        <NamePicker label="Roles" kind="roles" values={links.roles} onValues={(roles) => link({ roles })} />
      </LinkPickers>
    </>
  )
}

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

interface EditTokenProps {
  /** The token on the page, which follows changes made elsewhere while the person types. */
  readonly token: KnownToken
  /** The token was deleted elsewhere while this form was open. */
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
    blank: contentOf(token),
    contentOf,
    fieldsOf,
    read: async ({ AccessorID }) =>
      withoutSecret(await client.tokens.read(AccessorID, { consistency: 'consistent' })),
    save: async ({ description, links }, stored): Promise<Made | undefined> => {
      const record = {
        Description: description.trim(),
        ...linksOf(links, serverFacts.datacenter),
        Roles: links.roles.map((Name) => ({ Name })),
        Local: token.Local,
      }
      if (stored) {
        await client.tokens.update(token.AccessorID, record)
        return undefined
      }
      const { ExpirationTime } = token
      const again = await client.tokens.create(ExpirationTime ? { ...record, ExpirationTime } : record)
      return { accessorId: again.AccessorID, name: again.Description, secret: () => again.SecretID }
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

function contentOf(token: KnownToken): TokenContent {
  return { description: token.Description, links: linkNamesOf(token) }
}

function fieldsOf({ description, links }: TokenContent): readonly FieldText[] {
  return [
    ['Description', description],
    ...(['policies', 'roles', 'services', 'nodes'] as const).map(
      (kind) => [LINK_LABELS[kind], links[kind].join('\n')] as const,
    ),
  ]
}
