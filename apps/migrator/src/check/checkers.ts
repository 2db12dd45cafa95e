/** Checks the rules of the upgrade. Checkers read only the recorded history. */
import { isBefore } from '@latchkey/contract'
import type { History } from '../simulate/history.ts'
import { size } from '../simulate/tokens/ranges.ts'
import { NEW_ACLS } from '../version.ts'
import { recordsOf, spansOf, type Violation } from './facts.ts'
import { checkFollowersWait, checkNeverBack, checkNotEarly, checkPrimaryFirst } from './mode-checks.ts'
import { checkLaw, checkNoLostEdit, checkOneAccessor } from './token-checks.ts'

const SAFETY = [
  checkNotEarly,
  checkFollowersWait,
  checkPrimaryFirst,
  checkNeverBack,
  checkLaw,
  checkOneAccessor,
  checkNoLostEdit,
]

/** The violations of a history. If nothing blocks the cluster at the end, the upgrade must also be complete. */
export function checkHistory(history: History): Violation[] {
  const rules = isHealthy(history) ? [...SAFETY, checkModeEnds, checkTokensEnd] : SAFETY
  return rules.flatMap((check) => check(history))
}

/**
 * Maximum time for each hop after the last disturbance: the leader of the primary, its followers, the leader of a
 * secondary, its followers, and its client agents, each at its next check.
 */
const HOP_MS = 30_000
const HOPS_MAX = { server: 4, agent: 5 } as const

function checkModeEnds(history: History): Violation[] {
  const quietFrom = lastDisturbance(history)
  const agentStarts = new Map(
    recordsOf(history, 'agent-mode').flatMap(({ agent, mode, at }) =>
      mode === 'legacy' ? [[agent, at]] : [],
    ),
  )
  return history.members.flatMap(({ id, mode, newModeAt, isAgent }) => {
    if (mode !== 'new') {
      return [{ rule: 'liveness', at: history.endedAt, detail: `${id} never leaves ${mode} mode` }]
    }
    const since = Math.max(quietFrom, agentStarts.get(id) ?? 0)
    const hops = isAgent ? HOPS_MAX.agent : HOPS_MAX.server
    const late = (newModeAt ?? 0) - since - hops * (HOP_MS + history.messageMs)
    if (late <= 0) return []
    return [{ rule: 'liveness', at: newModeAt ?? 0, detail: `${id} left legacy mode ${late} ms late` }]
  })
}

function checkTokensEnd(history: History): Violation[] {
  return history.stores.flatMap(({ datacenter, unmigrated }) => {
    const detail = `${size(unmigrated)} tokens of ${datacenter} never get an accessor`
    return unmigrated.length === 0 ? [] : [{ rule: 'liveness', at: history.endedAt, detail }]
  })
}

/** Whether every server is up, able and connected, no dead member remains, and enough time has passed. */
function isHealthy(history: History): boolean {
  const dead = [...spansOf(history).values()].some((spans) => spans.at(-1)?.state === 'down')
  const able = history.members.every(
    ({ version, isPaused, mode }) =>
      version !== undefined && !isBefore(version, NEW_ACLS) && !isPaused && mode !== 'off',
  )
  const links = new Map(
    recordsOf(history, 'link').map(({ between, state }) => [[...between].sort().join(), state]),
  )
  const hazards = new Set(['stale-gossip', 'batch-failed', 'replication-failed'])
  const stuck = history.records.some((each) => hazards.has(each.kind))
  return history.isSettled && able && !dead && !stuck && [...links.values()].every((state) => state === 'up')
}

function lastDisturbance(history: History): number {
  const kinds = new Set(['process', 'member', 'leader', 'link', 'reaped'])
  return history.records.findLast((each) => kinds.has(each.kind))?.at ?? 0
}
