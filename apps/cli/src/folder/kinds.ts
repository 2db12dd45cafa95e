/** The kinds of records in a folder, in the order in which they are written. */
import {
  createAuthMethodSchema,
  createBindingRuleSchema,
  createNamespaceSchema,
  createPolicySchema,
  createRoleSchema,
  createTokenSchema,
} from '@latchkey/contract'
import type {
  AuthMethodCreate,
  BindingRuleCreate,
  Client,
  NamespaceCreate,
  Policy,
  PolicyCreate,
  RoleCreate,
  TokenCreate,
} from '@latchkey/sdk'
import type { BodySchema } from '../records/read-body.ts'
import { CONFIG_SECRETS, type Content } from './content.ts'

export const KIND_NAMES = ['namespace', 'policy', 'role', 'auth-method', 'binding-rule', 'token'] as const
export type KindName = (typeof KIND_NAMES)[number]

interface FolderKind {
  readonly schema: BodySchema<object>
  readonly fields: readonly string[]
  readonly durations?: readonly string[]
  /** Fields that a document must have. */
  readonly required: readonly string[]
  /** Fields that only a create sets. */
  readonly fixed?: readonly string[]
  /** The key of a record within its kind and namespace. */
  keyOf(content: Content): string
  /** Lists all records. `names`: records whose full content is needed. */
  list(client: Client, isNeeded: (content: Content) => boolean): Promise<readonly object[]>
  /** Whether a prune may delete it. */
  isPrunable(record: object): boolean
  create(client: Client, body: object): Promise<object>
  update(client: Client, existing: object, body: object): Promise<object>
  delete(client: Client, existing: object): Promise<unknown>
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const byName = (content: Content): string => text(content.Name).toLowerCase()
const always = (): boolean => true

const ANONYMOUS = '00000000-0000-0000-0000-000000000002'
const GLOBAL_MANAGEMENT = '00000000-0000-0000-0000-000000000001'

/** Hides the record types of a kind. */
function kind<R extends object, B extends object>(
  own: Omit<FolderKind, 'schema' | 'list' | 'isPrunable' | 'create' | 'update' | 'delete'> & {
    readonly schema: BodySchema<B>
    list(client: Client, isNeeded: (content: Content) => boolean): Promise<readonly R[]>
    isPrunable(record: R): boolean
    create(client: Client, body: B): Promise<R>
    update(client: Client, existing: R, body: B): Promise<R>
    delete(client: Client, existing: R): Promise<unknown>
  },
): FolderKind {
  // Each kind only receives records that it listed, and bodies that its schema accepted.
  return own as unknown as FolderKind
}

export const FOLDER_KINDS: Readonly<Record<KindName, FolderKind>> = {
  namespace: kind({
    schema: createNamespaceSchema as BodySchema<NamespaceCreate>,
    fields: ['Name', 'Description', 'ACLs'],
    required: ['Name'],
    keyOf: byName,
    list: (client) => client.namespaces.list(),
    isPrunable: ({ Name }) => Name !== 'default',
    create: (client, body) => client.namespaces.create(body),
    update: (client, { Name }, body) => client.namespaces.update(Name, body),
    delete: (client, { Name }) => client.namespaces.delete(Name),
  }),
  policy: kind({
    schema: createPolicySchema as BodySchema<PolicyCreate>,
    fields: ['Name', 'Description', 'Rules', 'Datacenters'],
    required: ['Name'],
    keyOf: byName,
    async list(client, isNeeded): Promise<Policy[]> {
      const entries = (await client.policies.list()).filter(({ ID }) => ID !== GLOBAL_MANAGEMENT)
      // The list does not contain rules, so the policies in the folder are read one by one.
      return inTurns(entries, (entry) =>
        isNeeded({ ...entry })
          ? client.policies.read(entry.ID)
          : { ...entry, Rules: '', Datacenters: entry.Datacenters ?? [] },
      )
    },
    isPrunable: always,
    create: (client, body) => client.policies.create(body),
    update: (client, { ID }, body) => client.policies.update(ID, body),
    delete: (client, { ID }) => client.policies.delete(ID),
  }),
  role: kind({
    schema: createRoleSchema as BodySchema<RoleCreate>,
    fields: ['Name', 'Description', 'Policies', 'ServiceIdentities', 'NodeIdentities'],
    required: ['Name'],
    keyOf: byName,
    list: (client) => client.roles.list(),
    isPrunable: always,
    create: (client, body) => client.roles.create(body),
    update: (client, { ID }, body) => client.roles.update(ID, body),
    delete: (client, { ID }) => client.roles.delete(ID),
  }),
  'auth-method': kind({
    schema: createAuthMethodSchema as BodySchema<AuthMethodCreate>,
    fields: [
      ...['Name', 'Type', 'DisplayName', 'Description', 'MaxTokenTTL', 'TokenLocality', 'Config'],
      ...['NamespaceRules', 'MaxLiveTokens', 'IdleTTL'],
    ],
    durations: ['MaxTokenTTL', 'IdleTTL'],
    required: ['Name', 'Type'],
    fixed: ['Type'],
    keyOf: byName,
    async list(client) {
      const entries = await client.authMethods.list()
      return inTurns(entries, ({ Name }) => client.authMethods.read(Name))
    },
    isPrunable: always,
    create: (client, body) => client.authMethods.create(body),
    update: (client, existing, body) =>
      client.authMethods.update(existing.Name, {
        ...body,
        Config: { ...body.Config, ...secretsOf(existing.Config) },
      }),
    delete: (client, { Name }) => client.authMethods.delete(Name),
  }),
  'binding-rule': kind({
    schema: createBindingRuleSchema as BodySchema<BindingRuleCreate>,
    fields: ['AuthMethod', 'BindType', 'BindName', 'Selector', 'Description'],
    required: ['AuthMethod', 'BindType', 'BindName'],
    keyOf: ({ AuthMethod, BindType, BindName, Selector = '' }) =>
      [text(AuthMethod).toLowerCase(), BindType, BindName, Selector].join(' '),
    list: (client) => client.bindingRules.list(),
    isPrunable: always,
    create: (client, body) => client.bindingRules.create(body),
    update: (client, { ID }, body) => client.bindingRules.update(ID, body),
    delete: (client, { ID }) => client.bindingRules.delete(ID),
  }),
  token: kind({
    schema: createTokenSchema as BodySchema<TokenCreate>,
    fields: [
      ...['AccessorID', 'Description', 'Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities'],
      ...['Local', 'ExpirationTime'],
    ],
    fixed: ['Local', 'ExpirationTime'],
    required: ['AccessorID'],
    keyOf: ({ AccessorID }) => text(AccessorID).toLowerCase(),
    async list(client) {
      const tokens = []
      for await (const token of client.tokens.each({}, { limit: 1_000 })) {
        // Logins create and delete their own tokens.
        if (token.AuthMethod === undefined && token.Legacy !== true) tokens.push(token)
      }
      return tokens
    },
    // Expiring tokens are deleted by the service.
    isPrunable: ({ AccessorID, ExpirationTime }) => AccessorID !== ANONYMOUS && ExpirationTime === undefined,
    create: (client, body) => client.tokens.create(body),
    update: (client, { AccessorID, Local }, body) => client.tokens.update(AccessorID, { ...body, Local }),
    delete: (client, { AccessorID }) => client.tokens.delete(AccessorID),
  }),
}

function secretsOf(config: object): object {
  const withheld: readonly string[] = CONFIG_SECRETS
  return Object.fromEntries(Object.entries(config).filter(([name]) => withheld.includes(name)))
}

/** Maximum number of concurrent reads. */
const CONCURRENT_MAX = 8

async function inTurns<T, R>(items: readonly T[], read: (item: T) => R | Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += CONCURRENT_MAX) {
    results.push(...(await Promise.all(items.slice(i, i + CONCURRENT_MAX).map(read))))
  }
  return results
}
