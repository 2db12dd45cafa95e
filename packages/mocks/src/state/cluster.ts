/** The mock service is a cluster of one. */

import type { AgentHost, AgentMetrics } from '@latchkey/contract'
import type { ClusterInfo, ClusterMember } from '@latchkey/service'
import type { Settings } from '../options.ts'

export const NODE_NAME = 'mock'

/** The mocks measure nothing. */
const NO_METRICS: AgentMetrics = {
  Timestamp: '0001-01-01 00:00:00 +0000 UTC',
  Gauges: [],
  Points: [],
  Counters: [],
  Samples: [],
}

/** The mocks run on no machine. */
const NO_HOST: AgentHost = { Memory: {}, CPU: [], Host: {}, Disk: null, CollectionTime: 0, Errors: null }

export function clusterOfOne(settings: Settings, replication: ClusterInfo['replication']): ClusterInfo {
  const { aclEnabled, aclMode, baseUrl, datacenter, version } = settings
  const member: ClusterMember = {
    id: '00000000-0000-4000-8000-00000000000d',
    node: NODE_NAME,
    address: `${baseUrl.hostname}:${baseUrl.port || (baseUrl.protocol === 'https:' ? '443' : '80')}`,
    datacenter,
    version: version.text,
    mode: aclEnabled ? aclMode : 'disabled',
    status: 'alive',
  }
  return {
    self: () => member,
    members: () => [member],
    leader: () => member.address,
    legacyModeWaitsFor: () => [`the option aclMode of the mock service to be "enabled"`],
    metrics: () => ({ samples: NO_METRICS, prometheus: '' }),
    takeBootstrapReset: async () => 'none',
    host: () => NO_HOST,
    leave: () => {},
    forceLeave: async (node) => (node === NODE_NAME ? 'alive' : 0),
    debugConfig: () => ({}),
    replication,
  }
}
