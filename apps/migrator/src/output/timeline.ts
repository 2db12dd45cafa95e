/** The history as a list of events, for people and programs. */
import { agrees, counted } from '../findings/finding.ts'
import { formatSeconds, toSeconds } from '../scenario/time.ts'
import type { History, HistoryRecord } from '../simulate/history.ts'
import { size } from '../simulate/tokens/ranges.ts'

export interface TimelineEntry {
  /** Seconds from the start of the scenario. */
  readonly at: number
  /** What happened: `start`, `stop`, `new-mode`, `leader`, `batch`, `partition` … */
  readonly kind: string
  readonly server?: string
  readonly datacenter?: string
  readonly detail: string
}

/** Every event in order; of the replication rounds, only the last one of each datacenter. */
export function timelineOf(history: History): TimelineEntry[] {
  const lastRounds = new Map<string, HistoryRecord>()
  for (const each of history.records) if (each.kind === 'replicated') lastRounds.set(each.datacenter, each)
  return history.records.flatMap((each) => {
    if (each.kind === 'replicated' && lastRounds.get(each.datacenter) !== each) return []
    return [{ at: toSeconds(each.at), ...describe(each) }]
  })
}

function describe(each: HistoryRecord): Omit<TimelineEntry, 'at'> {
  switch (each.kind) {
    case 'process':
      return { kind: PROCESS_KINDS[each.state], ...placeOf(each), detail: describeProcess(each) }
    case 'member':
      return {
        kind: `seen-${each.status}`,
        ...placeOf(each),
        detail: `the other servers see it as ${each.status}`,
      }
    case 'reaped':
      return { kind: 'forgotten', ...placeOf(each), detail: 'dropped from the member list' }
    case 'mode':
      return { kind: `${each.mode}-mode`, ...placeOf(each), detail: MODE_DETAILS[each.mode] }
    case 'agent-mode':
      return {
        kind: `agent-${each.mode}-mode`,
        server: each.agent,
        datacenter: each.datacenter,
        detail: MODE_DETAILS[each.mode],
      }
    case 'leader':
      return {
        kind: each.server === undefined ? 'leader-lost' : 'leader',
        ...(each.server === undefined ? {} : { server: each.server }),
        datacenter: each.datacenter,
        detail: each.server === undefined ? 'no leader' : `leads ${each.datacenter}`,
      }
    case 'link':
      return {
        kind: each.state === 'down' ? 'partition' : 'heal',
        detail: each.between.join(each.state === 'down' ? ' cannot reach ' : ' reaches '),
      }
    case 'batch':
      return { kind: 'batch', ...placeOf(each), detail: describeBatch(each) }
    case 'batch-failed':
      return {
        kind: 'batch-failed',
        ...placeOf(each),
        detail: `a token cannot be written: a batch of ${counted(each.tokens, 'token')} is rolled back, and retried every second`,
      }
    case 'tokens':
      return { kind: `tokens-${each.action}`, detail: describeWrite(each) }
    case 'new-tokens':
      return {
        kind: 'new-tokens',
        datacenter: each.datacenter,
        detail: `${counted(each.count, each.isLocal ? 'local token' : 'token')} ${each.refused === undefined ? 'created through the token API' : `not created through the token API: ${each.refused}`}`,
      }
    case 'restored':
      return {
        kind: 'restore',
        datacenter: each.datacenter,
        detail: `restored to the snapshot of ${formatSeconds(each.snapshotAt)}: ${counted(each.writesLost, 'token write')} and ${counted(each.accessorsLost, 'accessor')} lost`,
      }
    case 'replicated':
      return {
        kind: 'replicated',
        datacenter: each.datacenter,
        detail: `last round: ${counted(each.migrated, 'token')} with an accessor${each.ghosts > 0 ? `, ${counted(each.ghosts, 'ghost')}` : ''}`,
      }
    case 'replication-failed':
      return { kind: 'replication-failed', datacenter: each.datacenter, detail: each.detail }
    case 'intentions':
      return { kind: `intentions-${each.state}`, datacenter: each.datacenter, detail: each.detail }
    case 'intention-edited':
      return { kind: 'intention-edited', detail: `${each.destination}, as a config entry` }
    case 'snapshot':
      return { kind: 'snapshot', server: each.server, detail: 'writes a snapshot' }
    case 'stale-gossip':
      return {
        kind: 'stale-gossip',
        server: each.server,
        detail: 'the other servers receive no further gossip from it',
      }
  }
}

const PROCESS_KINDS = {
  up: 'start',
  down: 'stop',
  refused: 'start-refused',
  paused: 'pause',
  resumed: 'resume',
} as const

const MODE_DETAILS = {
  old: 'runs a version before 1.4.0',
  off: 'has ACLs disabled',
  legacy: 'is in legacy mode',
  new: 'leaves legacy mode',
} as const

function placeOf({ server, datacenter }: { server: string; datacenter: string }): {
  server: string
  datacenter: string
} {
  return { server, datacenter }
}

function describeProcess({
  state,
  version,
  mode,
  detail,
  acls,
}: Extract<HistoryRecord, { kind: 'process' }>): string {
  const what = `${version.text}${acls ? '' : ', ACLs off'}`
  if (state === 'up') return `${what}, ${mode} mode${detail === 'start' ? '' : ` (${detail})`}`
  return detail === '' ? what : `${what} (${detail})`
}

function describeBatch({ tokens, skipped, remaining }: Extract<HistoryRecord, { kind: 'batch' }>): string {
  const conflicts = skipped === 0 ? '' : `, ${skipped} moved to a later batch`
  return `${counted(size(tokens), 'token')}${conflicts}, ${remaining.toLocaleString('en-US')} ${agrees(remaining, 'remains', 'remain')}`
}

function describeWrite({ action, tokens, refused }: Extract<HistoryRecord, { kind: 'tokens' }>): string {
  const count = counted(size(tokens), 'token')
  return refused === undefined ? `${count} ${action}` : `${count} not ${action}: ${refused}`
}
