import type { Client, Intention } from '@latchkey/sdk'
import { useState } from 'react'
import { useClient } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import type { FieldText } from '../ui/form/conflict.tsx'
import { SelectField, TextField } from '../ui/form/field.tsx'
import { useEdit } from '../ui/form/use-edit.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { destinationOf, keyOf, sourceOf } from './intention-search.ts'

interface IntentionFormProps {
  /** The intention to edit; `undefined`: a new one. */
  readonly existing: Intention | undefined
  readonly onClose: () => void
}

interface Content {
  readonly source: string
  readonly destination: string
  /** Empty: its permissions decide. */
  readonly action: string
  readonly description: string
}

/**
 * Creates an intention, or edits what it decides. Its names stay. If somebody else has changed it since, saving shows both
 * versions.
 */
export function IntentionForm({ existing, onClose }: IntentionFormProps) {
  const client = useClient()
  const [isMissing, setMissing] = useState(false)
  const { content, setContent, save, conflict, notice } = useEdit({
    record: existing,
    blank: { source: '', destination: '', action: 'allow', description: '' },
    contentOf,
    fieldsOf,
    read: (base) => readStored(client, base),
    save: (edited, stored): Promise<unknown> =>
      stored ? update(client, edited, stored) : client.intentions.create(recordOf(edited)),
    onSaved: onClose,
  })
  if (conflict) return conflict
  const { source, destination, action, description } = content
  const submit = () => {
    const isWhole = source !== '' && destination !== ''
    setMissing(!isWhole)
    if (isWhole) save.mutate()
  }
  const missing = (value: string) => (isMissing && value === '' ? texts.intentions.nameMissing : undefined)
  return (
    <Dialog
      title={existing ? texts.intentions.edit : texts.intentions.create}
      lead={texts.intentions.formLead}
      onClose={onClose}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {existing ? texts.common.save : texts.intentions.create}
          </Button>
        </>
      }
    >
      <div className="stack">
        {notice}
        <div className="grid-2">
          <TextField
            label={texts.intentions.source}
            value={source}
            onValue={(value) => setContent({ ...content, source: value })}
            disabled={existing !== undefined}
            autoFocus={existing === undefined}
            error={missing(source)}
          />
          <TextField
            label={texts.intentions.destination}
            value={destination}
            onValue={(value) => setContent({ ...content, destination: value })}
            disabled={existing !== undefined}
            error={missing(destination)}
          />
        </div>
        <SelectField
          label={texts.intentions.action}
          value={action}
          options={[
            ['allow', texts.intentions.allow],
            ['deny', texts.intentions.deny],
            ...(existing && existing.Action === undefined
              ? ([['', texts.intentions.byPermissions]] as const)
              : []),
          ]}
          onValue={(value) => setContent({ ...content, action: value })}
          disabled={existing !== undefined && existing.Action === undefined}
        />
        <TextField
          label={texts.intentions.description}
          value={description}
          onValue={(value) => setContent({ ...content, description: value })}
        />
        {save.error && <Problem error={save.error} />}
      </div>
    </Dialog>
  )
}

function contentOf(intention: Intention): Content {
  return {
    source: sourceOf(intention),
    destination: destinationOf(intention),
    action: intention.Action ?? '',
    description: intention.Description ?? '',
  }
}

function fieldsOf({ action, description }: Content): readonly FieldText[] {
  return [
    [texts.intentions.action, ACTIONS[action] ?? texts.intentions.byPermissions],
    [texts.intentions.description, description],
  ]
}

const ACTIONS: Readonly<Record<string, string>> = {
  allow: texts.intentions.allow,
  deny: texts.intentions.deny,
}

/** What is stored under the same names: a write by names takes an intention its ID. Of a deleted one, the server says so. */
async function readStored({ intentions }: Client, base: Intention): Promise<Intention> {
  const all = await intentions.list({}, { consistency: 'consistent' })
  return all.find((each) => keyOf(each) === keyOf(base)) ?? base
}

function update({ intentions }: Client, content: Content, { ID, Permissions, Meta }: Intention) {
  const { Action, Description, ...names } = recordOf(content)
  const whole = {
    Description,
    ...(Action === undefined ? {} : { Action }),
    ...(Permissions === undefined ? {} : { Permissions }),
    ...(Meta === undefined ? {} : { Meta }),
  }
  const { source, destination } = content
  return ID === undefined
    ? intentions.writeExact({ source, destination }, whole)
    : intentions.update(ID, { ...names, ...whole })
}

/** The body of an intention, with namespaces where they were typed. */
function recordOf({ source, destination, action, description }: Content) {
  const [SourceName, SourceNS] = source.split('/').reverse()
  const [DestinationName, DestinationNS] = destination.split('/').reverse()
  return {
    SourceName: SourceName ?? '',
    DestinationName: DestinationName ?? '',
    ...(SourceNS === undefined ? {} : { SourceNS }),
    ...(DestinationNS === undefined ? {} : { DestinationNS }),
    ...(action === '' ? {} : { Action: action }),
    Description: description,
  }
}
