/** Creates a login method, or edits one. If somebody else has changed it since, saving shows both versions. */
import type { AuthMethod } from '@latchkey/sdk'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { SelectField, TextField } from '../ui/form/field.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import type { RecordDialogProps } from '../ui/record-page.tsx'
import { showToast } from '../ui/toast.tsx'
import { JsonField, readJson, secretFieldOf, shownValue, withoutSecrets } from './method-config.tsx'

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

const BLANK = {
  name: '',
  type: 'jwt',
  displayName: '',
  description: '',
  ttl: '1h',
  config: exampleOf('jwt'),
  /** The secret of the configuration. Empty: the stored one. */
  secret: '',
}
type Content = typeof BLANK

/** The server checks the configuration, whose fields depend on the type. */
export function MethodDialog(
  props: RecordDialogProps<AuthMethod> & { onSaved?: (saved: AuthMethod) => void },
) {
  const { record, isDeleted = false, onClose, onSaved = onClose } = props
  const client = useClient()
  const edit = useEdit({
    record,
    isDeleted,
    blank: BLANK,
    contentOf: (method) => ({
      name: method.Name,
      type: method.Type,
      displayName: method.DisplayName ?? '',
      description: method.Description ?? '',
      ttl: method.MaxTokenTTL ?? '',
      config: JSON.stringify(withoutSecrets(method.Config), null, 2),
      secret: '',
    }),
    labels: { displayName: 'Display name', description: 'Description', ttl: 'Token lifetime' },
    moreFields: ({ type, config, secret }) => [
      ...[secretFieldOf(type) ?? []].flat().map((name) => [name, secret && '(new)'] as const),
      ...Object.entries(withoutSecrets(readJson(config) ?? {})).map(
        ([name, value]) => [name, shownValue(value)] as const,
      ),
    ],
    read: ({ Name }) => client.authMethods.read(Name, { consistency: 'consistent' }),
    save: (edited, stored) => {
      const body = recordOf(edited, stored)
      return stored ? client.authMethods.update(stored.Name, body) : client.authMethods.create(body)
    },
    onSaved: (saved) => {
      showToast({ text: `Saved “${saved.Name}”.` })
      onSaved(saved)
    },
    onClose,
  })
  const { content, set, field, isNew } = edit
  const isValid = content.name !== '' && readJson(content.config) !== undefined
  const secretField = secretFieldOf(content.type)
  const setType = (type: string) => {
    const isExample = content.config === exampleOf(content.type)
    set({ type, secret: '', ...(isExample ? { config: exampleOf(type) } : {}) })
  }
  return (
    <EditDialog edit={edit} what="login method" size="large" disabled={!isValid} onClose={onClose}>
      <div className="grid-2">
        {record === undefined && (
          <>
            <TextField {...field('name')} label="Name" autoFocus />
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
        <TextField {...field('displayName')} />
        <TextField {...field('description')} />
        <TextField {...field('ttl')} hint="For example, 1h. If empty, tokens do not expire." />
        {secretField !== undefined && (
          <TextField
            {...field('secret')}
            label={secretField}
            hint={isNew ? undefined : 'If empty, the stored secret stays.'}
            type="password"
            autoComplete="new-password"
          />
        )}
      </div>
      <JsonField {...field('config')} label="Configuration" />
    </EditDialog>
  )
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
