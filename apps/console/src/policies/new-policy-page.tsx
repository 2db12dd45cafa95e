import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Button } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { LeaveGuard } from '../ui/overlay/dialog.tsx'
import { Page } from '../ui/page.tsx'
import { showToast } from '../ui/toast.tsx'
import { createPolicy, isAboutName, isSameContent, type PolicyContent, PolicyForm } from './policy-form.tsx'

const EXAMPLE = 'key_prefix "orders/" {\n  policy = "read"\n}\n'

const BLANK: PolicyContent = { name: '', description: '', rules: EXAMPLE }

export function NewPolicyPage() {
  const client = useClient()
  const rights = useRights()
  const navigate = useNavigate()
  const [content, setContent] = useState(BLANK)
  const create = useMutation({
    mutationFn: () => createPolicy(client, content),
    onSuccess: ({ ID, Name }) => {
      showToast({ text: `Created “${Name}”.` })
      void navigate({ to: '/policies/$id', params: { id: ID }, ignoreBlocker: true })
    },
  })
  return (
    <Page
      title="Create policy"
      parent={{ to: '/policies', label: 'Policies' }}
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
