/** This process's view of the cluster, for the API. */

import { cpus, freemem, hostname, platform, release, totalmem, type, uptime } from 'node:os'
import { MEMBER_HEARTBEAT_MS } from '@latchkey/acl'
import type { AgentHost } from '@latchkey/contract'
import {
  aclModeOf,
  type ClusterInfo,
  type ClusterMember,
  isSecondary,
  noPrimary,
  type ReplicationState,
} from '@latchkey/service'
import type { Logger } from 'pino'
import { takeBootstrapReset } from './bootstrap-reset.ts'
import { type Config, describeConfig } from './config/config.ts'
import { Remembered } from './remembered.ts'
import type { Replication } from './replication/replication.ts'
import { type ReplicationReport, replicationStateOf } from './replication/replication-state.ts'
import type { ServerStore } from './server-store.ts'
import type { StoreMember } from './storage/members/membership.ts'
import { showAgentMetrics } from './telemetry/agent-metrics.ts'
import { mergeMetrics } from './telemetry/metrics.ts'
import type { ServerMetrics } from './workers/main-link.ts'

export interface ServerClusterInfo extends ClusterInfo {
  /** Set by the job that watches legacy mode. */
  setLegacyModeWaitsFor(reasons: readonly string[]): void
  /** Set by the same job: the datacenter that our primary itself replicates from, if any. */
  setPrimaryFollows(datacenter: string | undefined): void
  replication(): Promise<ReplicationState | undefined>
  /** The report of the process that replicates; `undefined` if none does. */
  replicationReport(): Promise<ReplicationReport | undefined>
  /** Set by the migration: the last error, until a batch succeeds. */
  setMigrationError(message: string | undefined): void
}

export function createClusterInfo(options: {
  readonly store: ServerStore
  readonly config: Config
  readonly dataDir: string
  readonly readMetrics: () => Promise<ServerMetrics>
  /** Absent in the primary datacenter. */
  readonly replication: Replication | undefined
  readonly log: Logger
  /** Stops this server. */
  readonly leave: () => void
}): ServerClusterInfo {
  const { store, config, dataDir, readMetrics, replication, leave } = options
  let waitsFor: readonly string[] = []
  let primaryFollows: string | undefined
  let migrationError: string | undefined
  // Cached because any client may request it. Members report nothing new between heartbeats.
  const members = new Remembered(() => store.membership.members(), MEMBER_HEARTBEAT_MS)
  const leader = new Remembered(() => store.membership.leader(), MEMBER_HEARTBEAT_MS)
  /** Unknown while the database is unreachable. */
  const report = async () => {
    const own = replication?.report()
    if (own) return own
    const found = await leader.get().catch(() => undefined)
    return (found?.replication ?? undefined) as ReplicationReport | undefined
  }
  return {
    self: () => show(store.membership.self()),
    members: async () => (await members.get()).map(show),
    leader: async () => (await leader.get())?.address ?? '',
    legacyModeWaitsFor: () => waitsFor,
    setLegacyModeWaitsFor: (reasons) => {
      waitsFor = reasons
    },
    setPrimaryFollows: (datacenter) => {
      if (datacenter !== undefined && datacenter !== primaryFollows) {
        options.log.warn(noPrimary(config.primaryDatacenter, datacenter))
      }
      primaryFollows = datacenter
    },
    migrationError: () => migrationError,
    setMigrationError: (message) => {
      migrationError = message
    },
    metrics: async () => {
      const { metrics, startedAt } = await readMetrics()
      return {
        samples: showAgentMetrics(metrics, { now: Date.now(), startedAt }),
        prometheus: await mergeMetrics([metrics]).metrics(),
      }
    },
    host: readHost,
    leave,
    forceLeave: (node) => store.membership.forceLeave(node),
    takeBootstrapReset: (expected) => takeBootstrapReset(dataDir, expected),
    debugConfig: () => describeConfig(config),
    replicationReport: report,
    replication: async () => {
      if (!isSecondary({ ...config, store })) return undefined
      const directory = store.directory()
      return replicationStateOf({
        source: config.primaryDatacenter,
        isLegacyMode: aclModeOf(directory) === 'legacy',
        problem: primaryFollows && noPrimary(config.primaryDatacenter, primaryFollows),
        record: directory.system('replication')?.Value,
        report: await report(),
        now: store.clock.now(),
      })
    },
  }
}

function show(member: StoreMember): ClusterMember {
  const { id, node, address, datacenter, version, mode, status, startedAt, heartbeatAt, seenIndex } = member
  // Only the end of legacy mode distinguishes a server that stopped from one that left.
  return {
    ...{ id, node, address, datacenter, version, mode, startedAt, heartbeatAt },
    status: status === 'stopped' ? 'left' : status,
    seenIndex: seenIndex === undefined ? undefined : Number(seenIndex),
  }
}

const NS_PER_MS = 1_000_000

function readHost(): AgentHost {
  const [total, available] = [totalmem(), freemem()]
  return {
    Memory: { total, available, used: total - available },
    CPU: cpus().map(({ model, speed }, cpu) => ({ cpu, modelName: model, mhz: speed })),
    Host: {
      hostname: hostname(),
      os: type(),
      platform: platform(),
      kernelVersion: release(),
      uptime: uptime(),
    },
    Disk: null,
    CollectionTime: Date.now() * NS_PER_MS,
    Errors: null,
  }
}
