// biome-ignore-all format: generated

/**
 * Every endpoint as plain data. Generated from the contract by `pnpm generate`; to
 * change an endpoint, change its route.
 */
import type { Endpoint } from './endpoint.ts'

export const ENDPOINTS = {
  'tokens.create': { method: 'PUT', path: '/acl/token', right: 'acl:write', gate: 'api.token', acl: true, refusedInLegacyMode: true, namespaced: true, body: 'json', answer: 'object' },
  'tokens.self': { method: 'GET', path: '/acl/token/self', right: 'self', gate: 'api.token', acl: true, refusedInLegacyMode: true, blocking: 'tokens', answer: 'object' },
  'tokens.clone': { method: 'PUT', path: '/acl/token/:AccessorID/clone', right: 'acl:write', gate: 'api.token', acl: true, refusedInLegacyMode: true, namespaced: true, body: 'json', subject: 'token AccessorID', answer: 'object' },
  'tokens.read': { method: 'GET', path: '/acl/token/:AccessorID', right: 'acl:read', gate: 'api.token', acl: true, refusedInLegacyMode: true, namespaced: true, blocking: 'tokens', subject: 'token AccessorID', answer: 'object', query: ['expanded'] },
  'tokens.update': { method: 'PUT', path: '/acl/token/:AccessorID', right: 'acl:write', gate: 'api.token', acl: true, refusedInLegacyMode: true, namespaced: true, body: 'json', subject: 'token AccessorID', answer: 'object' },
  'tokens.delete': { method: 'DELETE', path: '/acl/token/:AccessorID', right: 'acl:write', gate: 'api.token', acl: true, refusedInLegacyMode: true, namespaced: true, subject: 'token AccessorID', answer: 'boolean' },
  'tokens.list': { method: 'GET', path: '/acl/tokens', right: 'acl:read', gate: 'api.token', acl: true, refusedInLegacyMode: true, namespaced: true, blocking: 'tokens', answer: 'array', query: ['policy', 'role', 'authmethod', 'authmethod-ns', 'servicename', 'filter', 'sort', 'limit', 'cursor'] },
  'tokens.bootstrap': { method: 'PUT', path: '/acl/bootstrap', right: 'none', gate: 'api.token', acl: true, refusedInLegacyMode: true, local: true, answer: 'object' },
  'policies.create': { method: 'PUT', path: '/acl/policy', right: 'acl:write', gate: 'api.policy', acl: true, refusedInLegacyMode: true, namespaced: true, body: 'json', answer: 'object' },
  'policies.lint': { method: 'POST', path: '/acl/policy/lint', right: 'none', gate: 'api.policy', acl: true, local: true, body: 'json', answer: 'array' },
  'policies.readByName': { method: 'GET', path: '/acl/policy/name/:Name', right: 'acl:read', gate: 'api.policy', acl: true, refusedInLegacyMode: true, namespaced: true, blocking: 'policies', subject: 'policy Name', answer: 'object' },
  'policies.whatIf': { method: 'POST', path: '/acl/policy/:ID/what-if', right: 'acl:read', gate: 'api.policy', acl: true, refusedInLegacyMode: true, namespaced: true, body: 'json', subject: 'policy ID', answer: 'array', query: ['limit', 'cursor'] },
  'policies.read': { method: 'GET', path: '/acl/policy/:ID', right: 'acl:read', gate: 'api.policy', acl: true, refusedInLegacyMode: true, namespaced: true, blocking: 'policies', subject: 'policy ID', answer: 'object' },
  'policies.update': { method: 'PUT', path: '/acl/policy/:ID', right: 'acl:write', gate: 'api.policy', acl: true, refusedInLegacyMode: true, namespaced: true, body: 'json', subject: 'policy ID', mayBeEmpty: true, answer: 'object' },
  'policies.delete': { method: 'DELETE', path: '/acl/policy/:ID', right: 'acl:write', gate: 'api.policy', acl: true, refusedInLegacyMode: true, namespaced: true, subject: 'policy ID', answer: 'boolean' },
  'policies.list': { method: 'GET', path: '/acl/policies', right: 'acl:read', gate: 'api.policy', acl: true, refusedInLegacyMode: true, namespaced: true, blocking: 'policies', answer: 'array' },
  'roles.create': { method: 'PUT', path: '/acl/role', right: 'acl:write', gate: 'api.role', acl: true, refusedInLegacyMode: true, namespaced: true, body: 'json', answer: 'object' },
  'roles.readByName': { method: 'GET', path: '/acl/role/name/:Name', right: 'acl:read', gate: 'api.role', acl: true, refusedInLegacyMode: true, namespaced: true, blocking: 'roles', subject: 'role Name', answer: 'object' },
  'roles.read': { method: 'GET', path: '/acl/role/:ID', right: 'acl:read', gate: 'api.role', acl: true, refusedInLegacyMode: true, namespaced: true, blocking: 'roles', subject: 'role ID', answer: 'object' },
  'roles.update': { method: 'PUT', path: '/acl/role/:ID', right: 'acl:write', gate: 'api.role', acl: true, refusedInLegacyMode: true, namespaced: true, body: 'json', subject: 'role ID', mayBeEmpty: true, answer: 'object' },
  'roles.delete': { method: 'DELETE', path: '/acl/role/:ID', right: 'acl:write', gate: 'api.role', acl: true, refusedInLegacyMode: true, namespaced: true, subject: 'role ID', answer: 'boolean' },
  'roles.list': { method: 'GET', path: '/acl/roles', right: 'acl:read', gate: 'api.role', acl: true, refusedInLegacyMode: true, namespaced: true, blocking: 'roles', answer: 'array', query: ['policy'] },
  'namespaces.create': { method: 'PUT', path: '/namespace', right: 'operator:write', gate: 'api.token', edition: 'extended', body: 'json', answer: 'object' },
  'namespaces.read': { method: 'GET', path: '/namespace/:Name', right: 'operator:read', gate: 'api.token', edition: 'extended', blocking: 'namespaces', answer: 'object' },
  'namespaces.update': { method: 'PUT', path: '/namespace/:Name', right: 'operator:write', gate: 'api.token', edition: 'extended', body: 'json', answer: 'object' },
  'namespaces.delete': { method: 'DELETE', path: '/namespace/:Name', right: 'operator:write', gate: 'api.token', edition: 'extended', answer: 'boolean' },
  'namespaces.list': { method: 'GET', path: '/namespaces', right: 'operator:read', gate: 'api.token', edition: 'extended', blocking: 'namespaces', answer: 'array' },
  'decisions.authorize': { method: 'POST', path: '/internal/acl/authorize', right: 'none', gate: 'api.token', acl: true, refusedInLegacyMode: true, body: 'json', answer: 'array', query: ['explain', 'accessor'] },
  'decisions.whoCan': { method: 'POST', path: '/internal/acl/who-can', right: 'acl:read', gate: 'api.token', acl: true, refusedInLegacyMode: true, namespaced: true, body: 'json', answer: 'array', query: ['limit', 'cursor'] },
  'kv.read': { method: 'GET', path: '/kv/:Key', right: 'key', namespaced: true, blocking: 'kv', mayBeEmpty: true, answer: 'array', query: ['recurse', 'keys', 'separator', 'raw'] },
  'kv.write': { method: 'PUT', path: '/kv/:Key', right: 'key', namespaced: true, body: 'raw', bodyOptional: true, bodyBytesMax: 524288, answer: 'boolean', query: ['flags', 'cas', 'acquire', 'release'] },
  'kv.delete': { method: 'DELETE', path: '/kv/:Key', right: 'key', namespaced: true, mayBeEmpty: true, answer: 'boolean', query: ['recurse', 'cas'] },
  'operations.replication': { method: 'GET', path: '/acl/replication', right: 'none', acl: true, local: true, answer: 'object' },
  'operations.migration': { method: 'GET', path: '/internal/acl/migration', right: 'acl:read', gate: 'api.token', acl: true, answer: 'object' },
  'operations.leader': { method: 'GET', path: '/status/leader', right: 'none', local: true, answer: 'string' },
  'operations.peers': { method: 'GET', path: '/status/peers', right: 'none', local: true, answer: 'array' },
  'operations.self': { method: 'GET', path: '/agent/self', right: 'agent:read', answer: 'object' },
  'operations.members': { method: 'GET', path: '/agent/members', right: 'agent:read', answer: 'array' },
  'operations.metrics': { method: 'GET', path: '/agent/metrics', right: 'agent:read', answer: 'object', query: ['format'] },
  'operations.datacenters': { method: 'GET', path: '/catalog/datacenters', right: 'none', local: true, answer: 'array' },
  'operations.versions': { method: 'GET', path: '/internal/versions', right: 'none', local: true, answer: 'array', query: ['from', 'to'] },
  'operations.openapi': { method: 'GET', path: '/openapi.json', right: 'none', local: true, answer: 'object' },
  'legacy.translate': { method: 'POST', path: '/acl/rules/translate', right: 'acl:read', gate: 'api.legacy', acl: true, body: 'text', bodyOptional: true, alsoGet: true, subject: 'token AccessorID', answer: 'string' },
  'legacy.translateToken': { method: 'GET', path: '/acl/rules/translate/:AccessorID', right: 'acl:read', gate: 'api.legacyTokenRules', acl: true, refusedInLegacyMode: true, subject: 'token AccessorID', answer: 'string' },
  'legacy.create': { method: 'PUT', path: '/acl/create', right: 'acl:write', gate: 'api.legacy', acl: true, body: 'json', bodyOptional: true, subject: 'ACL', answer: 'object' },
  'legacy.update': { method: 'PUT', path: '/acl/update', right: 'acl:write', gate: 'api.legacy', acl: true, body: 'json', bodyOptional: true, subject: 'ACL', answer: 'object' },
  'legacy.destroy': { method: 'PUT', path: '/acl/destroy/:ID', right: 'acl:write', gate: 'api.legacy', acl: true, subject: 'ACL', answer: 'boolean' },
  'legacy.info': { method: 'GET', path: '/acl/info/:ID', right: 'none', gate: 'api.legacy', acl: true, blocking: 'tokens', subject: 'ACL', answer: 'array' },
  'legacy.clone': { method: 'PUT', path: '/acl/clone/:ID', right: 'acl:write', gate: 'api.legacy', acl: true, subject: 'ACL', answer: 'object' },
  'legacy.list': { method: 'GET', path: '/acl/list', right: 'acl:write', gate: 'api.legacy', acl: true, blocking: 'tokens', subject: 'ACL', answer: 'array' },
  'legacy.import': { method: 'PUT', path: '/internal/acl/legacy-tokens', right: 'acl:write', gate: 'api.legacy', acl: true, body: 'raw', bodyBytesMax: 268435456, subject: 'ACL', answer: 'object', query: ['check', 'position'] },
  'legacy.export': { method: 'GET', path: '/internal/acl/legacy-tokens', right: 'acl:write', gate: 'api.legacy', acl: true, subject: 'ACL', answer: 'array' },
} as const satisfies Record<string, Endpoint>

/** The name of an endpoint, as `tokens.create`. */
export type EndpointName = keyof typeof ENDPOINTS
