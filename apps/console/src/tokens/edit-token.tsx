import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { LINK_LABELS, linkNamesOf, linksOf } from '../links/links.ts'
import { serverFacts } from '../server-facts.ts'
import { type KnownToken, useClient, withoutSecret } from '../session/session.ts'
import type { FieldText } from '../ui/form/conflict.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { showToast } from '../ui/toast.tsx'
import { type Made, NewSecret } from './new-secret.tsx'
import { type TokenContent, TokenForm } from './token-form.tsx'

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
