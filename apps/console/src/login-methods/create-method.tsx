import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import { SelectField, TextField } from '../ui/form/field.tsx'
import { useChanged } from '../ui/form/use-changed.ts'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { JsonField, readJson } from './json-field.tsx'

interface CreateMethodProps {
  readonly onClose: () => void
  readonly onCreated: (name: string) => void
}

const EXAMPLE = `{
  "JWKSURL": "https://ci.example.com/jwks.json",
  "BoundAudiences": ["latchkey"],
  "ClaimMappings": { "project": "project" }
}`

/** Creates a login method. The content of its Config depends on the type; the server checks it. */
export function CreateMethod({ onClose, onCreated }: CreateMethodProps) {
  const client = useClient()
  const [name, setName] = useState('')
  const [type, setType] = useState('jwt')
  const [ttl, setTtl] = useState('1h')
  const [config, setConfig] = useState(EXAMPLE)
  const isChanged = useChanged([name, type, ttl, config])
  const read = readJson(config)
  const create = useMutation({
    mutationFn: async () =>
      client.authMethods.create({
        Name: name,
        Type: type,
        ...(ttl === '' ? {} : { MaxTokenTTL: ttl }),
        Config: read ?? {},
      }),
    onSuccess: ({ Name }) => onCreated(Name),
  })
  return (
    <Dialog
      title={texts.logins.create}
      size="large"
      onClose={onClose}
      isChanged={isChanged}
      onSubmit={() => name !== '' && read && create.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={create.isPending} disabled={name === '' || !read}>
            {texts.logins.create}
          </Button>
        </>
      }
    >
      <div className="stack">
        <div className="grid-2">
          <TextField label={texts.logins.name} value={name} onValue={setName} autoFocus />
          <SelectField
            label={texts.logins.type}
            value={type}
            options={[
              ['jwt', 'JWT'],
              ['kubernetes', 'Kubernetes'],
              ...(serverFacts.edition === 'extended' ? ([['oidc', 'OpenID Connect']] as const) : []),
            ]}
            onValue={setType}
          />
          <TextField label={texts.logins.ttl} hint={texts.logins.ttlHint} value={ttl} onValue={setTtl} />
        </div>
        <JsonField label={texts.logins.config} value={config} onValue={setConfig} />
        {create.error && <Problem error={create.error} />}
      </div>
    </Dialog>
  )
}
