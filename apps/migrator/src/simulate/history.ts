/** What a simulation records: the checkers read only this, and not the code that produced it. */
import type { ServiceVersion } from '@latchkey/contract'
import type { TokenApi } from '../scenario/scenario.ts'
import type { Ranges } from './tokens/ranges.ts'

/** `old`: before 1.4.0, with only the legacy system. `off`: ACLs disabled. */
export type Mode = 'old' | 'off' | 'legacy' | 'new'
export const MODE_TEXTS: Readonly<Record<Mode, string>> = {
  old: 'before 1.4.0',
  off: 'ACLs off',
  legacy: 'legacy mode',
  new: 'new mode',
}
export type MemberStatus = 'alive' | 'failed' | 'left'

export interface Blocker {
  readonly server: string
  readonly why: string
}

interface InServer {
  server: string
  datacenter: string
}

interface Records {
  process: InServer & {
    state: 'up' | 'down' | 'refused' | 'paused' | 'resumed'
    version: ServiceVersion
    acls: boolean
    mode: Mode
    detail: string
  }
  member: InServer & { status: MemberStatus }
  reaped: InServer
  mode: InServer & { mode: Mode }
  'agent-mode': { agent: string; datacenter: string; mode: Mode }
  leader: { datacenter: string; server: string | undefined; term: number }
  link: { between: readonly [string, string]; state: 'down' | 'up' }
  batch: InServer & {
    term: number
    tokens: Ranges
    /** Number of the first accessor; the tokens get consecutive accessors. */
    accessorFrom: number
    /** Number of tokens that changed after they were read, and wait for a later batch. */
    skipped: number
    remaining: number
  }
  'batch-failed': InServer & { tokens: number }
  tokens: {
    action: 'created' | 'edited' | 'deleted' | 'converted'
    api: TokenApi
    tokens: Ranges
    /** Number of the write. The final content of a token must be its last write. */
    write: number
    unmigrated: number
    /** Number of tokens after the write whose rights end with the legacy system. */
    legacyRights: number
    /** How many of these became management tokens after their migration, so that no migration links them. */
    unlinked: number
    /** For edits through the token API: number of tokens that lost their rules. */
    rulesDropped?: number
    refused?: string
  }
  /** Tokens that were created through the token API. They have an accessor and need no migration. */
  'new-tokens': { datacenter: string; count: number; isLocal: boolean; refused?: string }
  restored: {
    datacenter: string
    snapshotAt: number
    /** Number of records in the history at the snapshot. Later token writes and batches are undone. */
    recordsThen: number
    writesLost: number
    accessorsLost: number
    unmigrated: number
    legacyRights: number
    unlinked: number
  }
  replicated: {
    datacenter: string
    type: 'legacy' | 'tokens'
    migrated: number
    remaining: number
    ghosts: number
  }
  'replication-failed': { datacenter: string; detail: string }
  intentions: {
    datacenter: string
    state: 'waiting' | 'migrating' | 'done' | 'never'
    detail: string
    waitsFor?: readonly Blocker[]
  }
  'intention-edited': { destination: string; migrated: boolean }
  snapshot: { server: string }
  'stale-gossip': { server: string }
}

export type HistoryRecord = {
  [K in keyof Records]: { readonly at: number; readonly kind: K } & Readonly<Records[K]>
}[keyof Records]

export type RecordOf<K extends HistoryRecord['kind']> = Extract<HistoryRecord, { readonly kind: K }>

/** Tokens `from` to `to` have the accessors `accessor`, `accessor + 1` and so on. */
export interface AccessorSpan {
  readonly from: number
  readonly to: number
  readonly accessor: number
}
