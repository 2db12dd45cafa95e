import { type BindingRule, Invalid } from '@latchkey/sdk'
import { useClient } from '../session/session.ts'
import type { FieldText } from '../ui/form/conflict.tsx'
import { SelectField, TextField } from '../ui/form/field.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'

export const BIND_TYPES: Readonly<Record<string, string>> = { role: 'Role', service: 'Service', node: 'Node' }

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
export function BindingRuleForm({ method, existing, isDeleted = false, onClose }: BindingRuleFormProps) {
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
