import type { Intention } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Problem } from '../ui/problem.tsx'
import { destinationOf, sourceOf } from './intention-search.ts'

interface IntentionFormProps {
  /** The intention to edit; `undefined`: a new one. */
  readonly existing: Intention | undefined
  readonly onClose: () => void
}

/** Creates an intention, or edits what it decides. Its names stay. */
export function IntentionForm({ existing, onClose }: IntentionFormProps) {
  const client = useClient()
  const [source, setSource] = useState(existing ? sourceOf(existing) : '')
  const [destination, setDestination] = useState(existing ? destinationOf(existing) : '')
  const [action, setAction] = useState(existing ? (existing.Action ?? '') : 'allow')
  const [description, setDescription] = useState(existing?.Description ?? '')
  const [isMissing, setMissing] = useState(false)
  const save = useMutation({
    mutationFn: (): Promise<unknown> => {
      const content = { Description: description, ...(action === '' ? {} : { Action: action }) }
      if (existing === undefined) {
        return client.intentions.create({ ...namesOf(source, destination), ...content })
      }
      const { Permissions, Meta, ID } = existing
      const whole = {
        ...content,
        ...(Permissions === undefined ? {} : { Permissions }),
        ...(Meta === undefined ? {} : { Meta }),
      }
      return ID === undefined
        ? client.intentions.writeExact({ source, destination }, whole)
        : client.intentions.update(ID, { ...namesOf(source, destination), ...whole })
    },
    onSuccess: onClose,
  })
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
        <div className="grid-2">
          <TextField
            label={texts.intentions.source}
            value={source}
            onValue={setSource}
            disabled={existing !== undefined}
            autoFocus={existing === undefined}
            error={missing(source)}
          />
          <TextField
            label={texts.intentions.destination}
            value={destination}
            onValue={setDestination}
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
          onValue={setAction}
          disabled={existing !== undefined && existing.Action === undefined}
        />
        <TextField label={texts.intentions.description} value={description} onValue={setDescription} />
        {save.error && <Problem error={save.error} />}
      </div>
    </Dialog>
  )
}

/** The names of a body, with namespaces where they were typed. */
function namesOf(source: string, destination: string) {
  const [SourceName, SourceNS] = source.split('/').reverse()
  const [DestinationName, DestinationNS] = destination.split('/').reverse()
  return {
    SourceName: SourceName ?? '',
    DestinationName: DestinationName ?? '',
    ...(SourceNS === undefined ? {} : { SourceNS }),
    ...(DestinationNS === undefined ? {} : { DestinationNS }),
  }
}
