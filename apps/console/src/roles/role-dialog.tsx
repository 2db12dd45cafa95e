/** Creates a role, or edits one. If somebody else has changed it since, saving shows both versions. */
import type { Role } from '@latchkey/sdk'
import { useNavigate } from '@tanstack/react-router'
import { NamePicker, TextPicker } from '../links/link-editor.tsx'
import { LINK_LABELS, type LinkNames, linkNamesOf, linksOf, NO_LINKS } from '../links/links.ts'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { Problem } from '../ui/feedback.tsx'
import type { FieldText } from '../ui/form/conflict.tsx'
import { TextField } from '../ui/form/field.tsx'
import { useEdit } from '../ui/form/use-edit.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
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
  const { content, setContent, save, isNew, isChanged, conflict, notice } = useEdit({
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
      if (isNew) void navigate({ to: '/roles/$id', params: { id: saved.ID } })
    },
    onClose,
  })
  if (conflict) return conflict
  const link = (part: Partial<LinkNames>) => setContent({ ...content, links: { ...content.links, ...part } })
  return (
    <Dialog
      title={isNew ? 'Create role' : 'Edit role'}
      onClose={onClose}
      isChanged={isChanged}
      onSubmit={() => save.mutate()}
      submit={{ label: isNew ? 'Create role' : 'Save', busy: save.isPending }}
    >
      <div className="stack">
        {notice}
        <TextField
          label="Name"
          hint="Letters, digits, - and _. At most 256 characters."
          name="name"
          value={content.name}
          onValue={(name) => setContent({ ...content, name })}
        />
        <TextField
          label="Description"
          name="description"
          value={content.description}
          onValue={(description) => setContent({ ...content, description })}
        />
        <NamePicker
          label="Policies"
          kind="policies"
          values={content.links.policies}
          onValues={(policies) => link({ policies })}
        />
        <div className="grid-2">
          <TextPicker
            label="Service identities"
            placeholder="web or web@dc1"
            values={content.links.services}
            onValues={(services) => link({ services })}
          />
          <TextPicker
            label="Node identities"
            placeholder="node-1@dc1"
            values={content.links.nodes}
            onValues={(nodes) => link({ nodes })}
          />
        </div>
        {save.error && <Problem error={save.error} />}
      </div>
    </Dialog>
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
