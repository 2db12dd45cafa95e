import type { Client, Token, TokenCreate, TokenFilter, TokenListEntry } from '@latchkey/sdk'
import { CliError } from '../frame/cli-error.ts'
import type { Input } from '../frame/input.ts'
import type { Session } from '../frame/session.ts'
import type { Column } from '../output/column.ts'
import { descriptionField, linkFields, namespaceField, rightsText } from './columns.ts'
import { changedLinks, isId, nodeIdentities, serviceIdentities } from './links.ts'
import { readRecord } from './read-body.ts'
import { type RecordKind, recordActions } from './record-kind.ts'
import { expiryText, shortExpiryText } from './time-text.ts'

/** Page size of a list of tokens. */
const PAGE_SIZE = 1_000

/** A token by its accessor; `self` is the token of the command. */
export async function findToken(client: Client, reference: string): Promise<Token> {
  if (reference === 'self') return client.tokens.self()
  if (!isId(reference)) {
    throw new CliError(`"${reference}" is not an accessor: give the AccessorID of the token, or "self"`, {
      hints: ['Find it: latchkey token list --search TEXT'],
    })
  }
  return client.tokens.read(reference)
}

export const TOKEN_FIELDS: readonly Column<Token>[] = [
  { title: 'AccessorID', text: ({ AccessorID }) => AccessorID },
  { title: 'SecretID', text: ({ SecretID }) => SecretID },
  namespaceField,
  descriptionField,
  ...linkFields,
  { title: 'Legacy rules', text: ({ Rules }) => (Rules ? `${Rules}\n` : '') },
  { title: 'Auth method', text: ({ AuthMethod = '' }) => AuthMethod },
  { title: 'Local', text: ({ Local }) => (Local ? 'yes: valid in its own datacenter only' : '') },
  { title: 'Expires', text: ({ ExpirationTime }) => expiryText(ExpirationTime) },
  { title: 'Created', text: ({ CreateTime }) => CreateTime },
]

const kind: RecordKind<Token, TokenListEntry, TokenCreate> = {
  word: 'token',
  plural: 'tokens',
  columns: [
    { title: 'AccessorID', text: ({ AccessorID }) => AccessorID },
    descriptionField,
    { title: 'Expires', text: ({ ExpirationTime }) => shortExpiryText(ExpirationTime) },
    { title: 'Rights from', text: (token) => (token.Legacy ? 'legacy rules' : rightsText(token)) },
  ],
  fields: TOKEN_FIELDS,
  list: listTokens,
  find: findToken,
  read: async (path, session) =>
    readRecord(path, (await import('@latchkey/contract')).createTokenSchema, session),
  async body(base, input) {
    const Policies = changedLinks(base.Policies, 'policy', input)
    const Roles = changedLinks(base.Roles, 'role', input)
    const services = input.texts('service')
    const nodes = input.texts('node')
    const options = {
      Description: input.text('description'),
      Policies,
      Roles,
      ServiceIdentities: services && serviceIdentities(services),
      NodeIdentities: nodes && nodeIdentities(nodes),
      ExpirationTTL: input.text('ttl') as TokenCreate['ExpirationTTL'],
      ExpirationTime: instantOf(input.text('expires')),
      AccessorID: input.text('accessor'),
      Local: input.flag('local') ? true : undefined,
    }
    return { ...base, ...present(options) }
  },
  create: (client, body) => client.tokens.create(body),
  update: (client, { AccessorID }, body) => client.tokens.update(AccessorID, body),
  delete: (client, { AccessorID }) => client.tokens.delete(AccessorID),
  clone(client, { AccessorID }, input) {
    const Description = input.text('description')
    return client.tokens.clone(AccessorID, Description === undefined ? {} : { Description })
  },
  nameOf: ({ AccessorID, Description }) =>
    Description === '' ? `token ${AccessorID}` : `token ${AccessorID} (${Description})`,
  baseOf: ({ Hash: _, CreateIndex: _c, ModifyIndex: _m, CreateTime: _t, ...content }) =>
    content as TokenCreate,
  deleteWarning: 'Clients that present it will be refused at once.',
  async afterCreate({ AccessorID }, session) {
    if (session.showsSecrets) return
    await session.note(`Its secret is hidden. To see it: latchkey token read ${AccessorID} --show-secret`)
  },
}

/** Refuses a lifetime where an instant is expected. The server checks other texts. */
function instantOf(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d+[a-z]/i.test(text)) return text
  throw new CliError(`--expires takes an instant, and "${text}" is a lifetime`, {
    hints: [`Write --ttl ${text}`],
  })
}

function present<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

async function listTokens(client: Client, input: Input, session: Session): Promise<TokenListEntry[]> {
  const filter = await filterOf(client, input)
  const search = input.text('search')?.toLowerCase()
  const limit = input.count('limit') ?? Number.POSITIVE_INFINITY
  const found: TokenListEntry[] = []
  if (limit === 0) return found
  let seen = 0
  for await (const token of client.tokens.each(filter, { limit: PAGE_SIZE })) {
    seen += 1
    if (seen % PAGE_SIZE === 0) session.progress.show(`${seen} tokens …`)
    if (search !== undefined && !isFound(token, search)) continue
    found.push(token)
    if (found.length >= limit) break
  }
  return found
}

/** Whether a text occurs in the fields by which people recognize a token. */
function isFound(token: TokenListEntry, search: string): boolean {
  const { AccessorID, Description, AuthMethod = '' } = token
  return [AccessorID, Description, AuthMethod, rightsText(token)].some((text) =>
    text.toLowerCase().includes(search),
  )
}

async function filterOf(client: Client, input: Input): Promise<TokenFilter> {
  const policy = input.text('policy')
  const role = input.text('role')
  const find = {
    policy: async (name: string) => (await (await import('./policy.ts')).findPolicy(client, name)).ID,
    role: async (name: string) => (await (await import('./role.ts')).findRole(client, name)).ID,
  }
  return {
    ...(policy === undefined ? {} : { policy: await find.policy(policy) }),
    ...(role === undefined ? {} : { role: await find.role(role) }),
    ...present({
      authmethod: input.text('authMethod'),
      servicename: input.text('service'),
      filter: input.text('filter'),
      sort: input.text('sort'),
    }),
  }
}

export const tokenActions = recordActions(kind)
