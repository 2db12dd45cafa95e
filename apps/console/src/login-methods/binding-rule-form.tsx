import { type BindingRule, Invalid } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Problem } from '../ui/problem.tsx'

interface BindingRuleFormProps {
  readonly method: string
  /** The rule to edit; `undefined`: a new one. */
  readonly existing: BindingRule | undefined
  readonly onClose: () => void
}

/** Creates or edits a binding rule. The server checks selector and name, and its error stands at the field. */
export function BindingRuleForm({ method, existing, onClose }: BindingRuleFormProps) {
  const client = useClient()
  const [type, setType] = useState(existing?.BindType ?? 'role')
  const [name, setName] = useState(existing?.BindName ?? '')
  const [selector, setSelector] = useState(existing?.Selector ?? '')
  const [description, setDescription] = useState(existing?.Description ?? '')
  const save = useMutation({
    mutationFn: () => {
      const content = { BindType: type, BindName: name, Selector: selector, Description: description }
      return existing === undefined
        ? client.bindingRules.create({ AuthMethod: method, ...content })
        : client.bindingRules.update(existing.ID, content)
    },
    onSuccess: onClose,
  })
  const field = save.error instanceof Invalid ? save.error.field : undefined
  const errorOf = (each: string) => (field === each ? save.error?.message : undefined)
  return (
    <Dialog
      title={existing ? texts.logins.editRule(existing.BindName) : texts.logins.createRule}
      onClose={onClose}
      onSubmit={() => name !== '' && save.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={save.isPending} disabled={name === ''}>
            {existing ? texts.common.save : texts.logins.createRule}
          </Button>
        </>
      }
    >
      <div className="stack">
        <div className="grid-2">
          <SelectField
            label={texts.logins.bindType}
            value={type}
            options={Object.entries(texts.logins.bindTypes)}
            onValue={setType}
          />
          <TextField
            label={texts.logins.bindName}
            hint={texts.logins.bindNameHint}
            className="input mono"
            value={name}
            onValue={setName}
            error={errorOf('BindName')}
            autoFocus
          />
        </div>
        <TextField
          label={texts.logins.selector}
          hint={texts.logins.selectorHint}
          className="input mono"
          value={selector}
          onValue={setSelector}
          error={errorOf('Selector')}
        />
        <TextField label={texts.intentions.description} value={description} onValue={setDescription} />
        {save.error && field !== 'BindName' && field !== 'Selector' && <Problem error={save.error} />}
      </div>
    </Dialog>
  )
}
