/** Which function answers which route. A handler that is missing, or too many, does not compile. */
import type { RouteName } from '@latchkey/contract'
import { authorizeHandler } from './decisions/authorize.ts'
import { whoCanHandler } from './decisions/who-can.ts'
import type { Handler } from './handler.ts'
import { deleteKvHandler } from './kv/delete.ts'
import { readKvHandler } from './kv/read.ts'
import { writeKvHandler } from './kv/write.ts'
import { cloneLegacyHandler } from './legacy/clone.ts'
import { createLegacyHandler } from './legacy/create.ts'
import { destroyLegacyHandler } from './legacy/destroy.ts'
import { exportLegacyHandler } from './legacy/export.ts'
import { importLegacyHandler } from './legacy/import.ts'
import { infoLegacyHandler } from './legacy/info.ts'
import { listLegacyHandler } from './legacy/list.ts'
import { translateRulesHandler } from './legacy/translate.ts'
import { translateTokenHandler } from './legacy/translate-token.ts'
import { updateLegacyHandler } from './legacy/update.ts'
import { createNamespaceHandler } from './namespaces/create.ts'
import { deleteNamespaceHandler } from './namespaces/delete.ts'
import { listNamespacesHandler } from './namespaces/list.ts'
import { readNamespaceHandler } from './namespaces/read.ts'
import { updateNamespaceHandler } from './namespaces/update.ts'
import { datacentersHandler } from './operations/datacenters.ts'
import { leaderHandler } from './operations/leader.ts'
import { membersHandler } from './operations/members.ts'
import { metricsHandler } from './operations/metrics.ts'
import { migrationHandler } from './operations/migration.ts'
import { openapiHandler } from './operations/openapi.ts'
import { peersHandler } from './operations/peers.ts'
import { replicationHandler } from './operations/replication.ts'
import { agentSelfHandler } from './operations/self.ts'
import { versionsHandler } from './operations/versions.ts'
import { createPolicyHandler } from './policies/create.ts'
import { deletePolicyHandler } from './policies/delete.ts'
import { lintHandler } from './policies/lint.ts'
import { listPoliciesHandler } from './policies/list.ts'
import { readPolicyHandler } from './policies/read.ts'
import { readPolicyByNameHandler } from './policies/read-by-name.ts'
import { updatePolicyHandler } from './policies/update.ts'
import { whatIfHandler } from './policies/what-if.ts'
import { createRoleHandler } from './roles/create.ts'
import { deleteRoleHandler } from './roles/delete.ts'
import { listRolesHandler } from './roles/list.ts'
import { readRoleHandler } from './roles/read.ts'
import { readRoleByNameHandler } from './roles/read-by-name.ts'
import { updateRoleHandler } from './roles/update.ts'
import { bootstrapHandler } from './tokens/bootstrap.ts'
import { cloneTokenHandler } from './tokens/clone.ts'
import { createTokenHandler } from './tokens/create.ts'
import { deleteTokenHandler } from './tokens/delete.ts'
import { listTokensHandler } from './tokens/list.ts'
import { readTokenHandler } from './tokens/read.ts'
import { readSelfHandler } from './tokens/self.ts'
import { updateTokenHandler } from './tokens/update.ts'

export const HANDLERS: { readonly [N in RouteName]: Handler<N> } = {
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
  'tokens.bootstrap': bootstrapHandler,
  'operations.replication': replicationHandler,
  'decisions.authorize': authorizeHandler,
  'decisions.whoCan': whoCanHandler,
  'operations.migration': migrationHandler,
  'legacy.translate': translateRulesHandler,
  'legacy.translateToken': translateTokenHandler,
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
  'operations.leader': leaderHandler,
  'operations.peers': peersHandler,
  'operations.self': agentSelfHandler,
  'operations.members': membersHandler,
  'operations.metrics': metricsHandler,
  'operations.datacenters': datacentersHandler,
  'operations.versions': versionsHandler,
  'operations.openapi': openapiHandler,
}
