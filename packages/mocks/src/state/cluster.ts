/** The mock service is a cluster of one. */

import type { AgentHost, AgentMetrics } from '@latchkey/contract'
import {
  type ClusterInfo,
  type ClusterMember,
  type Datacenters,
  datacenterSilent,
  datacenterUnreachable,
  type ForwardedReply,
} from '@latchkey/service'
import { NoAnswer } from '../faults.ts'
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

export function mockDatacenters({
  datacenter: own,
  datacenters,
}: Pick<Settings, 'datacenter' | 'datacenters'>): Datacenters {
  return {
    get names() {
      return Object.keys(datacenters).filter((name) => name !== own)
    },
    send: async (name, { method, url, headers, body, signal }) => {
      const other = datacenters[name]
      const init = {
        method,
        headers: { ...headers },
        body: body === undefined || method === 'GET' ? null : new Uint8Array(body),
        signal: signal ?? null,
      }
      if (!other) throw datacenterUnreachable(name)
      const answer = other.fetch(`${other.baseUrl}${url}`, init).catch((error: unknown) => {
        if (signal?.aborted) throw error
        const isUnsent = error instanceof NoAnswer && !error.isSent
        throw method === 'GET' || isUnsent
          ? datacenterUnreachable(name, error)
          : datacenterSilent(name, error)
      })
      return replyOf(await answer)
    },
  }
}

function replyOf(answer: Response): ForwardedReply {
  return {
    status: answer.status,
    header: (name) => answer.headers.get(name) ?? undefined,
    body: pieces(answer),
  }
}

async function* pieces(answer: Response): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await answer.arrayBuffer())
}
