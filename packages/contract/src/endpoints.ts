/**
 * Every endpoint as plain data: method, path, right, gate and spec section, with no schema and no library behind it.
 * The route table adds the schemas; the router, the SDK, the method table, the authorization matrix and the docs read
 * this. A path is written nowhere else.
 */
import type { AclErrorCode } from './errors.ts'
import type { GateName } from './gates.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

/**
 * What a caller must hold. `none`: anybody. `self`: the presented secret alone. `acl:read`, `acl:write` and
 * `operator:*`: that right. `agent:read`: on this node. `key`: decided per key by the handler.
 */
export type Right =
  | 'none'
  | 'self'
  | 'acl:read'
  | 'acl:write'
  | 'operator:read'
  | 'operator:write'
  | 'agent:read'
  | 'key'

export interface Endpoint {
  readonly method: Method
  /** Under `/v1`. `:Name` takes one segment, or the whole rest where it ends the path. */
  readonly path: string
  readonly right: Right
  readonly summary: string
  /** Section of the spec, or the word `extension` for what is ours alone. */
  readonly spec: string
  /** The endpoint exists from the version that opened this gate, until the one that closed it. */
  readonly gate?: GateName
  readonly body?: 'json' | 'text' | 'raw'
  /** Query options beyond those that every endpoint takes. */
  readonly query?: readonly string[]
  /** The path parameter may be empty: all keys, or a create on the path of an update. */
  readonly mayBeEmpty?: true
  /** A blocking query with consistency modes. Spec 4.1. */
  readonly blocking?: true
  /** One of the new ACL APIs: refused in legacy mode before authentication. Spec 9.2.1. */
  readonly refusedInLegacyMode?: true
  /** Namespaced in the extended edition: takes `ns` and the namespace header. Spec 4.9. */
  readonly namespaced?: true
  /** Exists in the extended edition alone. Spec 4.9. */
  readonly edition?: 'extended'
  /** Refusals beyond those that every endpoint may answer. */
  readonly errors?: readonly AclErrorCode[]
}

/** Options of every blocking query. */
export const BLOCKING_QUERY_OPTIONS = [
  'index',
  'wait',
  'stale',
  'consistent',
  'max_stale',
  'cached',
  'leader',
] as const

const read = {
  method: 'GET',
  right: 'acl:read',
  blocking: true,
  refusedInLegacyMode: true,
  namespaced: true,
} as const
const write = {
  method: 'PUT',
  right: 'acl:write',
  body: 'json',
  refusedInLegacyMode: true,
  namespaced: true,
} as const
const remove = { method: 'DELETE', right: 'acl:write', refusedInLegacyMode: true, namespaced: true } as const
const page = ['limit', 'cursor'] as const
const tokenErrors = [
  'id_invalid',
  'field_required',
  'field_invalid',
  'field_too_long',
  'name_invalid',
  'link_unknown',
] as const satisfies readonly AclErrorCode[]

