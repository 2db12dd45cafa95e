/** Creates a namespace, or edits one. If somebody else has changed it since, saving shows both versions. */
import type { Namespace } from '@latchkey/sdk'
import { useNavigate } from '@tanstack/react-router'
import { NamePicker } from '../links/link-editor.tsx'
import type { Linked } from '../links/links.ts'
import { ClientContext, useClient } from '../session/session.ts'
import type { FieldText } from '../ui/form/conflict.tsx'
import { TextField } from '../ui/form/field.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { showToast } from '../ui/toast.tsx'

interface NamespaceDialogProps {
  /** Absent: a new one. */
  readonly namespace?: Namespace
  /** The namespace was deleted elsewhere while this form was open. */
  readonly isDeleted?: boolean
  readonly onClose: () => void
}

interface Content {
  /** The name cannot change. */
  readonly name: string
  readonly description: string
  readonly policies: readonly string[]
  readonly roles: readonly string[]
}

export function NamespaceDialog({ namespace, isDeleted = false, onClose }: NamespaceDialogProps) {
  const client = useClient()
  const navigate = useNavigate()
  const edit = useEdit({
    record: namespace,
    isDeleted,
    blank: { name: '', description: '', policies: [], roles: [] },
    contentOf,
    fieldsOf,
    read: ({ Name }) => client.namespaces.read(Name, { consistency: 'consistent' }),
    save: ({ name, description, policies, roles }, stored) => {
      const Description = description.trim()
      if (!stored) return client.namespaces.create({ Name: name.trim(), Description })
      const named = (names: readonly string[]) => names.map((Name) => ({ Name }))
      const ACLs = { PolicyDefaults: named(policies), RoleDefaults: named(roles) }
      return client.namespaces.update(stored.Name, { Description, ACLs })
    },
    onSaved: (saved) => {
      showToast({ text: `Saved “${saved.Name}”.` })
      onClose()
      if (edit.isNew) void navigate({ to: '/namespaces/$name', params: { name: saved.Name } })
    },
    onClose,
  })
  const { content, set, isNew } = edit
  return (
    <EditDialog edit={edit} what="namespace" onClose={onClose}>
      {isNew && (
        <TextField
          label="Name"
          hint="Letters, digits, - and _, with a letter or digit at both ends."
          name="name"
          value={content.name}
          onValue={(name) => set({ name })}
        />
      )}
      <TextField
        label="Description"
        name="description"
        value={content.description}
        onValue={(description) => set({ description })}
      />
      {namespace && !isNew ? (
        <ClientContext value={client.withNamespace(namespace.Name)}>
          <NamePicker
            label="Default policies"
            kind="policies"
            values={content.policies}
            onValues={(policies) => set({ policies })}
          />
          <NamePicker
            label="Default roles"
            kind="roles"
            values={content.roles}
            onValues={(roles) => set({ roles })}
          />
        </ClientContext>
      ) : (
        <p className="field-hint">
          Default policies and roles must be in the namespace: choose them after you have created some.
        </p>
      )}
    </EditDialog>
  )
}

function contentOf({ Name, Description, ACLs }: Namespace): Content {
  return {
    name: Name,
    description: Description,
    policies: ACLs.PolicyDefaults.map(({ Name }) => Name),
    roles: ACLs.RoleDefaults.map(({ Name }) => Name),
  }
}

function fieldsOf({ description, policies, roles }: Content): readonly FieldText[] {
  return [
    ['Description', description],
    ['Default policies', policies.join('\n')],
    ['Default roles', roles.join('\n')],
  ]
}

/** The defaults of a namespace as links, which apply to every token in it. */
export function defaultsOf({ ACLs }: Namespace): Linked {
  return { Policies: ACLs.PolicyDefaults, Roles: ACLs.RoleDefaults }
}
