/** The kinds of records in a folder, in the order in which they are written. */

import * as contract from '@latchkey/contract'
import type { Client } from '@latchkey/sdk'
import * as z from 'zod'
import { type Fields, keyOf, resourceOf } from '../records/find.ts'

export const KIND_NAMES = ['namespace', 'policy', 'role', 'auth-method', 'binding-rule', 'token'] as const
export type KindName = (typeof KIND_NAMES)[number]

interface FolderKind {
  readonly schema: unknown
  /** Fields that a folder manages, in the order of exports. */
  readonly fields: readonly string[]
  /** Durations, which have several spellings. */
  readonly durations?: readonly string[]
  readonly required: readonly string[]
  /** Fields that only a create sets. */
  readonly fixed?: readonly string[]
}

const ANONYMOUS = '00000000-0000-0000-0000-000000000002'
const GLOBAL_MANAGEMENT = '00000000-0000-0000-0000-000000000001'

export const FOLDER_KINDS: Readonly<Record<KindName, FolderKind>> = {
  namespace: {
    schema: contract.createNamespaceSchema,
    fields: ['Name', 'Description', 'ACLs'],
    required: ['Name'],
  },
  policy: {
    schema: contract.createPolicySchema,
    fields: ['Name', 'Description', 'Rules', 'Datacenters'],
    required: ['Name'],
  },
  role: {
    schema: contract.createRoleSchema,
    fields: ['Name', 'Description', 'Policies', 'ServiceIdentities', 'NodeIdentities'],
    required: ['Name'],
  },
  'auth-method': {
    schema: contract.createAuthMethodSchema,
    fields: [
      ...['Name', 'Type', 'DisplayName', 'Description', 'MaxTokenTTL', 'TokenLocality', 'Config'],
      ...['NamespaceRules', 'MaxLiveTokens', 'IdleTTL'],
    ],
    durations: ['MaxTokenTTL', 'IdleTTL'],
    required: ['Name', 'Type'],
    fixed: ['Type'],
  },
  'binding-rule': {
    schema: contract.createBindingRuleSchema,
    fields: ['AuthMethod', 'BindType', 'BindName', 'Selector', 'Description'],
    required: ['AuthMethod', 'BindType', 'BindName'],
  },
  token: {
    schema: contract.createTokenSchema,
    fields: [
      ...['AccessorID', 'Description', 'Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities'],
      ...['Local', 'ExpirationTime'],
    ],
    fixed: ['Local', 'ExpirationTime'],
    required: ['AccessorID'],
  },
}

/** The key of a record within its kind and namespace. */
export function folderKeyOf(kind: KindName, { Name, AccessorID, AuthMethod, ...content }: Fields): string {
  if (kind !== 'binding-rule') return String(Name ?? AccessorID).toLowerCase()
  const { BindType, BindName, Selector = '' } = content
  return [String(AuthMethod).toLowerCase(), BindType, BindName, Selector].join(' ')
}

/** The records of a kind that a folder may manage. Those that are not needed may lack their rules. */
export async function listRecords(
  client: Client,
  kind: KindName,
  isNeeded: (record: Fields) => boolean,
): Promise<readonly Fields[]> {
  if (kind === 'token') {
    const tokens: Fields[] = []
    for await (const token of client.tokens.each({}, { limit: 1_000 })) {
      // Logins create and delete their own tokens.
      if (token.AuthMethod === undefined && token.Legacy !== true) tokens.push(token)
    }
    return tokens
  }
  const resource = resourceOf(client, kind)
  const entries = (await resource.list()).filter(({ ID }) => kind !== 'policy' || ID !== GLOBAL_MANAGEMENT)
  // These lists do not contain the whole records.
  if (kind !== 'policy' && kind !== 'auth-method') return entries
  const isEnough = (entry: Fields) => kind === 'policy' && !isNeeded(entry)
  return inTurns(entries, (entry) => (isEnough(entry) ? entry : resource.read(keyOf(kind, entry))))
}

const CONCURRENT_MAX = 8

/** Reads or writes a few at a time. */
export async function inTurns<T, R>(items: readonly T[], read: (item: T) => R | Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += CONCURRENT_MAX) {
    results.push(...(await Promise.all(items.slice(i, i + CONCURRENT_MAX).map(read))))
  }
  return results
}

/**
 * Whether a prune may delete a record. The service itself makes some, and deletes tokens that expire. A record without the
 * fields that every record of its kind has cannot be named, and is left alone.
 */
