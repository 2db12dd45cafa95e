/** Creates a role, or edits one. If somebody else has changed it since, saving shows both versions. */
import type { Role } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { NamePicker, TextPicker } from '../links/link-editor.tsx'
import { type LinkNames, linkNamesOf, linksOf, NO_LINKS } from '../links/links.ts'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Conflict, type ConflictRow } from '../ui/conflict.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Problem } from '../ui/problem.tsx'
import { showToast } from '../ui/toast.tsx'

interface RoleDialogProps {
  /** Absent: a new one. */
  readonly role?: Role
  readonly onClose: () => void
}

interface Content {
  readonly name: string
  readonly description: string
  readonly links: LinkNames
}

export function RoleDialog({ role, onClose }: RoleDialogProps) {
  const client = useClient()
  const navigate = useNavigate()
  const [base, setBase] = useState(role)
  const [content, setContent] = useState<Content>(
    role ? contentOf(role) : { name: '', description: '', links: NO_LINKS },
  )
  const [theirs, setTheirs] = useState<Role>()
  const save = useMutation({
    mutationFn: async () => {
      const record = {
        Name: content.name.trim(),
        Description: content.description.trim(),
        ...linksOf(content.links, serverFacts.datacenter),
      }
      if (!base) return client.roles.create(record)
      const stored = await client.roles.read(base.ID, { consistency: 'consistent' })
      if (stored.ModifyIndex === base.ModifyIndex) return client.roles.update(base.ID, record)
      setTheirs(stored)
      return undefined
    },
    onSuccess: (saved) => {
      if (!saved) return
      showToast({ text: texts.roles.saved(saved.Name) })
      onClose()
      if (!base) void navigate({ to: '/roles/$id', params: { id: saved.ID } })
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
  const link = (part: Partial<LinkNames>) => setContent({ ...content, links: { ...content.links, ...part } })
  return (
    <Dialog
      title={base ? texts.roles.edit : texts.roles.create}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {base ? texts.common.save : texts.roles.create}
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextField
          label={texts.roles.name}
          hint={texts.policies.nameHint}
          name="name"
          value={content.name}
          onValue={(name) => setContent({ ...content, name })}
        />
        <TextField
          label={texts.roles.description}
          name="description"
          value={content.description}
          onValue={(description) => setContent({ ...content, description })}
        />
        <NamePicker
          label={texts.links.policies}
          kind="policies"
          values={content.links.policies}
          onValues={(policies) => link({ policies })}
        />
        <div className="grid-2">
          <TextPicker
            label={texts.links.services}
            placeholder={texts.links.serviceHint}
            values={content.links.services}
            onValues={(services) => link({ services })}
          />
          <TextPicker
            label={texts.links.nodes}
            placeholder={texts.links.nodeHint}
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

function differences(mine: Content, theirs: Content): readonly ConflictRow[] {
  const rows = [
    { label: texts.roles.name, mine: mine.name, theirs: theirs.name },
    { label: texts.roles.description, mine: mine.description, theirs: theirs.description },
    ...(['policies', 'services', 'nodes'] as const).map((name) => ({
      label: texts.links[name],
      mine: mine.links[name].join('\n'),
      theirs: theirs.links[name].join('\n'),
    })),
  ]
  return rows.filter((row) => row.mine !== row.theirs)
}
