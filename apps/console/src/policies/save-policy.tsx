/** Before a policy is saved: the differences of its text, and which tokens would gain or lose rights. */
import type { Client, Policy, WhatIfChange } from '@latchkey/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { RuleEditor } from '../rules/rule-editor.tsx'
import { useClient } from '../session/session.ts'
import { TokenLink } from '../tokens/token-cell.tsx'
import { Problem, Skeleton } from '../ui/feedback.tsx'
import { Conflict, differences, type FieldText } from '../ui/form/use-edit.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { showToast } from '../ui/toast.tsx'
import { contentOf, type PolicyContent } from './policy-form.tsx'

interface SavePolicyProps {
  readonly base: Policy
  readonly content: PolicyContent
  /** Somebody else has saved since: continues the edit, based on their version. */
  readonly onSettle: (base: Policy, content: PolicyContent) => void
  readonly onSaved: () => void
  readonly onClose: () => void
}

export function SavePolicy({ base, content, onSettle, onSaved, onClose }: SavePolicyProps) {
  const client = useClient()
  const queries = useQueryClient()
  const [theirs, setTheirs] = useState<Policy>()
  const hasNewRules = content.rules !== base.Rules
  const changes = useQuery({
    queryKey: ['what-if', base.ID, base.ModifyIndex, content.rules],
    queryFn: ({ signal }) => findChanges(client, base.ID, content.rules, signal),
    enabled: hasNewRules,
  })
  const save = useMutation({
    mutationFn: async () => {
      const stored = await client.policies.read(base.ID, { consistency: 'consistent' })
      if (stored.ModifyIndex !== base.ModifyIndex) {
        setTheirs(stored)
        return false
      }
      await client.policies.update(base.ID, {
        Name: content.name.trim(),
        Description: content.description.trim(),
        Rules: content.rules,
        ...(base.Datacenters ? { Datacenters: base.Datacenters } : {}),
      })
      return true
    },
    onSuccess: async (isSaved) => {
      if (!isSaved) return
      await queries.invalidateQueries({ queryKey: ['policy', base.ID] })
      showToast({ text: `Saved “${content.name}”.` })
      onSaved()
      onClose()
    },
  })
  if (theirs) {
    const settle = (chosen: PolicyContent) => {
      onSettle(theirs, chosen)
      onClose()
    }
    return (
      <Conflict
        rows={differences(fieldsOf(content), fieldsOf(contentOf(theirs)))}
        onMine={() => settle(content)}
        onTheirs={() => settle(contentOf(theirs))}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog
      title="Save this policy?"
      lead="The new rights apply to the next request of each token."
      size="large"
      onClose={onClose}
      action={{ label: 'Save policy', run: save }}
    >
      <div className="stack" data-gap="large">
        {hasNewRules && (
          <section className="stack" data-gap="small" aria-label="What would change">
            <h3>What would change</h3>
            {changes.error ? (
              <Problem error={changes.error} />
            ) : changes.data ? (
              <Changes {...changes.data} />
            ) : (
              <Skeleton lines={2} />
            )}
          </section>
        )}
        {(content.name !== base.Name || content.description !== base.Description) && (
          <section className="stack" data-gap="small">
            <h3>Name and description</h3>
            <Change label="Name" before={base.Name} after={content.name} />
            <Change label="Description" before={base.Description} after={content.description} />
          </section>
        )}
        {hasNewRules && (
          <section className="stack" data-gap="small">
            <h3>Rules, before and after</h3>
            <div className="rule-box">
              <RuleEditor
                label="Rules, before and after"
                value={content.rules}
                original={base.Rules}
                readOnly
              />
            </div>
          </section>
        )}
      </div>
    </Dialog>
  )
}

function Change(props: { readonly label: string; readonly before: string; readonly after: string }) {
  const { label, before, after } = props
  if (before === after) return null
  return (
    <p>
      <span className="muted">{label}: </span>
      <del className="loss">{before || 'None'}</del> → <ins className="gain">{after || 'None'}</ins>
    </p>
  )
}

interface Found {
  readonly changes: readonly WhatIfChange[]
  readonly hasMore: boolean
}

/** Tokens that the dialog lists; if there are more, it says so. */
const CHANGES_MAX = 100
const PAGE = 500

async function findChanges(client: Client, id: string, rules: string, signal: AbortSignal): Promise<Found> {
  const changes: WhatIfChange[] = []
  let cursor: string | undefined
  do {
    const page = await client
      .withMeta()
      .policies.whatIf(id, rules, { limit: PAGE, cursor, signal, timeout: 60_000 })
    changes.push(...page.value)
    cursor = page.nextCursor
  } while (cursor !== undefined && changes.length < CHANGES_MAX)
  return {
    changes: changes.slice(0, CHANGES_MAX),
    hasMore: cursor !== undefined || changes.length > CHANGES_MAX,
  }
}

const RIGHTS_MAX = 6

function Changes({ changes, hasMore }: Found) {
  if (changes.length === 0) return <p className="secondary">No token gains or loses a right.</p>
  return (
    <>
      <p className="secondary">{affectedText(changes.length, hasMore)}</p>
      <ul className="change-list">
        {changes.map(({ AccessorID, Description, Gains, Losses }) => (
          <li key={AccessorID} className="change">
            <TokenLink id={AccessorID}>{Description || AccessorID}</TokenLink>
            <ul>
              <Rights sign="+" rights={Gains} />
              <Rights sign="−" rights={Losses} />
            </ul>
          </li>
        ))}
      </ul>
    </>
  )
}

function Rights({ sign, rights }: { readonly sign: '+' | '−'; readonly rights: WhatIfChange['Gains'] }) {
  const look = sign === '+' ? 'gain' : 'loss'
  return (
    <>
      {rights.slice(0, RIGHTS_MAX).map(({ Resource, Segment, Access }) => (
        <li key={`${Resource} ${Segment} ${Access}`}>
          <span className={look}>{sign}</span>
          <span>
            <span className="visually-hidden">{sign === '+' ? 'gains' : 'loses'} </span>
            {Access} {Resource} {Segment !== undefined && <code>{Segment || '""'}</code>}
          </span>
        </li>
      ))}
      {rights.length > RIGHTS_MAX && (
        <li>
          <span className={look}>{sign}</span>
          <span className="muted">and {(rights.length - RIGHTS_MAX).toLocaleString('en')} more</span>
        </li>
      )}
    </>
  )
}

function fieldsOf({ name, description, rules }: PolicyContent): readonly FieldText[] {
  return [
    ['Name', name],
    ['Description', description],
    ['Rules', rules],
  ]
}

function affectedText(count: number, hasMore: boolean): string {
  return `${hasMore ? `More than ${count}` : count} ${count === 1 && !hasMore ? 'token gains or loses' : 'tokens gain or lose'} rights.`
}
