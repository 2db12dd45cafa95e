/** System records: the state of the service itself, with a type of value per key. Values are stored as JSON. */
import type { ClusterRecord, ReplicationRecord, ReplicationTokenRecord } from './replication.ts'

export interface SystemValues {
  /** Present once bootstrap is done. A reset must name the index of the record. */
  readonly bootstrap: BootstrapRecord
  readonly 'acl-mode': AclModeRecord
  readonly migration: MigrationRecord
  readonly cluster: ClusterRecord
  /** Only in a secondary. */
  readonly replication: ReplicationRecord
  /** Stores encrypt it. */
  readonly 'replication-token': ReplicationTokenRecord
  readonly intentions: IntentionMigrationRecord
  readonly areas: readonly AreaRecord[]
  readonly autopilot: AutopilotRecord
}

export type SystemKey = keyof SystemValues

export type SystemRecord<K extends SystemKey = SystemKey> = {
  readonly [Key in K]: {
    readonly Key: Key
    readonly Value: SystemValues[Key]
    readonly CreateIndex: number
    readonly ModifyIndex: number
  }
}[K]

export interface BootstrapRecord {
  readonly accessorId: string
}

/** The value of the system record `acl-mode`, which does not change after the end of legacy mode. */
export type AclModeRecord =
  | {
      readonly mode: 'legacy'
      /** The data was created in a secondary of 1.4.0 or later and still lacks the global records of its primary. */
      readonly beganEmpty?: true
    }
  | {
      readonly mode: 'enabled'
      /** When legacy mode ended: milliseconds since the epoch. */
      readonly since: number
    }

/** The value of the system record `migration`: the accessor migration. Instants in milliseconds since the epoch. */
export interface MigrationRecord {
  readonly batches: number
  readonly done: number
  readonly lastBatchAt: number | undefined
  /** The latest batches without a long pause between them, from which the rate is computed. */
  readonly run: { readonly startedAt: number; readonly tokens: number } | undefined
}

/** A network area, in the system record `areas`: a datacenter has few, and they change together rarely. Spec 9.4. */
export interface AreaRecord {
  readonly ID: string
  readonly PeerDatacenter: string
  readonly RetryJoin: readonly string[]
  readonly UseTLS: boolean
}

/** The value of the system record `intentions`. Absent: no server of 1.9.0 or later has led. */
export interface IntentionMigrationRecord {
  readonly state: 'waiting' | 'migrating' | 'done'
  /** When the state began: milliseconds since the epoch. */
  readonly since: number
  /** What `waiting` waits for, each phrased to follow "waits for". */
  readonly waitsFor?: readonly string[]
}

/** The system record `autopilot`. Only `CleanupDeadServers` has an effect. Decisions: agent. */
export interface AutopilotRecord {
  readonly CleanupDeadServers: boolean
  readonly LastContactThreshold: string
  readonly MaxTrailingLogs: number
  readonly MinQuorum: number
  readonly ServerStabilizationTime: string
  readonly RedundancyZoneTag: string
  readonly DisableUpgradeMigration: boolean
  readonly UpgradeVersionTag: string
}
