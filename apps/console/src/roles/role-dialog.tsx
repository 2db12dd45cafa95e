/** Creates a role, or edits one. If somebody else has changed it since, saving shows both versions. */
import type { Role } from '@latchkey/sdk'
import { useNavigate } from '@tanstack/react-router'
import { LinkPickers } from '../links/link-editor.tsx'
import { LINK_LABELS, type LinkNames, linkNamesOf, linksOf, NO_LINKS } from '../links/links.ts'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import type { FieldText } from '../ui/form/conflict.tsx'
import { TextField } from '../ui/form/field.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { showToast } from '../ui/toast.tsx'

interface RoleDialogProps {
  /** Absent: a new one. */
  readonly role?: Role
  /** The role was deleted elsewhere while this form was open. */
  readonly isDeleted?: boolean
  readonly onClose: () => void
}

interface Content {
  readonly name: string
  readonly description: string
  readonly links: LinkNames
}

export function RoleDialog({ role, isDeleted = false, onClose }: RoleDialogProps) {
  const client = useClient()
  const navigate = useNavigate()
  const edit = useEdit({
    record: role,
    isDeleted,
    blank: { name: '', description: '', links: NO_LINKS },
    contentOf,
    fieldsOf,
    read: ({ ID }) => client.roles.read(ID, { consistency: 'consistent' }),
    save: ({ name, description, links }, stored) => {
      const record = {
        Name: name.trim(),
        Description: description.trim(),
        ...linksOf(links, serverFacts.datacenter),
      }
      return stored ? client.roles.update(stored.ID, record) : client.roles.create(record)
    },
    onSaved: (saved) => {
      showToast({ text: `Saved “${saved.Name}”.` })
      onClose()
      if (edit.isNew) void navigate({ to: '/roles/$id', params: { id: saved.ID } })
    },
    onClose,
  })
  const { content, set } = edit
  return (
    <EditDialog edit={edit} what="role" onClose={onClose}>
      <TextField
        label="Name"
        hint="Letters, digits, - and _. At most 256 characters."
        name="name"
        value={content.name}
        onValue={(name) => set({ name })}
      />
      <TextField
        label="Description"
        name="description"
        value={content.description}
        onValue={(description) => set({ description })}
      />
      <LinkPickers links={content.links} onLinks={(part) => set({ links: { ...content.links, ...part } })} />
    </EditDialog>
  )
}

function contentOf(role: Role): Content {
  return { name: role.Name, description: role.Description, links: linkNamesOf(role) }
}

function fieldsOf({ name, description, links }: Content): readonly FieldText[] {
  return [
    ['Name', name],
    ['Description', description],
    ...(['policies', 'services', 'nodes'] as const).map(
      (kind) => [LINK_LABELS[kind], links[kind].join('\n')] as const,
    ),
  ]
}
