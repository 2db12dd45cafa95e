// biome-ignore-all format: generated

/**
 * What each endpoint answers. Generated from the schemas of the contract by
 * `pnpm --filter @latchkey/sdk generate`.
 */
import type { EndpointName } from './contract.ts'
import type {
  AgentMetrics,
  AgentSelf,
  AuthorizeAnswer,
  BootstrapToken,
  ExpandedToken,
  ImportResult,
  KVEntry,
  LegacyToken,
  LegacyTokenID,
  LintFinding,
  Member,
  MigrationStatus,
  Namespace,
  Policy,
  PolicyListEntry,
  ReplicationStatus,
  Role,
  Token,
  TokenListEntry,
  TokenReference,
  VersionChange,
  WhatIfChange,
} from './generated-types.ts'

/** The type of each answer. */
export interface AnswerTypes {
  'tokens.create': Token
  'tokens.self': Token
  'tokens.clone': Token
  'tokens.read': Token | ExpandedToken
  'tokens.update': Token
  'tokens.delete': boolean
  'tokens.list': TokenListEntry[]
  'policies.create': Policy
  'policies.lint': LintFinding[]
  'policies.readByName': Policy
  'policies.whatIf': WhatIfChange[]
  'policies.read': Policy
  'policies.update': Policy
  'policies.delete': boolean
  'policies.list': PolicyListEntry[]
  'roles.create': Role
  'roles.readByName': Role
  'roles.read': Role
  'roles.update': Role
  'roles.delete': boolean
  'roles.list': Role[]
  'namespaces.create': Namespace
  'namespaces.read': Namespace
  'namespaces.update': Namespace
  'namespaces.delete': boolean
  'namespaces.list': Namespace[]
  bootstrap: BootstrapToken
  'acl.replication': ReplicationStatus
  authorize: AuthorizeAnswer[]
  'acl.whoCan': TokenReference[]
  'acl.migration': MigrationStatus
  'rules.translate': string
  'rules.translateToken': string
  'legacy.create': LegacyTokenID
  'legacy.update': LegacyTokenID
  'legacy.destroy': boolean
  'legacy.info': LegacyToken[]
  'legacy.clone': LegacyTokenID
  'legacy.list': LegacyToken[]
  'legacy.import': ImportResult
  'legacy.export': LegacyToken[]
  'kv.read': KVEntry[] | string[]
  'kv.write': boolean
  'kv.delete': boolean
  'status.leader': string
  'status.peers': string[]
  'agent.self': AgentSelf
  'agent.members': Member[]
  'agent.metrics': AgentMetrics
  'catalog.datacenters': string[]
  versions: VersionChange[]
  openapi: Record<string, unknown>
}

/** The kind of JSON of each answer. */
export const ANSWERS: Readonly<Record<EndpointName, 'object' | 'array' | 'string' | 'boolean'>> = {
  'tokens.create': 'object',
  'tokens.self': 'object',
  'tokens.clone': 'object',
  'tokens.read': 'object',
  'tokens.update': 'object',
  'tokens.delete': 'boolean',
  'tokens.list': 'array',
  'policies.create': 'object',
  'policies.lint': 'array',
  'policies.readByName': 'object',
  'policies.whatIf': 'array',
  'policies.read': 'object',
  'policies.update': 'object',
  'policies.delete': 'boolean',
  'policies.list': 'array',
  'roles.create': 'object',
  'roles.readByName': 'object',
  'roles.read': 'object',
  'roles.update': 'object',
  'roles.delete': 'boolean',
  'roles.list': 'array',
  'namespaces.create': 'object',
  'namespaces.read': 'object',
  'namespaces.update': 'object',
  'namespaces.delete': 'boolean',
  'namespaces.list': 'array',
  bootstrap: 'object',
  'acl.replication': 'object',
  authorize: 'array',
  'acl.whoCan': 'array',
  'acl.migration': 'object',
  'rules.translate': 'string',
  'rules.translateToken': 'string',
  'legacy.create': 'object',
  'legacy.update': 'object',
  'legacy.destroy': 'boolean',
  'legacy.info': 'array',
  'legacy.clone': 'object',
  'legacy.list': 'array',
  'legacy.import': 'object',
  'legacy.export': 'array',
  'kv.read': 'array',
  'kv.write': 'boolean',
  'kv.delete': 'boolean',
  'status.leader': 'string',
  'status.peers': 'array',
  'agent.self': 'object',
  'agent.members': 'array',
  'agent.metrics': 'object',
  'catalog.datacenters': 'array',
  versions: 'array',
  openapi: 'object',
}
