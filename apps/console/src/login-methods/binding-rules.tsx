import { type BindingRule, Invalid } from '@latchkey/sdk'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge, Button, IconButton } from '../ui/controls.tsx'
import { Problem, Skeleton } from '../ui/feedback.tsx'
import { SelectField, TextField } from '../ui/form/field.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { Confirm } from '../ui/overlay/dialog.tsx'
import { Card } from '../ui/page.tsx'
import type { RecordDialogProps } from '../ui/record-page.tsx'

type Open = { readonly edit: BindingRule | undefined } | { readonly remove: BindingRule }

export function BindingRules({ method }: { readonly method: string }) {
  const client = useClient()
  const rights = useRights()
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const rules = useLive(['binding-rules', method], (_, options) =>
    client.bindingRules.watchList({ authmethod: method }, options),
  )
  const edited = open && 'edit' in open ? open.edit : undefined
  const current = edited && rules.data?.find(({ ID }) => ID === edited.ID)
  return (
    <Card
      title="Binding rules"
      actions={
        rights.aclWrite && (
          <Button size="small" onClick={() => setOpen({ edit: undefined })} icon={Plus}>
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
                  icon={Pencil}
                />
                <IconButton
                  label={`Delete the rule for ${rule.BindName}`}
                  onClick={() => setOpen({ remove: rule })}
                  icon={Trash2}
                />
              </span>
            )}
          </li>
        ))}
      </ul>
      {open && 'edit' in open && (
        <BindingRuleForm
          method={method}
          {...(edited && { record: current || edited })}
          isDeleted={edited !== undefined && rules.data !== undefined && !current}
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

/** Creates or edits a binding rule. The server checks selector and name: its error is shown at the field. */
function BindingRuleForm(props: RecordDialogProps<BindingRule> & { readonly method: string }) {
  const { method, record, isDeleted = false, onClose } = props
  const client = useClient()
  const edit = useEdit({
    record,
    isDeleted,
    blank: { BindType: 'role', BindName: '', Selector: '', Description: '' },
    labels: {
      BindType: ['Binds to', BIND_TYPES],
      BindName: 'Name',
      Selector: 'Selector',
      Description: 'Description',
    },
    read: ({ ID }) => client.bindingRules.read(ID, { consistency: 'consistent' }),
    save: (content, stored) =>
      stored
        ? client.bindingRules.update(stored.ID, content)
        : client.bindingRules.create({ AuthMethod: method, ...content }),
    onSaved: onClose,
    onClose,
  })
  const { error } = edit.save
  const place = error instanceof Invalid ? error.field : undefined
  const mono = (name: 'BindName' | 'Selector') => ({
    ...edit.field(name),
    className: 'input mono',
    error: place === name ? error?.message : undefined,
  })
  return (
    <EditDialog
      edit={edit}
      what="binding rule"
      title={record && !edit.isNew ? `Edit the rule for ${record.BindName}` : undefined}
      disabled={edit.content.BindName === ''}
      isErrorShown={place === 'BindName' || place === 'Selector'}
      onClose={onClose}
    >
      <div className="grid-2">
        <SelectField {...edit.field('BindType')} options={Object.entries(BIND_TYPES)} />
        <TextField {...mono('BindName')} hint="May contain claims, such as web-${value.region}." autoFocus />
      </div>
      <TextField
        {...mono('Selector')}
        hint={'For example, value.team == "ops". If empty, every login matches.'}
      />
      <TextField {...edit.field('Description')} />
    </EditDialog>
  )
}