export function isPrunable(kind: KindName, record: Fields): boolean {
  const { Name, AccessorID, ExpirationTime } = record
  if (FOLDER_KINDS[kind].required.some((field) => typeof record[field] !== 'string')) return false
  if (kind === 'token') return AccessorID !== ANONYMOUS && ExpirationTime === undefined
  return kind !== 'namespace' || Name !== 'default'
}

/** False for records that every service creates itself. */
export function isWorthKeeping({ Name, AccessorID, Policies, Roles, ACLs }: Fields): boolean {
  if (Name === 'default' && ACLs === undefined) return false
  return AccessorID !== ANONYMOUS || Policies !== undefined || Roles !== undefined
}

/** Secrets in the configuration of auth methods. Folders do not contain them, and an apply preserves them. */
export const CONFIG_SECRETS: readonly string[] = ['OIDCClientSecret', 'ServiceAccountJWT']

export function updateRecord(
  client: Client,
  kind: KindName,
  existing: Fields,
  body: Fields,
): Promise<Fields> {
  const secrets = Object.entries(existing.Config ?? {}).filter(([name]) => CONFIG_SECRETS.includes(name))
  return resourceOf(client, kind).update(keyOf(kind, existing), {
    ...body,
    ...(kind === 'token' ? { Local: existing.Local } : {}),
    ...(kind === 'auth-method' ? { Config: { ...(body.Config ?? {}), ...Object.fromEntries(secrets) } } : {}),
  })
}

/** The JSON Schema of a document in a folder, from the schemas of the contract: it accepts a record of any kind. */
export function folderSchema(): object {
  const $defs: Record<string, unknown> = {}
  const oneOf = KIND_NAMES.map((kind) => schemaOf(kind, $defs))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A record of a folder that latchkey plan and apply read',
    oneOf,
    $defs,
  }
}

/** The schema of a kind. Referenced schemas go into `$defs`. */
function schemaOf(kind: KindName, $defs: Record<string, unknown>): object {
  const { schema, fields, required } = FOLDER_KINDS[kind]
  const whole = z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' })
  const name = whole.$ref?.replace('#/$defs/', '') ?? ''
  const { [name]: root = whole, ...others } = whole.$defs ?? {}
  Object.assign($defs, others)
  const managed = Object.entries(root.properties ?? {}).filter(([field]) => fields.includes(field))
  return {
    type: 'object',
    properties: {
      kind: { const: kind },
      ...Object.fromEntries(managed),
      Namespace: {
        type: 'string',
        description: 'Extended edition only. Absent: the namespace of the command.',
      },
    },
    required: ['kind', ...required],
    additionalProperties: false,
  }
}

/** The non-empty managed fields of a record. */
export function contentOf(kind: KindName, record: Fields): Fields {
  const fields = FOLDER_KINDS[kind].fields.map((name) => [name, simplified(name, record[name])] as const)
  return Object.fromEntries(fields.filter(([, value]) => !isEmpty(value)))
}

function simplified(name: string, value: unknown): unknown {
  if (name === 'Config' && isObject(value)) {
    return Object.fromEntries(Object.entries(value).filter(([field]) => !CONFIG_SECRETS.includes(field)))
  }
  if (name === 'ACLs' && isObject(value)) {
    const links = Object.entries(value).map(([field, list]) => [field, simplified('Policies', list)] as const)
    return Object.fromEntries(links.filter(([, list]) => !isEmpty(list)))
  }
  // A stored link has ID and name; folders contain only names.
  if ((name === 'Policies' || name === 'Roles') && Array.isArray(value)) {
    return value.map((link: { readonly Name?: string }) => ({ Name: link.Name }))
  }
  return value
}

export function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isObject(value)) return Object.keys(value).length === 0
  return value === undefined || value === null || value === '' || value === false
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The fields whose values differ. The order of lists of records and of object keys is ignored. */
export function differingFields(kind: KindName, one: Fields, other: Fields): string[] {
  const { fields, durations = [] } = FOLDER_KINDS[kind]
  return fields.filter((name) => {
    const text = (value: unknown) => canonical(durations.includes(name) ? durationMs(value) : value)
    return text(one[name]) !== text(other[name])
  })
}

function durationMs(value: unknown): unknown {
  try {
    return typeof value === 'string' ? contract.parseDurationMs(value) : value
  } catch {
    return value
  }
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const fields = Object.keys(value).filter((name) => value[name] !== undefined)
  return `{${fields.sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)}}`
}
