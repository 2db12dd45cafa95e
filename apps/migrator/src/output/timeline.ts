/** The history as a list of events, for people and programs. */
import { agrees, counted } from '../findings/finding.ts'
import { formatSeconds, toSeconds } from '../scenario/time.ts'
import type { HistoryRecord } from '../simulate/history.ts'
import type { History } from '../simulate/run.ts'
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
    const server = 'agent' in each ? each.agent : 'server' in each ? each.server : undefined
    const [kind, detail] = describe(each)
    return {
      at: toSeconds(each.at),
      kind,
      ...(server === undefined ? {} : { server }),
      ...('datacenter' in each ? { datacenter: each.datacenter } : {}),
      detail,
    }
  })
}

function describe(each: HistoryRecord): readonly [kind: string, detail: string] {
  switch (each.kind) {
    case 'process':
      return [PROCESS_KINDS[each.state], describeProcess(each)]
    case 'member':
      return [`seen-${each.status}`, `the other servers see it as ${each.status}`]
    case 'reaped':
      return ['forgotten', 'dropped from the member list']
    case 'mode':
      return [`${each.mode}-mode`, MODE_DETAILS[each.mode]]
    case 'agent-mode':
      return [`agent-${each.mode}-mode`, MODE_DETAILS[each.mode]]
    case 'leader':
      return each.server === undefined ? ['leader-lost', 'no leader'] : ['leader', `leads ${each.datacenter}`]
    case 'link':
      return each.state === 'down'
        ? ['partition', each.between.join(' cannot reach ')]
        : ['heal', each.between.join(' reaches ')]
    case 'batch': {
      const { tokens, skipped, remaining } = each
      const conflicts = skipped === 0 ? '' : `, ${skipped} moved to a later batch`
      const rest = `${remaining.toLocaleString('en-US')} ${agrees(remaining, 'remains', 'remain')}`
      return ['batch', `${counted(size(tokens), 'token')}${conflicts}, ${rest}`]
    }
    case 'batch-failed': {
      const batch = `a batch of ${counted(each.tokens, 'token')}`
      return [each.kind, `a token cannot be written: ${batch} is rolled back, and retried every second`]
    }
    case 'tokens': {
      const count = counted(size(each.tokens), 'token')
      const refused = each.refused === undefined ? '' : `: ${each.refused}`
      return [`tokens-${each.action}`, `${count} ${refused && 'not '}${each.action}${refused}`]
    }
    case 'new-tokens': {
      const count = counted(each.count, each.isLocal ? 'local token' : 'token')
      const refused = each.refused === undefined ? '' : `: ${each.refused}`
      return [each.kind, `${count} ${refused && 'not '}created through the token API${refused}`]
    }
    case 'restored': {
      const lost = `${counted(each.writesLost, 'token write')} and ${counted(each.accessorsLost, 'accessor')} lost`
      return ['restore', `restored to the snapshot of ${formatSeconds(each.snapshotAt)}: ${lost}`]
    }
    case 'replicated': {
      const ghosts = each.ghosts > 0 ? `, ${counted(each.ghosts, 'ghost')}` : ''
      return [each.kind, `last round: ${counted(each.migrated, 'token')} with an accessor${ghosts}`]
    }
    case 'replication-failed':
      return [each.kind, each.detail]
    case 'intentions':
      return [`intentions-${each.state}`, each.detail]
    case 'intention-edited':
      return [each.kind, `${each.destination}, as a config entry`]
    case 'snapshot':
      return [each.kind, 'writes a snapshot']
    case 'stale-gossip':
      return [each.kind, 'the other servers receive no further gossip from it']
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
