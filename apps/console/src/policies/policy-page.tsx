import type { Policy } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { ArrowRight, FileX } from 'lucide-react'
import { useState } from 'react'
import { useLive, watchOrNull } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Usage } from '../tokens/usage.tsx'
import { Badge, Button } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { ChangedNotice, DeletedNotice } from '../ui/form/use-edit.tsx'
import { LeaveGuard } from '../ui/overlay/dialog.tsx'
import { Page } from '../ui/page.tsx'
import { RecordActions, RecordPage } from '../ui/record-page.tsx'
import { showToast } from '../ui/toast.tsx'
import { contentOf, isAboutName, isSameContent, type PolicyContent, PolicyForm } from './policy-form.tsx'
import { SavePolicy } from './save-policy.tsx'

const route = getRouteApi('/policies/$id')
const PARENT = { to: '/policies', label: 'Policies' }

/** The rules of this policy cannot change. */
const BUILTIN_ID = '00000000-0000-0000-0000-000000000001'

interface Draft {
  readonly base: Policy
  readonly content: PolicyContent
}

export function PolicyPage() {
  const { id } = route.useParams() as { id: string }
  const [draft, setDraft] = useState<Draft>()
  const policy = useLive(['policy', id], (client, options) => watchOrNull(client.policies.watch(id, options)))
  return (
    <RecordPage
      isEdited={draft !== undefined}
      query={policy}
      parent={PARENT}
      title="Policy"
      gone={{ icon: FileX, title: 'This policy does not exist', text: 'It may have been deleted.' }}
    >
      {(shown, { isDeleted }) => (
        <PolicyDetails policy={shown} isDeleted={isDeleted} draft={draft} setDraft={setDraft} />
      )}
    </RecordPage>
  )
}

interface DetailsProps {
  readonly policy: Policy
  readonly isDeleted: boolean
  readonly draft: Draft | undefined
  readonly setDraft: (draft: Draft | undefined) => void
}

function PolicyDetails({ policy, isDeleted, draft, setDraft }: DetailsProps) {
  const client = useClient()
  const rights = useRights()
  const [isSaving, setSaving] = useState(false)
  const content = draft?.content ?? contentOf(policy)
  const isChanged = draft !== undefined && !isSameContent(draft.content, contentOf(draft.base))
  const isBuiltin = policy.ID === BUILTIN_ID
  const createAgain = useCreatePolicy(content)
  const isOutdated = isChanged && draft.base.ModifyIndex !== policy.ModifyIndex
  return (
    <Page
      title={policy.Name}
      parent={PARENT}
      heading={
        <span className="row">
          {policy.Name}
          {isBuiltin && <Badge>built in</Badge>}
          {isChanged && <Badge tone="warn">not saved</Badge>}
        </span>
      }
      lead={policy.Description}
      actions={
        rights.aclWrite && (
          <>
            {isChanged && <Button onClick={() => setDraft(undefined)}>Discard changes</Button>}
            <Button look="primary" disabled={!isChanged || isDeleted} onClick={() => setSaving(true)}>
              Review and save
            </Button>
            <RecordActions
              what="policy"
              name={policy.Name}
              onDelete={isBuiltin || isDeleted ? undefined : () => client.policies.delete(policy.ID)}
              to="/policies"
              warning="Roles and tokens lose its rights at once. Deletion cannot be undone."
            />
          </>
        )
      }
    >
      <LeaveGuard isChanged={isChanged} />
      <div className="columns">
        <div className="stack">
          {isOutdated && <ChangedNotice />}
          {isDeleted && (
            <DeletedNotice
              onCreate={() => createAgain.mutate()}
              isCreating={createAgain.isPending}
              onDiscard={() => setDraft(undefined)}
            />
          )}
          {createAgain.error && <Problem error={createAgain.error} />}
          <PolicyForm
            content={content}
            onContent={(changed) => setDraft({ base: draft?.base ?? policy, content: changed })}
            readOnly={!rights.aclWrite || isBuiltin}
          />
        </div>
        {!isDeleted && (
          <Usage
            title="Used by"
            by="policy"
            id={policy.ID}
            name={policy.Name}
            none={<Unused name={policy.Name} />}
          />
        )}
      </div>
      {isSaving && draft && (
        <SavePolicy
          base={draft.base}
          content={draft.content}
          onSettle={(base, settled) => setDraft({ base, content: settled })}
          onSaved={() => setDraft(undefined)}
          onClose={() => setSaving(false)}
        />
      )}
    </Page>
  )
}

function Unused({ name }: { readonly name: string }) {
  const rights = useRights()
  return (
    <>
      No role or token uses this policy.
      {rights.aclWrite && (
        <Link to="/tokens" search={{ policy: name, create: true }} className="link-more">
          Create a token with it
          <ArrowRight aria-hidden />
        </Link>
      )}
    </>
  )
}

const EXAMPLE = 'key_prefix "orders/" {\n  policy = "read"\n}\n'

const BLANK: PolicyContent = { name: '', description: '', rules: EXAMPLE }

function useCreatePolicy({ name, description, rules }: PolicyContent) {
  const { policies } = useClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => policies.create({ Name: name.trim(), Description: description.trim(), Rules: rules }),
    onSuccess: ({ ID, Name }) => {
      showToast({ text: `Created “${Name}”.` })
      void navigate({ to: '/policies/$id', params: { id: ID }, ignoreBlocker: true })
    },
  })
}

export function NewPolicyPage() {
  const rights = useRights()
  const [content, setContent] = useState(BLANK)
  const create = useCreatePolicy(content)
  return (
    <Page
      title="Create policy"
      parent={PARENT}
      actions={
        <Button
          look="primary"
          disabled={!rights.aclWrite}
          busy={create.isPending}
          onClick={() => create.mutate()}
        >
          Create policy
        </Button>
      }
    >
      <LeaveGuard isChanged={!isSameContent(content, BLANK)} />
      <div className="stack">
        {create.error && !isAboutName(create.error) && <Problem error={create.error} />}
        <PolicyForm content={content} onContent={setContent} readOnly={false} error={create.error} />
      </div>
    </Page>
  )
}
