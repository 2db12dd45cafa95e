/** The initial records of a mock service, as bodies of create requests. */

import {
  createBindingRule,
  createPolicy,
  createRole,
  createToken,
  DEFAULT_NAMESPACE,
  findRulesProblem,
  isNamespaceName,
  isUuid,
  type Random,
  writeAuthMethod,
} from '@latchkey/acl'
import {
  AclError,
  createAuthMethodSchema,
  createBindingRuleSchema,
  createPolicySchema,
  createRoleSchema,
  createTokenSchema,
  decodeValue,
  type Json,
  limits,
  type Schema,
  type SchemaOutput,
  type Sent,
} from '@latchkey/contract'
import { type Change, type MemoryStore, requireKey } from '@latchkey/service'

interface OwnId {
  /** An ID of your choice. Absent: a random one. */
  readonly ID?: string | undefined
}

/** The body of a create request, with an optional ID. */
export type SeedPolicy = Sent<'policies.create'> & OwnId
/** The body of a create request, with an optional ID. */
export type SeedRole = Sent<'roles.create'> & OwnId
/** The body of a create request. Nothing is fetched from the method's provider. */
export type SeedAuthMethod = Sent<'authMethods.create'>
/** The body of a create request, with an optional ID. */
export type SeedBindingRule = Sent<'bindingRules.create'> & OwnId
/** The body of a create request. */
export type SeedToken = Sent<'tokens.create'>

export interface Seed {
  /** Extended edition only. The records below name their namespace in `Namespace`. Spec 4.9. */
  readonly namespaces?:
    | readonly { readonly Name: string; readonly Description?: string | undefined }[]
    | undefined
  readonly policies?: readonly SeedPolicy[] | undefined
  /** May link the policies above, by name or ID. */
  readonly roles?: readonly SeedRole[] | undefined
  readonly authMethods?: readonly SeedAuthMethod[] | undefined
  /** Rules of the auth methods above. */
  readonly bindingRules?: readonly SeedBindingRule[] | undefined
  /** May link the policies and roles above, by name or ID. */
  readonly tokens?: readonly SeedToken[] | undefined
  /** Values by key. A string is stored as UTF-8. */
  readonly kv?: Readonly<Record<string, string | Uint8Array>> | undefined
}

export const SEED_LISTS: Readonly<Record<keyof Seed, true>> = {
  namespaces: true,
  policies: true,
  roles: true,
  authMethods: true,
  bindingRules: true,
  tokens: true,
  kv: true,
}

interface SeedContext {
  readonly store: MemoryStore
  readonly random: Random
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly edition: 'standard' | 'extended'
}

/**
 * Writes the records of a seed by the rules for create requests: namespaces, policies, roles, auth methods, binding rules,
 * tokens, keys.
 *
 * @throws TypeError naming the record and the broken rule, such as `seed.tokens[1]: …`.
 */
export function plantSeed(seed: Seed, context: SeedContext): void {
  plant('namespaces', seed.namespaces, (namespace) => namespaceChange(namespace, context), context)
  plant('policies', seed.policies, (policy) => policyChange(policy, context), context)
  plant('roles', seed.roles, (role) => roleChange(role, context), context)
  plant('authMethods', seed.authMethods, (method) => authMethodChange(method, context), context)
  plant('bindingRules', seed.bindingRules, (rule) => bindingRuleChange(rule, context), context)
  plant('tokens', seed.tokens, (token) => tokenChange(token, context), context)
  for (const [key, value] of Object.entries(seed.kv ?? {})) {
    plantOne(`kv[${JSON.stringify(key.slice(0, SHOWN_KEY_LENGTH))}]`, () => kvChange(key, value), context)
  }
}

/** Maximum number of characters of a key in an error. */
const SHOWN_KEY_LENGTH = 60

function plant<T>(
  list: keyof Seed,
  records: readonly T[] | undefined,
  toChange: (record: T) => Change,
  context: SeedContext,
): void {
  for (const [i, record] of (records ?? []).entries()) {
    plantOne(`${list}[${i}]`, () => toChange(record), context)
  }
}

function plantOne(name: string, toChange: () => Change, { store }: SeedContext): void {
  try {
    store.commitNow([toChange()])
  } catch (cause) {
    const field = cause instanceof AclError && cause.details.field ? ` (${cause.details.field})` : ''
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`seed.${name}: ${reason}${field}`, { cause })
  }
}

/** The ID that a seed record chose, which create requests cannot do. @throws AclError `id_invalid`. */
function chosenId({ ID }: OwnId, made: string): string {
  if (ID === undefined || isUuid(ID)) return ID ?? made
  throw new AclError('id_invalid', 'The ID is not a valid UUID', { field: 'ID' })
}

