/** Creates a namespace, or edits one. If somebody else has changed it since, saving shows both versions. */
import type { Namespace } from '@latchkey/sdk'
import { useNavigate } from '@tanstack/react-router'
import { NamePicker } from '../links/link-editor.tsx'
import { ClientContext, useClient } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import { showToast } from '../ui/feedback/toast.tsx'
import type { FieldText } from '../ui/form/conflict.tsx'
import { TextField } from '../ui/form/field.tsx'
import { useEdit } from '../ui/form/use-edit.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'

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
  const { content, setContent, save, isNew, isChanged, conflict, notice } = useEdit({
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
      showToast({ text: texts.namespaces.saved(saved.Name) })
      onClose()
      if (isNew) void navigate({ to: '/namespaces/$name', params: { name: saved.Name } })
    },
    onClose,
  })
  if (conflict) return conflict
  return (
    <Dialog
      title={isNew ? texts.namespaces.create : texts.namespaces.edit}
      onClose={onClose}
      isChanged={isChanged}
      onSubmit={() => save.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {isNew ? texts.namespaces.create : texts.common.save}
          </Button>
        </>
      }
    >
      <div className="stack">
        {notice}
        {isNew && (
          <TextField
            label={texts.namespaces.name}
            hint={texts.namespaces.nameHint}
            name="name"
            value={content.name}
            onValue={(name) => setContent({ ...content, name })}
          />
        )}
        <TextField
          label={texts.namespaces.description}
          name="description"
          value={content.description}
          onValue={(description) => setContent({ ...content, description })}
        />
        {namespace && !isNew ? (
          <ClientContext value={client.withNamespace(namespace.Name)}>
            <NamePicker
              label={texts.namespaces.policyDefaults}
              kind="policies"
              values={content.policies}
              onValues={(policies) => setContent({ ...content, policies })}
            />
            <NamePicker
              label={texts.namespaces.roleDefaults}
              kind="roles"
              values={content.roles}
              onValues={(roles) => setContent({ ...content, roles })}
            />
          </ClientContext>
        ) : (
          <p className="field-hint">{texts.namespaces.defaultsLater}</p>
        )}
        {save.error && <Problem error={save.error} />}
      </div>
    </Dialog>
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
    [texts.namespaces.description, description],
    [texts.namespaces.policyDefaults, policies.join('\n')],
    [texts.namespaces.roleDefaults, roles.join('\n')],
  ]
}
