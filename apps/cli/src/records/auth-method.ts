import type { AuthMethod, AuthMethodCreate, AuthMethodListEntry } from '@latchkey/sdk'
import { stringify } from 'yaml'
import { CliError } from '../frame/cli-error.ts'
import type { Session } from '../frame/session.ts'
import { descriptionField, namespaceField } from './columns.ts'
import { readRecord } from './read-body.ts'
import { type RecordKind, recordActions } from './record-kind.ts'
import { findByName } from './suggest.ts'

const kind: RecordKind<AuthMethod, AuthMethodListEntry, AuthMethodCreate> = {
  word: 'auth-method',
  plural: 'auth methods',
  columns: [
    { title: 'Name', text: ({ Name }) => Name },
    { title: 'Type', text: ({ Type }) => Type },
    { title: 'Token lifetime', text: ({ MaxTokenTTL = 'unlimited' }) => MaxTokenTTL },
    descriptionField,
  ],
  fields: [
    { title: 'Name', text: ({ Name }) => Name },
    { title: 'Type', text: ({ Type }) => Type },
    { title: 'Display name', text: ({ DisplayName = '' }) => DisplayName },
    namespaceField,
    descriptionField,
    { title: 'Token lifetime', text: ({ MaxTokenTTL = 'unlimited' }) => MaxTokenTTL },
    { title: 'Token locality', text: ({ TokenLocality = 'local' }) => TokenLocality },
    // As YAML, which shows keys and certificates with their line ends, and which --config reads.
    { title: 'Config', text: ({ Config }) => stringify(Config, { lineWidth: 0 }) },
  ],
  list: (client) => client.authMethods.list(),
  find: (client, name) =>
    findByName('auth-method', name, {
      read: () => client.authMethods.read(name),
      names: async () => (await client.authMethods.list()).map(({ Name }) => Name),
    }),
  read: async (path, session) =>
    readRecord(path, (await import('@latchkey/contract')).createAuthMethodSchema, session),
  async body(base, input, session) {
    const config = input.text('config')
    const options = {
      Type: input.text('type'),
      DisplayName: input.text('displayName'),
      Description: input.text('description'),
      MaxTokenTTL: input.text('ttl') as AuthMethodCreate['MaxTokenTTL'],
      TokenLocality: input.text('locality'),
      Config: config === undefined ? undefined : await readConfig(config, session),
    }
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
    const body = { ...base, Name: base.Name ?? input.arg(0), ...given }
    if (body.Type === undefined)
      throw new CliError('the type of the method is missing: --type jwt, kubernetes or oidc')
    return { ...body, Type: body.Type }
  },
  create: (client, body) => client.authMethods.create(body),
  update: (client, { Name }, body) => client.authMethods.update(Name, body),
  delete: (client, { Name }) => client.authMethods.delete(Name),
  clone: (client, method, input) => client.authMethods.create({ ...contentOf(method), Name: input.arg(1) }),
  nameOf: ({ Name }) => `auth method ${Name}`,
  baseOf: contentOf,
  deleteWarning: 'This also deletes its binding rules and revokes all tokens that it created.',
}

async function readConfig(path: string, session: Session): Promise<AuthMethodCreate['Config']> {
  const { createAuthMethodSchema } = await import('@latchkey/contract')
  return readRecord(path, createAuthMethodSchema.shape.Config, session)
}

function contentOf({ CreateIndex: _c, ModifyIndex: _m, ...content }: AuthMethod): AuthMethodCreate {
  return content as AuthMethodCreate
}

export const authMethodActions = recordActions(kind)
