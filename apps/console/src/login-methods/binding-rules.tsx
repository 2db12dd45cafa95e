import { type BindingRule, Invalid } from '@latchkey/sdk'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge, Button, IconButton } from '../ui/controls.tsx'
import { Problem, Skeleton } from '../ui/feedback.tsx'
import { SelectField, TextField } from '../ui/form/field.tsx'
import type { FieldText } from '../ui/form/use-edit.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { Confirm } from '../ui/overlay/dialog.tsx'
import { Card } from '../ui/page.tsx'

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

const BIND_TYPES: Readonly<Record<string, string>> = { role: 'Role', service: 'Service', node: 'Node' }

interface BindingRuleFormProps {
  readonly method: string
  /** The rule to edit, as the page shows it; `undefined`: a new one. */
  readonly existing: BindingRule | undefined
  /** The rule was deleted elsewhere while this form was open. */
  readonly isDeleted?: boolean
  readonly onClose: () => void
}

interface Content {
  readonly type: string
  readonly name: string
  readonly selector: string
  readonly description: string
}

/**
 * Creates or edits a binding rule. The server checks selector and name, and its error is shown at the field. If somebody else
 * has changed the rule since, saving shows both versions.
 */
function BindingRuleForm({ method, existing, isDeleted = false, onClose }: BindingRuleFormProps) {
  const client = useClient()
  const edit = useEdit({
    record: existing,
    isDeleted,
    blank: { type: 'role', name: '', selector: '', description: '' },
    contentOf,
    fieldsOf,
    read: ({ ID }) => client.bindingRules.read(ID, { consistency: 'consistent' }),
    save: ({ type, name, selector, description }, stored) => {
      const record = { BindType: type, BindName: name, Selector: selector, Description: description }
      return stored
        ? client.bindingRules.update(stored.ID, record)
        : client.bindingRules.create({ AuthMethod: method, ...record })
    },
    onSaved: onClose,
    onClose,
  })
  const {
    content: { type, name, selector, description },
    set,
    save: { error },
  } = edit
  const field = error instanceof Invalid ? error.field : undefined
  const errorOf = (each: string) => (field === each ? error?.message : undefined)
  return (
    <EditDialog
      edit={edit}
      what="binding rule"
      title={existing && !edit.isNew ? `Edit the rule for ${existing.BindName}` : undefined}
      disabled={name === ''}
      isErrorShown={field === 'BindName' || field === 'Selector'}
      onClose={onClose}
    >
      <div className="grid-2">
        <SelectField
          label="Binds to"
          value={type}
          options={Object.entries(BIND_TYPES)}
          onValue={(value) => set({ type: value })}
        />
        <TextField
          label="Name"
          hint="May contain claims, such as web-${value.region}."
          className="input mono"
          value={name}
          onValue={(value) => set({ name: value })}
          error={errorOf('BindName')}
          autoFocus
        />
      </div>
      <TextField
        label="Selector"
        hint={'For example, value.team == "ops". If empty, every login matches.'}
        className="input mono"
        value={selector}
        onValue={(value) => set({ selector: value })}
        error={errorOf('Selector')}
      />
      <TextField label="Description" value={description} onValue={(value) => set({ description: value })} />
    </EditDialog>
  )
}

function contentOf({ BindType, BindName, Selector, Description }: BindingRule): Content {
  return { type: BindType, name: BindName, selector: Selector, description: Description }
}

function fieldsOf({ type, name, selector, description }: Content): readonly FieldText[] {
  return [
    ['Binds to', BIND_TYPES[type] ?? type],
    ['Name', name],
    ['Selector', selector],
    ['Description', description],
  ]
}
