/** Creates a login method, or edits one. If somebody else has changed it since, saving shows both versions. */
import type { AuthMethod } from '@latchkey/sdk'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { SelectField, TextField } from '../ui/form/field.tsx'
import type { FieldText } from '../ui/form/use-edit.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { showToast } from '../ui/toast.tsx'
import { JsonField, readJson, secretFieldOf, shownValue, withoutSecrets } from './method-config.tsx'

interface MethodDialogProps {
  /** Absent: a new one. */
  readonly method?: AuthMethod
  /** The method was deleted elsewhere while this form was open. */
  readonly isDeleted?: boolean
  readonly onSaved: (saved: AuthMethod) => void
  readonly onClose: () => void
}

interface Content {
  readonly name: string
  readonly type: string
  readonly displayName: string
  readonly description: string
  readonly ttl: string
  /** The configuration without its secret. */
  readonly config: string
  /** The secret of the configuration. Empty: the stored one. */
  readonly secret: string
}

const TYPES: Readonly<Record<string, { readonly label: string; readonly example: object }>> = {
  jwt: {
    label: 'JWT',
    example: {
      JWKSURL: 'https://ci.example.com/jwks.json',
      BoundAudiences: ['latchkey'],
      ClaimMappings: { project: 'project' },
    },
  },
  kubernetes: {
    label: 'Kubernetes',
    example: {
      Host: 'https://kubernetes.example.com',
      CACert: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
    },
  },
  oidc: {
    label: 'OpenID Connect',
    example: {
      OIDCDiscoveryURL: 'https://login.example.com',
      OIDCClientID: 'latchkey',
      AllowedRedirectURIs: [`${window.location.origin}/ui/`],
      ListClaimMappings: { groups: 'groups' },
    },
  },
}

const exampleOf = (type: string) => JSON.stringify(TYPES[type]?.example ?? {}, null, 2)

const BLANK: Content = {
  name: '',
  type: 'jwt',
  displayName: '',
  description: '',
  ttl: '1h',
  config: exampleOf('jwt'),
  secret: '',
}

/** The server checks the configuration, whose fields depend on the type. */
export function MethodDialog({ method, isDeleted = false, onSaved, onClose }: MethodDialogProps) {
  const client = useClient()
  const edit = useEdit({
    record: method,
    isDeleted,
    blank: BLANK,
    contentOf,
    fieldsOf,
    read: ({ Name }) => client.authMethods.read(Name, { consistency: 'consistent' }),
    save: (edited, stored) => {
      const record = recordOf(edited, stored)
      return stored ? client.authMethods.update(stored.Name, record) : client.authMethods.create(record)
    },
    onSaved: (saved) => {
      showToast({ text: `Saved “${saved.Name}”.` })
      onSaved(saved)
    },
    onClose,
  })
  const { content, set, isNew } = edit
  const isValid = content.name !== '' && readJson(content.config) !== undefined
  const secretField = secretFieldOf(content.type)
  const setType = (type: string) => {
    const isExample = content.config === exampleOf(content.type)
    set({ type, secret: '', ...(isExample ? { config: exampleOf(type) } : {}) })
  }
  return (
    <EditDialog edit={edit} what="login method" size="large" disabled={!isValid} onClose={onClose}>
      <div className="grid-2">
        {method === undefined && (
          <>
            <TextField label="Name" value={content.name} onValue={(name) => set({ name })} autoFocus />
            <SelectField
              label="Type"
              value={content.type}
              options={Object.entries(TYPES)
                .filter(([type]) => type !== 'oidc' || serverFacts.edition === 'extended')
                .map(([type, { label }]) => [type, label] as const)}
              onValue={setType}
            />
          </>
        )}
        <TextField
          label="Display name"
          value={content.displayName}
          onValue={(displayName) => set({ displayName })}
        />
        <TextField
          label="Description"
          value={content.description}
          onValue={(description) => set({ description })}
        />
        <TextField
          label="Token lifetime"
          hint="For example, 1h. If empty, tokens do not expire."
          value={content.ttl}
          onValue={(ttl) => set({ ttl })}
        />
        {secretField !== undefined && (
          <TextField
            label={secretField}
            hint={isNew ? undefined : 'If empty, the stored secret stays.'}
            type="password"
            autoComplete="new-password"
            value={content.secret}
            onValue={(secret) => set({ secret })}
          />
        )}
      </div>
      <JsonField label="Configuration" value={content.config} onValue={(config) => set({ config })} />
    </EditDialog>
  )
}

function contentOf(method: AuthMethod): Content {
  return {
    name: method.Name,
    type: method.Type,
    displayName: method.DisplayName ?? '',
    description: method.Description ?? '',
    ttl: method.MaxTokenTTL ?? '',
    config: JSON.stringify(withoutSecrets(method.Config), null, 2),
    secret: '',
  }
}

function fieldsOf({ type, displayName, description, ttl, config, secret }: Content): readonly FieldText[] {
  const secretField = secretFieldOf(type)
  return [
    ['Display name', displayName],
    ['Description', description],
    ['Token lifetime', ttl],
    ...(secretField === undefined ? [] : [[secretField, secret && '(new)'] as const]),
    ...Object.entries(withoutSecrets(readJson(config) ?? {})).map(
      ([field, value]) => [field, shownValue(value)] as const,
    ),
  ]
}

/** The record to write: what the form does not show, and the secret unless it was typed, stay as stored. */
function recordOf(
  { name, type, displayName, description, ttl, config, secret }: Content,
  stored?: AuthMethod,
) {
  const secretField = secretFieldOf(type)
  const storedSecret = secretField && stored?.Config[secretField]
  return {
    ...stored,
    Name: name,
    Type: type,
    DisplayName: displayName,
    Description: description,
    MaxTokenTTL: ttl === '' ? undefined : ttl,
    Config: {
      ...(secretField && storedSecret !== undefined ? { [secretField]: storedSecret } : {}),
      ...readJson(config),
      ...(secretField && secret !== '' ? { [secretField]: secret } : {}),
    },
  }
}
