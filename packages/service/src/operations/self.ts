import { aclModeOf } from '../caller/acl-mode.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { showMember } from './show-member.ts'

/** Config is reduced from 1.0, and the full structure stands under DebugConfig. Spec 9.3. */
export function agentSelfHandler(call: Call<'operations.self'>): Answer<'operations.self'> {
  const { api, directory } = call
  const self = api.cluster.self()
  const debugConfig = api.cluster.debugConfig()
  const reduced = {
    Datacenter: api.datacenter,
    NodeName: api.nodeName,
    NodeID: self.id,
    Revision: '',
    Server: true,
    Version: api.profile.version.text,
  }
  const isReduced = api.profile.has('agent.reducedSelf')
  // Before 1.4.0 there is one ACL system, and nothing to say of its mode. Reference, upgrade 1.1.
  const knowsModes = api.profile.has('upgrade.legacyMode')
  const aclMode = api.aclEnabled ? aclModeOf(directory) : 'disabled'
  return json({
    Config: isReduced ? reduced : { ...debugConfig, ...reduced },
    ...(isReduced ? { DebugConfig: debugConfig } : {}),
    Stats: { latchkey: { ...(knowsModes ? { acl: aclMode } : {}), server: 'true' } },
    Member: showMember(self),
    Meta: {},
  })
}