function namespaceChange(
  { Name, Description = '' }: { readonly Name: string; readonly Description?: string | undefined },
  { edition, store }: SeedContext,
): Change {
  if (edition === 'standard')
    throw new AclError('namespace_unsupported', 'namespaces need the extended edition')
  if (!isNamespaceName(Name))
    throw new AclError('name_invalid', `${JSON.stringify(Name)} is not the name of a namespace`, {
      field: 'Name',
    })
  if (Name === DEFAULT_NAMESPACE || store.directory().namespace(Name))
    throw new AclError('name_in_use', `A namespace with Name "${Name}" already exists`, { field: 'Name' })
  const record = { Name, Description, PolicyDefaults: [], RoleDefaults: [], CreateIndex: 0, ModifyIndex: 0 }
  return { table: 'namespaces', op: 'put', record, expect: 0 }
}

/** The namespace of a record: its field, or `default`. Spec 4.9. */
function namespaceOf(field: string | undefined, { edition, store }: SeedContext): string {
  if (!field || field === DEFAULT_NAMESPACE) return DEFAULT_NAMESPACE
  if (edition === 'standard')
    throw new AclError('namespace_unsupported', 'Namespace needs the extended edition')
  if (store.directory().namespace(field)) return field
  throw new AclError('not_found', `Namespace ${JSON.stringify(field)} is not among seed.namespaces`)
}

function policyChange({ ID, ...fields }: SeedPolicy, context: SeedContext): Change {
  const { store, random } = context
  const request = decode(createPolicySchema, fields)
  const namespace = namespaceOf(request.Namespace, context)
  const rulesProblem = findRulesProblem(request.Rules ?? '')
  const record = createPolicy(request, { random, directory: store.directory(), namespace, rulesProblem })
  return { table: 'policies', op: 'put', record: { ...record, ID: chosenId({ ID }, record.ID) }, expect: 0 }
}

function roleChange({ ID, ...fields }: SeedRole, context: SeedContext): Change {
  const { store, random } = context
  const request = decode(createRoleSchema, fields)
  const namespace = namespaceOf(request.Namespace, context)
  const record = createRole(request, { random, directory: store.directory(), namespace })
  return { table: 'roles', op: 'put', record: { ...record, ID: chosenId({ ID }, record.ID) }, expect: 0 }
}

function authMethodChange(method: SeedAuthMethod, context: SeedContext): Change {
  const request = decode(createAuthMethodSchema, method)
  const namespace = namespaceOf(request.Namespace, context)
  const isExtended = context.edition === 'extended'
  const record = writeAuthMethod(request, undefined, {
    types: isExtended ? ['jwt', 'kubernetes', 'oidc'] : ['jwt', 'kubernetes'],
    isPrimary: true,
    hasNamespaces: isExtended,
    allowHttp: true,
    namespace,
    generation: GENERATION,
    now: context.now,
  })
  return { table: 'authMethods', op: 'put', record, expect: 0 }
}

/** Generation of the auth methods in the seed; later ones have random generations. */
const GENERATION = 1

function bindingRuleChange({ ID, ...fields }: SeedBindingRule, context: SeedContext): Change {
  const { store, random } = context
  const request = decode(createBindingRuleSchema, fields)
  const namespace = namespaceOf(request.Namespace, context)
  const record = createBindingRule(request, {
    random,
    namespace,
    methodByName: (name) => store.directory().authMethod(namespace, name),
    bindTypes: ['service', 'node', 'role'],
  })
  return {
    table: 'bindingRules',
    op: 'put',
    record: { ...record, ID: chosenId({ ID }, record.ID) },
    expect: 0,
  }
}

function tokenChange(token: SeedToken, context: SeedContext): Change {
  const { store, random, now } = context
  const request = decode(createTokenSchema, token)
  const namespace = namespaceOf(request.Namespace, context)
  const record = createToken(request, { now, random, directory: store.directory(), namespace })
  return { table: 'tokens', op: 'put', record, expect: 0 }
}

function kvChange(Key: string, value: string | Uint8Array): Change {
  const Value = typeof value === 'string' ? new TextEncoder().encode(value) : value
  requireKey({ Key })
  if (Value.length > limits.KV_VALUE_BYTES_MAX) {
    throw new AclError('body_too_large', `The value is larger than ${limits.KV_VALUE_BYTES_MAX} bytes`)
  }
  const record = {
    Key,
    Flags: 0n,
    Value,
    LockIndex: 0,
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: DEFAULT_NAMESPACE,
  }
  return { table: 'kv', op: 'put', record, expect: 0 }
}

/** Decodes a plain object like a JSON body. */
function decode<S extends Schema>(schema: S, record: object): SchemaOutput<S> {
  return decodeValue(schema, JSON.parse(JSON.stringify(record)) as Json)
}
