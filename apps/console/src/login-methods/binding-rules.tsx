import type { BindingRule } from '@latchkey/sdk'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge, Button, IconButton } from '../ui/controls.tsx'
import { Problem, Skeleton } from '../ui/feedback.tsx'
import { Confirm } from '../ui/overlay/dialog.tsx'
import { Card } from '../ui/page.tsx'
import { BIND_TYPES, BindingRuleForm } from './binding-rule-form.tsx'

type Open = { readonly edit: BindingRule | undefined } | { readonly remove: BindingRule }

/** What the tokens of a method are linked to. */
export function BindingRules({ method }: { readonly method: string }) {
  const client = useClient()
  const rights = useRights()
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const rules = useLive(['binding-rules', method], (options) =>
    client.bindingRules.watchList({ authmethod: method }, options),
  )
  const edited = open && 'edit' in open && open.edit
  const current = edited && rules.data?.find(({ ID }) => ID === edited.ID)
  return (
    <Card
      title="Binding rules"
      actions={
        rights.aclWrite && (
          <Button size="small" onClick={() => setOpen({ edit: undefined })}>
            <Plus aria-hidden />
            Create binding rule
          </Button>
        )
      }
    >
      {rules.error && <Problem error={rules.error} onRetry={rules.refetch} />}
      {rules.isPending && <Skeleton lines={3} />}
      {rules.data?.length === 0 && (
        <p className="secondary">There are no binding rules, so every login is refused.</p>
      )}
      <ul className="lines">
        {rules.data?.map((rule) => (
          <li key={rule.ID}>
            <div>
              <div className="row">
                <Badge tone="accent">{BIND_TYPES[rule.BindType] ?? rule.BindType}</Badge>
                <strong className="mono">{rule.BindName}</strong>
              </div>
              <div className="small secondary">
                {rule.Selector === '' ? (
                  'Every login'
                ) : (
                  <>
                    When <code>{rule.Selector}</code>
                  </>
                )}
              </div>
              {rule.Description !== '' && <div className="small muted">{rule.Description}</div>}
            </div>
            {rights.aclWrite && (
              <span>
                <IconButton
                  label={`Edit the rule for ${rule.BindName}`}
                  onClick={() => setOpen({ edit: rule })}
                >
                  <Pencil aria-hidden />
                </IconButton>
                <IconButton
                  label={`Delete the rule for ${rule.BindName}`}
                  onClick={() => setOpen({ remove: rule })}
                >
                  <Trash2 aria-hidden />
                </IconButton>
              </span>
            )}
          </li>
        ))}
      </ul>
      {open && 'edit' in open && (
        <BindingRuleForm
          method={method}
          existing={current || open.edit}
          isDeleted={open.edit !== undefined && rules.data !== undefined && !current}
          onClose={close}
        />
      )}
      {open && 'remove' in open && (
        <Confirm
          title={`Delete the rule for ${open.remove.BindName}`}
          action="Delete"
          onConfirm={() => client.bindingRules.delete(open.remove.ID)}
          onClose={close}
        >
          Existing tokens keep the links that it gave them.
        </Confirm>
      )}
    </Card>
  )
}
