/** The answer of `GET /v1/acl/replication` in a secondary datacenter. */
import type { ReplicationRecord } from '@latchkey/acl'
import { formatInstant, ZERO_TIME } from '@latchkey/contract'
import type { ReplicationProgress, ReplicationState } from '@latchkey/service'

/** The report that the replicating process publishes with its heartbeats. Times are by the shared clock. */
export interface ReplicationReport extends ReplicationProgress {
  readonly since: number
  /** Whether the primary answers that it is in legacy mode. */
  readonly isPrimaryLegacy: boolean
}

/** Without an answer for longer than this, replication is considered stopped. */
export const STILL_MS_MAX = 60_000

interface StateParts {
  readonly source: string
  readonly isLegacyMode: boolean
  readonly problem?: string | undefined
  readonly record: ReplicationRecord | undefined
  readonly report: ReplicationReport | undefined
  readonly now: number
}

export function replicationStateOf({
  source,
  isLegacyMode,
  problem = '',
  record,
  report,
  now,
}: StateParts): ReplicationState {
  const index = record?.index ?? 0
  const primaryIndex = Math.max(index, report?.primaryIndex ?? 0)
  return {
    enabled: true,
    running: report !== undefined && !isLegacyMode && isRunning(report, now),
    sourceDatacenter: source,
    type: isLegacyMode || report?.isPrimaryLegacy ? 'legacy' : record?.withoutTokens ? 'policies' : 'tokens',
    index,
    hasTokens: record?.withoutTokens !== true,
    lastSuccess: instantOf(report?.lastSuccess),
    lastError: instantOf(report?.lastError),
    lastErrorMessage: report?.lastErrorMessage ?? (isLegacyMode ? problem : ''),
    cluster: record?.cluster ?? '',
    primaryIndex,
    lagIndex: primaryIndex - index,
    lagSeconds: report === undefined ? undefined : lagMsOf(report, now) / 1_000,
    state: report?.state ?? 'waiting',
    skipped: (record?.skipped ?? []).map(({ accessorId, reason }) => ({
      AccessorID: accessorId,
      Reason: reason,
    })),
  }
}

/** Whether the primary has given an applicable answer within the last minute. */
export function isRunning({ state, lastSuccess }: ReplicationProgress, now: number): boolean {
  return state !== 'paused' && lastSuccess !== undefined && now - lastSuccess < STILL_MS_MAX
}

/** How old the replicated records may be. A lower bound if the process has never seen them up to date. */
export function lagMsOf({ lagMs, since }: ReplicationReport, now: number): number {
  return lagMs ?? Math.max(0, now - since)
}

/** In whole seconds, as in the reference. */
function instantOf(ms: number | undefined): string {
  return ms === undefined ? ZERO_TIME : formatInstant(Math.floor(ms / 1_000) * 1_000)
}

/** Logs when replication stops, when the reason for a pause changes, and when it continues. Call it at short intervals. */
export function watchStandstill(log: Record<'info' | 'warn', (facts: object, text: string) => void>) {
  /** The reason for a pause, or empty if there is no answer; `undefined` while replication runs. */
  let known: string | undefined
  return (report: ReplicationReport, now: number) => {
    const { state, since, pausedBy = '', lastErrorMessage } = report
    const isStill = !isRunning(report, now) && (state === 'paused' || now - since >= STILL_MS_MAX)
    const reason = isStill ? pausedBy : undefined
    if (reason === known) return
    known = reason
    const facts = { state, lagSeconds: Math.round(lagMsOf(report, now) / 1_000), lastErrorMessage }
    if (isStill) log.warn(facts, 'replication from the primary datacenter has stalled')
    else log.info(facts, 'replication from the primary datacenter continues')
  }
}
