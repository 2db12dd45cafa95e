import { PRODUCT_VERSION } from '@latchkey/contract'
import { aclModeOf } from '../caller/acl-mode.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { showMember } from './show-member.ts'

/** From 1.0 on, Config is reduced, and DebugConfig has the full structure. Spec 9.3. */
export function agentSelfHandler(call: Call<'operations.self'>): Answer<'operations.self'> {
  const { service, directory } = call
  const self = service.cluster.self()
  const debugConfig = service.cluster.debugConfig()
  const reduced = {
    Datacenter: service.datacenter,
    NodeName: service.nodeName,
    // The ID in the catalog, where it survives restarts; a node that a client registered may have none.
    NodeID: service.store.catalog().node(service.nodeName)?.ID || self.id,
    Revision: '',
    Server: true,
    Version: service.profile.version.text,
  }
  const isReduced = service.profile.has('agent.reducedSelf')
  // Before 1.4.0 there is only one ACL system, so there is no mode to report.
  const knowsModes = service.profile.has('upgrade.legacyMode')
  const aclMode = service.aclEnabled ? aclModeOf(directory) : 'disabled'
  return json({
    Config: isReduced ? reduced : { ...debugConfig, ...reduced },
    ...(isReduced ? { DebugConfig: debugConfig } : {}),
    Stats: {
      latchkey: { ...(knowsModes ? { acl: aclMode } : {}), server: 'true', version: PRODUCT_VERSION },
    },
    Member: showMember(self),
    Meta: {},
  })
}
