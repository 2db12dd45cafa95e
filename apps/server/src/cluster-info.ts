/** What this process knows of its cluster, for the API. */

import { MEMBER_HEARTBEAT_MS, type Member } from '@latchkey/acl'
import type { ClusterInfo, ClusterMember } from '@latchkey/service'
import { takeBootstrapReset } from './bootstrap-reset.ts'
import { type Config, describeConfig } from './config/config.ts'
import { Remembered } from './remembered.ts'
import type { ServerStore } from './server-store.ts'
import { readAgentMetrics } from './telemetry/agent-metrics.ts'
import type { Metrics } from './telemetry/metrics.ts'

export interface ServerClusterInfo extends ClusterInfo {
  /** Set by the job that watches legacy mode. */
  setLegacyModeWaitsFor(reasons: readonly string[]): void
  /** Set by the migration: the last error, until a batch succeeds. */
  setMigrationError(message: string | undefined): void
}

export function createClusterInfo(options: {
  readonly store: ServerStore
  readonly config: Config
  readonly dataDir: string
  readonly metrics: Metrics
}): ServerClusterInfo {
  const { store, config, dataDir, metrics } = options
  let waitsFor: readonly string[] = []
  let migrationError: string | undefined
  const startedAt = Date.now()
  // Cached because any client may ask; members report nothing new within a heartbeat.
  const members = new Remembered(() => store.membership.members(), MEMBER_HEARTBEAT_MS)
  const leader = new Remembered(() => store.membership.leader(), MEMBER_HEARTBEAT_MS)
  return {
    self: () => show(store.membership.self()),
    members: async () => (await members.get()).map(show),
    leader: async () => (await leader.get())?.address ?? '',
    legacyModeWaitsFor: () => waitsFor,
    setLegacyModeWaitsFor: (reasons) => {
      waitsFor = reasons
    },
    migrationError: () => migrationError,
    setMigrationError: (message) => {
      migrationError = message
    },
    metrics: async () => ({
      samples: await readAgentMetrics(metrics.registry, { now: Date.now(), startedAt }),
      prometheus: await metrics.registry.metrics(),
    }),
    takeBootstrapReset: (expected) => takeBootstrapReset(dataDir, expected),
    debugConfig: () => describeConfig(config),
    replication: () => {
      if (config.datacenter === config.primaryDatacenter) return undefined
      const never = '0001-01-01T00:00:00Z'
      return {
        enabled: false,
        running: false,
        sourceDatacenter: config.primaryDatacenter,
        type: '',
        index: 0,
        lastSuccess: never,
        lastError: never,
        lastErrorMessage: '',
      }
    },
  }
}

function show(member: Member & { readonly address: string }): ClusterMember {
  const { id, node, address, datacenter, version, mode, status } = member
  // Only the end of legacy mode tells a server that stopped from one that left.
  return { id, node, address, datacenter, version, mode, status: status === 'stopped' ? 'left' : status }
}