export const ENDPOINTS = {
  'tokens.create': {
    ...write,
    path: '/acl/token',
    gate: 'api.token',
    spec: '4.2',
    summary: 'Create a token',
    errors: [
      ...tokenErrors,
      'id_reserved',
      'expiration_out_of_bounds',
      'expiration_conflict',
      'id_in_use',
      'not_found',
    ],
  },
  'tokens.self': {
    ...read,
    right: 'self',
    path: '/acl/token/self',
    gate: 'api.token',
    spec: '4.4',
    summary: 'Read the token that the request presents',
  },
  'tokens.clone': {
    ...write,
    path: '/acl/token/:AccessorID/clone',
    gate: 'api.token',
    spec: '4.6',
    summary: 'Clone a token',
    errors: ['id_invalid', 'clone_refused', 'expiration_out_of_bounds', 'not_found', 'field_invalid'],
  },
  'tokens.read': {
    ...read,
    path: '/acl/token/:AccessorID',
    gate: 'api.token',
    spec: '4.3',
    summary: 'Read a token',
    query: ['expanded'],
    errors: ['id_missing', 'id_invalid', 'not_found'],
  },
  'tokens.update': {
    ...write,
    path: '/acl/token/:AccessorID',
    gate: 'api.token',
    spec: '4.5',
    summary: 'Update a token',
    errors: [
      ...tokenErrors,
      'id_missing',
      'accessor_mismatch',
      'field_immutable',
      'local_mismatch',
      'not_found',
    ],
  },
  'tokens.delete': {
    ...remove,
    path: '/acl/token/:AccessorID',
    gate: 'api.token',
    spec: '4.7',
    summary: 'Delete a token',
    errors: ['id_missing', 'id_invalid', 'delete_refused', 'not_found'],
  },
  'tokens.list': {
    ...read,
    path: '/acl/tokens',
    gate: 'api.token',
    spec: '4.8',
    summary: 'List tokens',
    query: ['policy', 'role', 'authmethod', 'authmethod-ns', 'servicename', 'filter', 'sort', ...page],
    errors: ['filter_conflict'],
  },

  'policies.create': {
    ...write,
    path: '/acl/policy',
    gate: 'api.policy',
    spec: '9.1',
    summary: 'Create a policy',
    errors: ['field_required', 'field_invalid', 'name_invalid', 'name_in_use', 'rules_invalid', 'not_found'],
  },
  'policies.lint': {
    method: 'POST',
    right: 'none',
    body: 'json',
    path: '/acl/policy/lint',
    gate: 'api.policy',
    spec: 'extension',
    summary: 'Find faults and surprises in a rule text',
  },
  'policies.readByName': {
    ...read,
    path: '/acl/policy/name/:Name',
    gate: 'api.policy',
    spec: '9.1',
    summary: 'Read a policy by its name',
    errors: ['id_missing', 'not_found'],
  },
  'policies.whatIf': {
    ...write,
    method: 'POST',
    right: 'acl:read',
    path: '/acl/policy/:ID/what-if',
    gate: 'api.policy',
    spec: 'extension',
    summary: 'List the tokens whose rights would change if the policy had other rules',
    query: page,
    errors: ['id_invalid', 'not_found', 'rules_invalid', 'batch_too_large'],
  },
  'policies.read': {
    ...read,
    path: '/acl/policy/:ID',
    gate: 'api.policy',
    spec: '9.1',
    summary: 'Read a policy',
    errors: ['id_missing', 'id_invalid', 'not_found'],
  },
  'policies.update': {
    ...write,
    mayBeEmpty: true,
    path: '/acl/policy/:ID',
    gate: 'api.policy',
    spec: '9.1',
    summary: 'Update a policy',
    errors: [
      'id_invalid',
      'accessor_mismatch',
      'name_invalid',
      'name_in_use',
      'rules_invalid',
      'builtin_immutable',
      'not_found',
      'field_required',
      'field_invalid',
    ],
  },
  'policies.delete': {
    ...remove,
    path: '/acl/policy/:ID',
    gate: 'api.policy',
    spec: '9.1',
    summary: 'Delete a policy',
    errors: ['id_missing', 'id_invalid', 'delete_refused', 'not_found'],
  },
  'policies.list': {
    ...read,
    path: '/acl/policies',
    gate: 'api.policy',
    spec: '9.1',
    summary: 'List policies',
  },

  'roles.create': {
    ...write,
    path: '/acl/role',
    gate: 'api.role',
    spec: '2.3',
    summary: 'Create a role',
    errors: ['field_required', 'name_invalid', 'name_in_use', 'link_unknown', 'field_invalid', 'not_found'],
  },
  'roles.readByName': {
    ...read,
    path: '/acl/role/name/:Name',
    gate: 'api.role',
    spec: '2.3',
    summary: 'Read a role by its name',
    errors: ['id_missing', 'not_found'],
  },
  'roles.read': {
    ...read,
    path: '/acl/role/:ID',
    gate: 'api.role',
    spec: '2.3',
    summary: 'Read a role',
    errors: ['id_missing', 'id_invalid', 'not_found'],
  },
  'roles.update': {
    ...write,
    mayBeEmpty: true,
    path: '/acl/role/:ID',
    gate: 'api.role',
    spec: '2.3',
    summary: 'Update a role',
    errors: [
      'id_invalid',
      'accessor_mismatch',
      'name_invalid',
      'name_in_use',
      'link_unknown',
      'not_found',
      'field_required',
      'field_invalid',
    ],
  },
  'roles.delete': {
    ...remove,
    path: '/acl/role/:ID',
    gate: 'api.role',
    spec: '2.3',
    summary: 'Delete a role',
    errors: ['id_missing', 'id_invalid', 'not_found'],
  },
  'roles.list': {
    ...read,
    path: '/acl/roles',
    gate: 'api.role',
    spec: '2.3',
    summary: 'List roles',
    query: ['policy'],
  },

  'namespaces.create': {
    method: 'PUT',
    right: 'operator:write',
    body: 'json',
    path: '/namespace',
    edition: 'extended',
    gate: 'api.token',
    spec: '4.9',
    summary: 'Create a namespace',
    errors: ['field_required', 'name_invalid', 'name_in_use', 'link_unknown'],
  },
  'namespaces.read': {
    method: 'GET',
    right: 'operator:read',
    path: '/namespace/:Name',
    edition: 'extended',
    gate: 'api.token',
    blocking: true,
    spec: '4.9',
    summary: 'Read a namespace',
    errors: ['id_missing', 'not_found'],
  },
  'namespaces.update': {
    method: 'PUT',
    right: 'operator:write',
    body: 'json',
    path: '/namespace/:Name',
    edition: 'extended',
    gate: 'api.token',
    spec: '4.9',
    summary: 'Update a namespace',
    errors: ['id_missing', 'accessor_mismatch', 'link_unknown', 'not_found'],
  },
  'namespaces.delete': {
    method: 'DELETE',
    right: 'operator:write',
    path: '/namespace/:Name',
    edition: 'extended',
    gate: 'api.token',
    spec: '4.9',
    summary: 'Delete a namespace that holds nothing',
    errors: ['id_missing', 'delete_refused', 'not_found'],
  },
  'namespaces.list': {
    method: 'GET',
    right: 'operator:read',
    path: '/namespaces',
    edition: 'extended',
    gate: 'api.token',
    blocking: true,
    spec: '4.9',
    summary: 'List namespaces',
  },

  bootstrap: {
    method: 'PUT',
    right: 'none',
    path: '/acl/bootstrap',
    gate: 'api.token',
    spec: '9.2',
    summary: 'Make the first management token, once',
    refusedInLegacyMode: true,
    errors: ['bootstrap_done', 'bootstrap_reset_invalid'],
  },
  'acl.replication': {
    method: 'GET',
    right: 'none',
    path: '/acl/replication',
    spec: '9.4',
    summary: 'Read the state of replication',
  },
  authorize: {
    method: 'POST',
    right: 'none',
    body: 'json',
    path: '/internal/acl/authorize',
    gate: 'api.token',
    spec: '5',
    summary: 'Decide up to 64 checks for the presented token',
    query: ['explain', 'accessor'],
    refusedInLegacyMode: true,
    errors: [
      'batch_too_large',
      'field_invalid',
      'id_invalid',
      'caller_unknown',
      'privilege_missing',
      'not_found',
    ],
  },
  'acl.whoCan': {
    method: 'POST',
    right: 'acl:read',
    body: 'json',
    path: '/internal/acl/who-can',
    gate: 'api.token',
    spec: 'extension',
    summary: 'List the tokens that may do something',
    query: page,
    refusedInLegacyMode: true,
    namespaced: true,
    errors: ['field_invalid'],
  },
  'acl.migration': {
    method: 'GET',
    right: 'acl:read',
    path: '/internal/acl/migration',
    gate: 'api.token',
    spec: 'extension',
    summary: 'Watch the accessor migration',
  },

  'rules.translate': {
    method: 'POST',
    right: 'acl:read',
    body: 'text',
    path: '/acl/rules/translate',
    gate: 'api.legacy',
    spec: '9.1',
    summary: 'Translate legacy rules',
    errors: ['rules_invalid'],
  },
  'rules.translateToken': {
    method: 'GET',
    right: 'acl:read',
    path: '/acl/rules/translate/:AccessorID',
    gate: 'api.legacy',
    spec: '9.1',
    summary: 'Translate the legacy rules of a token',
    refusedInLegacyMode: true,
    errors: ['id_missing', 'id_invalid', 'not_found', 'legacy_rules_missing'],
  },
  'legacy.create': {
    method: 'PUT',
    right: 'acl:write',
    body: 'json',
    path: '/acl/create',
    gate: 'api.legacy',
    spec: '9.1',
    summary: 'Create a legacy token',
    errors: ['field_invalid', 'rules_invalid', 'legacy_token_immutable', 'root_name_refused', 'id_reserved'],
  },
  'legacy.update': {
    method: 'PUT',
    right: 'acl:write',
    body: 'json',
    path: '/acl/update',
    gate: 'api.legacy',
    spec: '9.1',
    summary: 'Update a legacy token',
    errors: [
      'id_missing',
      'field_invalid',
      'rules_invalid',
      'legacy_token_immutable',
      'root_name_refused',
      'id_reserved',
    ],
  },
  'legacy.destroy': {
    method: 'PUT',
    right: 'acl:write',
    path: '/acl/destroy/:ID',
    gate: 'api.legacy',
    spec: '9.1',
    summary: 'Destroy a token by its secret',
    errors: ['id_missing', 'root_name_refused'],
  },
  'legacy.info': {
    method: 'GET',
    right: 'none',
    path: '/acl/info/:ID',
    gate: 'api.legacy',
    spec: '9.1',
    summary: 'Read a legacy token by its secret',
    blocking: true,
    errors: ['id_missing', 'root_name_refused'],
  },
  'legacy.clone': {
    method: 'PUT',
    right: 'acl:write',
    path: '/acl/clone/:ID',
    gate: 'api.legacy',
    spec: '9.1',
    summary: 'Clone a legacy token',
    errors: ['id_missing', 'root_name_refused'],
  },
  'legacy.list': {
    method: 'GET',
    right: 'acl:write',
    path: '/acl/list',
    gate: 'api.legacy',
    spec: '9.1',
    summary: 'List legacy tokens',
    blocking: true,
  },
  'legacy.import': {
    method: 'PUT',
    right: 'acl:write',
    body: 'raw',
    path: '/internal/acl/legacy-tokens',
    gate: 'api.legacy',
    spec: 'extension',
    summary: 'Import the list of a legacy cluster, all or nothing',
    query: ['check', 'position'],
    errors: ['field_invalid', 'field_type', 'body_malformed'],
  },
  'legacy.export': {
    method: 'GET',
    right: 'acl:write',
    path: '/internal/acl/legacy-tokens',
    gate: 'api.legacy',
    spec: 'extension',
    summary: 'Export all legacy tokens, in the shape that import takes',
  },

  'kv.read': {
    method: 'GET',
    right: 'key',
    mayBeEmpty: true,
    path: '/kv/:Key',
    spec: '5.4',
    summary: 'Read a key, a tree of keys, or key names',
    blocking: true,
    namespaced: true,
    query: ['recurse', 'keys', 'separator', 'raw'],
    errors: ['id_missing', 'not_found', 'field_too_long'],
  },
  'kv.write': {
    method: 'PUT',
    right: 'key',
    body: 'raw',
    path: '/kv/:Key',
    spec: '5.4',
    summary: 'Write a key',
    namespaced: true,
    query: ['flags', 'cas', 'acquire', 'release'],
    errors: ['id_missing', 'session_unsupported', 'field_too_long'],
  },
  'kv.delete': {
    method: 'DELETE',
    right: 'key',
    mayBeEmpty: true,
    path: '/kv/:Key',
    spec: '5.4',
    summary: 'Delete a key or a tree of keys',
    namespaced: true,
    query: ['recurse', 'cas'],
    errors: ['id_missing', 'field_too_long'],
  },

  'status.leader': {
    method: 'GET',
    right: 'none',
    path: '/status/leader',
    spec: '9.4',
    summary: 'Address of the process that runs the single-winner jobs',
  },
  'status.peers': {
    method: 'GET',
    right: 'none',
    path: '/status/peers',
    spec: '9.4',
    summary: 'Addresses of all server processes',
  },
  'agent.self': {
    method: 'GET',
    right: 'agent:read',
    path: '/agent/self',
    spec: '9.3',
    summary: 'Configuration and version of this process',
  },
  'agent.members': {
    method: 'GET',
    right: 'agent:read',
    path: '/agent/members',
    spec: '9.4',
    summary: 'All server processes',
  },
  'agent.metrics': {
    method: 'GET',
    right: 'agent:read',
    path: '/agent/metrics',
    spec: '9.4',
    summary: 'Metrics of this process',
    query: ['format'],
  },
  'catalog.datacenters': {
    method: 'GET',
    right: 'none',
    path: '/catalog/datacenters',
    spec: '9.4',
    summary: 'Names of all known datacenters',
  },
  versions: {
    method: 'GET',
    right: 'none',
    path: '/internal/versions',
    spec: 'extension',
    summary: 'What changes between two service versions',
    query: ['from', 'to'],
    errors: ['version_invalid'],
  },
  openapi: {
    method: 'GET',
    right: 'none',
    path: '/openapi.json',
    spec: 'extension',
    summary: 'This API as OpenAPI 3.1',
  },
} as const satisfies Record<string, Endpoint>

/** The name of an endpoint, as `tokens.create`. */
export type EndpointName = keyof typeof ENDPOINTS

/** An endpoint by its name, seen as the general shape. */
export function endpoint(name: EndpointName): Endpoint {
  return ENDPOINTS[name]
}
