/** Creates a namespace, or edits one. If somebody else has changed it since, saving shows both versions. */
import type { Namespace } from '@latchkey/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { NamePicker } from '../links/link-editor.tsx'
import { ClientContext, useClient } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Conflict, type ConflictRow } from '../ui/conflict.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Problem } from '../ui/problem.tsx'
import { showToast } from '../ui/toast.tsx'

interface NamespaceDialogProps {
  /** Absent: a new one. */
  readonly namespace?: Namespace
  readonly onClose: () => void
}

interface Content {
  readonly description: string
  readonly policies: readonly string[]
  readonly roles: readonly string[]
}

const NOTHING: Content = { description: '', policies: [], roles: [] }

export function NamespaceDialog({ namespace, onClose }: NamespaceDialogProps) {
  const client = useClient()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [name, setName] = useState(namespace?.Name ?? '')
  const [base, setBase] = useState(namespace)
  const [content, setContent] = useState<Content>(namespace ? contentOf(namespace) : NOTHING)
  const [theirs, setTheirs] = useState<Namespace>()
  const save = useMutation({
    mutationFn: async () => {
      const { description, policies, roles } = content
      const Description = description.trim()
      if (!base) return client.namespaces.create({ Name: name.trim(), Description })
      const stored = await client.namespaces.read(base.Name, { consistency: 'consistent' })
      if (stored.ModifyIndex !== base.ModifyIndex) {
        setTheirs(stored)
        return undefined
      }
      const named = (names: readonly string[]) => names.map((Name) => ({ Name }))
      const ACLs = { PolicyDefaults: named(policies), RoleDefaults: named(roles) }
      return client.namespaces.update(base.Name, { Description, ACLs })
    },
    onSuccess: (saved) => {
      if (!saved) return
      void queries.invalidateQueries({ queryKey: ['namespace-names'] })
      showToast({ text: texts.namespaces.saved(saved.Name) })
      onClose()
      if (!base) void navigate({ to: '/namespaces/$name', params: { name: saved.Name } })
    },
  })
  if (theirs) {
    const settle = (chosen: Content) => {
      setBase(theirs)
      setContent(chosen)
      setTheirs(undefined)
    }
    return (
      <Conflict
        rows={differences(content, contentOf(theirs))}
        onMine={() => settle(content)}
        onTheirs={() => settle(contentOf(theirs))}
        onClose={() => setTheirs(undefined)}
      />
    )
  }
  return (
    <Dialog
      title={base ? texts.namespaces.edit : texts.namespaces.create}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {base ? texts.common.save : texts.namespaces.create}
          </Button>
        </>
      }
    >
      <div className="stack">
        {!base && (
          <TextField
            label={texts.namespaces.name}
            hint={texts.namespaces.nameHint}
            name="name"
            value={name}
            onValue={setName}
          />
        )}
        <TextField
          label={texts.namespaces.description}
          name="description"
          value={content.description}
          onValue={(description) => setContent({ ...content, description })}
        />
        {base ? (
          <ClientContext value={client.withNamespace(base.Name)}>
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

function contentOf({ Description, ACLs }: Namespace): Content {
  return {
    description: Description,
    policies: ACLs.PolicyDefaults.map(({ Name }) => Name),
    roles: ACLs.RoleDefaults.map(({ Name }) => Name),
  }
}

function differences(mine: Content, theirs: Content): readonly ConflictRow[] {
  const rows = [
    { label: texts.namespaces.description, mine: mine.description, theirs: theirs.description },
    ...(['policies', 'roles'] as const).map((kind) => ({
      label: kind === 'policies' ? texts.namespaces.policyDefaults : texts.namespaces.roleDefaults,
      mine: mine[kind].join('\n'),
      theirs: theirs[kind].join('\n'),
    })),
  ]
  return rows.filter((row) => row.mine !== row.theirs)
}
