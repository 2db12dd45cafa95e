/** Which function answers which endpoint. */
import type { EndpointName } from '@latchkey/contract'
import { authorizeHandler, whoCanHandler } from './authorize-handlers.ts'
import { bootstrapHandler } from './bootstrap-handler.ts'
import type { Handler } from './call.ts'
import { deleteKvHandler, readKvHandler, writeKvHandler } from './kv-handlers.ts'
import {
  cloneLegacyHandler,
  createLegacyHandler,
  destroyLegacyHandler,
  exportLegacyHandler,
  infoLegacyHandler,
  listLegacyHandler,
  updateLegacyHandler,
} from './legacy-handlers.ts'
import { importLegacyHandler } from './legacy-import-handler.ts'
import {
  createNamespaceHandler,
  deleteNamespaceHandler,
  listNamespacesHandler,
  readNamespaceHandler,
  updateNamespaceHandler,
} from './namespace-handlers.ts'
import {
  createPolicyHandler,
  deletePolicyHandler,
  listPoliciesHandler,
  readPolicyByNameHandler,
  readPolicyHandler,
  updatePolicyHandler,
} from './policy-handlers.ts'
import { lintHandler, whatIfHandler } from './policy-insight-handlers.ts'
import {
  createRoleHandler,
  deleteRoleHandler,
  listRolesHandler,
  readRoleByNameHandler,
  readRoleHandler,
  updateRoleHandler,
} from './role-handlers.ts'
import { translateRulesHandler, translateTokenHandler } from './rules-handlers.ts'
import {
  agentSelfHandler,
  datacentersHandler,
  leaderHandler,
  membersHandler,
  metricsHandler,
  migrationHandler,
  openapiHandler,
  peersHandler,
  replicationHandler,
  versionsHandler,
} from './status-handlers.ts'
import {
  cloneTokenHandler,
  createTokenHandler,
  deleteTokenHandler,
  readSelfHandler,
  readTokenHandler,
  updateTokenHandler,
} from './token-handlers.ts'
import { listTokensHandler } from './token-list-handler.ts'

export const HANDLERS: Readonly<Record<EndpointName, Handler>> = {
  'tokens.create': createTokenHandler,
  'tokens.self': readSelfHandler,
  'tokens.clone': cloneTokenHandler,
  'tokens.read': readTokenHandler,
  'tokens.update': updateTokenHandler,
  'tokens.delete': deleteTokenHandler,
  'tokens.list': listTokensHandler,
  'policies.create': createPolicyHandler,
  'policies.lint': lintHandler,
  'policies.readByName': readPolicyByNameHandler,
  'policies.whatIf': whatIfHandler,
  'policies.read': readPolicyHandler,
  'policies.update': updatePolicyHandler,
  'policies.delete': deletePolicyHandler,
  'policies.list': listPoliciesHandler,
  'roles.create': createRoleHandler,
  'roles.readByName': readRoleByNameHandler,
  'roles.read': readRoleHandler,
  'roles.update': updateRoleHandler,
  'roles.delete': deleteRoleHandler,
  'roles.list': listRolesHandler,
  'namespaces.create': createNamespaceHandler,
  'namespaces.read': readNamespaceHandler,
  'namespaces.update': updateNamespaceHandler,
  'namespaces.delete': deleteNamespaceHandler,
  'namespaces.list': listNamespacesHandler,
  bootstrap: bootstrapHandler,
  'acl.replication': replicationHandler,
  authorize: authorizeHandler,
  'acl.whoCan': whoCanHandler,
  'acl.migration': migrationHandler,
  'rules.translate': translateRulesHandler,
  'rules.translateToken': translateTokenHandler,
  'legacy.create': createLegacyHandler,
  'legacy.update': updateLegacyHandler,
  'legacy.destroy': destroyLegacyHandler,
  'legacy.info': infoLegacyHandler,
  'legacy.clone': cloneLegacyHandler,
  'legacy.list': listLegacyHandler,
  'legacy.import': importLegacyHandler,
  'legacy.export': exportLegacyHandler,
  'kv.read': readKvHandler,
  'kv.write': writeKvHandler,
  'kv.delete': deleteKvHandler,
  'status.leader': leaderHandler,
  'status.peers': peersHandler,
  'agent.self': agentSelfHandler,
  'agent.members': membersHandler,
  'agent.metrics': metricsHandler,
  'catalog.datacenters': datacentersHandler,
  versions: versionsHandler,
  openapi: openapiHandler,
}
