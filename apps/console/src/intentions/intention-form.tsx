import type { Client, Intention } from '@latchkey/sdk'
import { useState } from 'react'
import { useClient } from '../session/session.ts'
import { SelectField, TextField } from '../ui/form/field.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import type { RecordDialogProps } from '../ui/record-page.tsx'
import { destinationOf, keyOf, sourceOf } from './intention-search.ts'

const ACTIONS: Readonly<Record<string, string>> = { allow: 'Allow', deny: 'Deny', '': 'By request' }

/** An empty action: its permissions decide. */
const BLANK = { source: '', destination: '', action: 'allow', description: '' }
type Content = typeof BLANK

/** Creates an intention, or edits its decision: its names are fixed. */
export function IntentionForm({ record, isDeleted = false, onClose }: RecordDialogProps<Intention>) {
  const client = useClient()
  const [isMissing, setMissing] = useState(false)
  const edit = useEdit({
    record,
    isDeleted,
    blank: BLANK,
    contentOf: (intention) => ({
      source: sourceOf(intention),
      destination: destinationOf(intention),
      action: intention.Action ?? '',
      description: intention.Description ?? '',
    }),
    labels: { action: ['Action', ACTIONS], description: 'Description' },
    read: (base) => readStored(client, base),
    save: (edited, stored) => write(client, edited, { stored, earlier: stored ?? record }),
    onSaved: onClose,
    onClose,
  })
  const { field, save } = edit
  const { source, destination } = edit.content
  const submit = () => {
    const isWhole = source !== '' && destination !== ''
    setMissing(!isWhole)
    if (isWhole) save.mutate()
  }
  const missing = (value: string) =>
    isMissing && value === '' ? 'Enter the name of a service, or an asterisk (*).' : undefined
  const isFixed = record !== undefined
  const hasPermissions = isFixed && record.Action === undefined
  const actions = Object.entries(ACTIONS).filter(([action]) => action !== '' || hasPermissions)
  return (
    <EditDialog
      edit={edit}
      what="intention"
      lead="An asterisk (*) stands for every service."
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid-2">
        <TextField
          {...field('source')}
          label="Source"
          disabled={isFixed}
          autoFocus={!isFixed}
          error={missing(source)}
        />
        <TextField
          {...field('destination')}
          label="Destination"
          disabled={isFixed}
          error={missing(destination)}
        />
      </div>
      <SelectField {...field('action')} options={actions} disabled={hasPermissions} />
      <TextField {...field('description')} />
    </EditDialog>
  )
}

/** Finds the intention with the same names: a write by names removes the ID. */
async function readStored({ intentions }: Client, base: Intention): Promise<Intention | undefined> {
  const all = await intentions.list({}, { consistency: 'consistent' })
  return all.find((each) => keyOf(each) === keyOf(base))
}

interface Versions {
  /** `undefined`: there is none now. */
  readonly stored: Intention | undefined
  /** The stored intention, or a deleted one; `undefined`: there was none. */
  readonly earlier: Intention | undefined
}

/** If a destination was written by names, its intentions have no IDs and can only be written by names. */
async function write({ intentions }: Client, content: Content, { stored, earlier }: Versions): Promise<void> {
  const { source, destination, action, description } = content
  // Fields that the form does not show stay.
  const { Permissions, Meta } = earlier ?? {}
  const decision = {
    ...(Permissions && { Permissions }),
    ...(Meta && { Meta }),
    ...(action !== '' && { Action: action }),
    Description: description,
  }
  if (earlier && earlier.ID === undefined) {
    await intentions.writeExact({ source, destination }, decision)
    return
  }
  // Namespaces only if they were typed.
  const [SourceName = '', SourceNS] = source.split('/').reverse()
  const [DestinationName = '', DestinationNS] = destination.split('/').reverse()
  const whole = {
    ...decision,
    ...{ SourceName, DestinationName },
    ...(SourceNS !== undefined && { SourceNS }),
    ...(DestinationNS !== undefined && { DestinationNS }),
  }
  if (stored?.ID !== undefined) await intentions.update(stored.ID, whole)
  else await intentions.create(whole)
}
