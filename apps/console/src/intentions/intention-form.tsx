import type { Client, Intention } from '@latchkey/sdk'
import { useState } from 'react'
import { useClient } from '../session/session.ts'
import { SelectField, TextField } from '../ui/form/field.tsx'
import type { FieldText } from '../ui/form/use-edit.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { destinationOf, keyOf, sourceOf } from './intention-search.ts'

interface IntentionFormProps {
  /** The intention to edit; `undefined`: a new one. */
  readonly existing: Intention | undefined
  /** The intention was deleted elsewhere while this form was open. */
  readonly isDeleted?: boolean
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
 * Creates an intention, or edits its decision. Its names are fixed. If somebody else has changed it since, saving shows both
 * versions.
 */
export function IntentionForm({ existing, isDeleted = false, onClose }: IntentionFormProps) {
  const client = useClient()
  const [isMissing, setMissing] = useState(false)
  const edit = useEdit({
    record: existing,
    isDeleted,
    blank: { source: '', destination: '', action: 'allow', description: '' },
    contentOf,
    fieldsOf,
    read: (base) => readStored(client, base),
    save: (edited, stored) => write(client, edited, { stored, earlier: stored ?? existing }),
    onSaved: onClose,
    onClose,
  })
  const { set, save } = edit
  const { source, destination, action, description } = edit.content
  const submit = () => {
    const isWhole = source !== '' && destination !== ''
    setMissing(!isWhole)
    if (isWhole) save.mutate()
  }
  const missing = (value: string) =>
    isMissing && value === '' ? 'Enter the name of a service, or an asterisk (*).' : undefined
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
          label="Source"
          value={source}
          onValue={(value) => set({ source: value })}
          disabled={existing !== undefined}
          autoFocus={existing === undefined}
          error={missing(source)}
        />
        <TextField
          label="Destination"
          value={destination}
          onValue={(value) => set({ destination: value })}
          disabled={existing !== undefined}
          error={missing(destination)}
        />
      </div>
      <SelectField
        label="Action"
        value={action}
        options={[
          ['allow', 'Allow'],
          ['deny', 'Deny'],
          ...(existing && existing.Action === undefined ? ([['', 'By request']] as const) : []),
        ]}
        onValue={(value) => set({ action: value })}
        disabled={existing !== undefined && existing.Action === undefined}
      />
      <TextField label="Description" value={description} onValue={(value) => set({ description: value })} />
    </EditDialog>
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
    ['Action', ACTIONS[action] ?? 'By request'],
    ['Description', description],
  ]
}

const ACTIONS: Readonly<Record<string, string>> = { allow: 'Allow', deny: 'Deny' }

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
  const whole = wholeOf(content, earlier)
  if (earlier && earlier.ID === undefined) {
    const { source, destination } = content
    const { SourceName, SourceNS, DestinationName, DestinationNS, ...decision } = whole
    await intentions.writeExact({ source, destination }, decision)
  } else if (stored?.ID !== undefined) {
    await intentions.update(stored.ID, whole)
  } else {
    await intentions.create(whole)
  }
}

/** The body of an intention, including the fields of an earlier version that the form does not show. */
function wholeOf(content: Content, { Permissions, Meta }: Partial<Intention> = {}) {
  return {
    ...recordOf(content),
    ...(Permissions === undefined ? {} : { Permissions }),
    ...(Meta === undefined ? {} : { Meta }),
  }
}

/** The body of an intention, with namespaces only if they were typed. */
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
