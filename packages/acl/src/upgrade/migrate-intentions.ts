/**
 * The one-time migration of intentions to config entries, as pure rules for the servers and the simulator.
 * Spec 9.5; decisions: intentions. Intentions are always stored as the sources of their destinations, so the
 * migration moves nothing: it ends with one record, and a process that is killed earlier leaves nothing to
 * repair. It keeps the pace of the reference, which clients and rehearsals expect.
 */

import { AclError, type ServiceProfile } from '@latchkey/contract'
import type { IntentionMigrationRecord } from '../records/system-records.ts'
import { type Member, wayOut } from './member.ts'

/** How often the elected server checks the others while it waits. */
export const INTENTIONS_LOOK_MS = 5_000
/** Minimum time per destination: at most a hundred a second. */
const INTENTION_DESTINATION_MS = 10

/** The record for new data, which has nothing to migrate. */
export function initialIntentions(
  profile: ServiceProfile,
  now: number,
): IntentionMigrationRecord | undefined {
  return profile.has('intentions.configEntries') ? { state: 'done', since: now } : undefined
}

interface AbleMember extends Pick<Member, 'status'> {
  /** Whether it stores intentions as config entries, because it runs 1.9.0 or later. */
  readonly keepsIntentions: boolean
}

/** Whether the migration waits for a server: yes if it is alive or failed, no if it has left. */
export function blocksIntentions({ status, keepsIntentions }: AbleMember): boolean {
  return status !== 'left' && !keepsIntentions
}

/** The minimum time from the first to the last destination, in milliseconds. */
export function intentionsDurationMs(destinations: number): number {
  return Math.max(0, destinations - 1) * INTENTION_DESTINATION_MS
}

export interface IntentionsLook {
  readonly recorded: IntentionMigrationRecord | undefined
  readonly servers: readonly (AbleMember & Pick<Member, 'node' | 'version'>)[]
  /** In a secondary: the state of the primary; `undefined` while the primary does not answer. */
  readonly primary: { readonly state: string | undefined } | 'is-here'
  readonly destinations: number
  readonly now: number
}

export interface IntentionsStep {
  /** The record to store; `undefined` if it does not change. */
  readonly record: IntentionMigrationRecord | undefined
  /** Milliseconds until the next step; `undefined` if the migration is over. */
  readonly nextMs: number | undefined
}

/**
 * The next step of the migration. The elected server repeats it until the end. It restarts the migration of a
 * lost predecessor: a migration that began before `startedAt` is not its own. @param startedAt when this
 * server was elected, on the same clock.
 */
export function nextIntentionsStep(look: IntentionsLook, startedAt: number): IntentionsStep {
  const { recorded, destinations, now } = look
  if (recorded?.state === 'done') return { record: undefined, nextMs: undefined }
  const waitsFor = waitsForOf(look)
  if (waitsFor.length > 0) {
    const isKnown = recorded?.state === 'waiting' && `${recorded.waitsFor}` === `${waitsFor}`
    const since = recorded?.state === 'waiting' ? recorded.since : now
    return { record: isKnown ? undefined : { state: 'waiting', since, waitsFor }, nextMs: INTENTIONS_LOOK_MS }
  }
  const durationMs = look.primary === 'is-here' ? intentionsDurationMs(destinations) : 0
  if (durationMs === 0) return { record: { state: 'done', since: now }, nextMs: undefined }
  if (recorded?.state !== 'migrating' || recorded.since < startedAt) {
    return { record: { state: 'migrating', since: now }, nextMs: durationMs }
  }
  const leftMs = recorded.since + durationMs - now
  if (leftMs > 0) return { record: undefined, nextMs: leftMs }
  return { record: { state: 'done', since: now }, nextMs: undefined }
}

function waitsForOf({ servers, primary }: IntentionsLook): readonly string[] {
  const old = servers
    .filter(blocksIntentions)
    .map(
      (server) =>
        `server ${server.node} (version ${server.version}) to run 1.9.0 or later, or to leave${wayOut(server)}`,
    )
  if (old.length > 0 || primary === 'is-here' || primary.state === 'done') return old
  return primary.state === undefined
    ? ['the primary datacenter to be reachable']
    : ['the primary datacenter to migrate its intentions']
}

/**
 * Whether an intention may be written now. Spec 9.5.2.
 * @param by how the intention is written: before the migration, only the ID-based API works.
 */
export function requireWritable(recorded: IntentionMigrationRecord | undefined, by: 'id' | 'entry'): void {
  if (recorded?.state === 'done' || (recorded === undefined && by === 'id')) return
  const retryAfter = recorded?.state === 'migrating' ? 1 : INTENTIONS_LOOK_MS / 1_000
  const message = 'Intentions are read only while being upgraded to config entries'
  throw new AclError('intentions_migrating', message, { headers: { 'Retry-After': `${retryAfter}` } })
}

export function intentionsSecondsLeft(
  recorded: IntentionMigrationRecord | undefined,
  { destinations, now }: { readonly destinations: number; readonly now: number },
): number {
  if (recorded === undefined || recorded.state === 'done') return 0
  const durationMs = intentionsDurationMs(destinations)
  const passedMs = recorded.state === 'migrating' ? Math.max(0, now - recorded.since) : 0
  return Math.max(0, durationMs - passedMs) / 1_000
}
