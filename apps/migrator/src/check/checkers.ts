/** Checks the rules of the upgrade. Checkers read only the recorded history. */
import { isBefore } from '@latchkey/contract'
import type { AccessorSpan } from '../simulate/history.ts'
import type { History } from '../simulate/run.ts'
import { numbers, size } from '../simulate/tokens/ranges.ts'
import { NEW_ACLS } from '../version.ts'
import { lastingRecords, recordsOf, spansOf, type Violation } from './facts.ts'
import { checkFollowersWait, checkNeverBack, checkNotEarly, checkPrimaryFirst } from './mode-checks.ts'

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

/** Time for each hop at its next check: leader, followers, a secondary's leader and followers, its agents. */
const HOP_MS = 30_000
const HOPS_MAX = { server: 4, agent: 5 } as const

function checkModeEnds(history: History): Violation[] {
  const kinds = new Set(['process', 'member', 'leader', 'link', 'reaped'])
  const quietFrom = history.records.findLast((each) => kinds.has(each.kind))?.at ?? 0
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

const TOKENS_MAX = 128
const INTERVAL_MS_MIN = 1_000
export const LAW_AT_TAKEOVER = 'law at takeover'

/** Spec 8. A new leader of the reference does not know the last batch, so there a takeover may break it. */
function checkLaw(history: History): Violation[] {
  const batches = recordsOf(history, 'batch')
  const large = batches.flatMap(({ at, tokens }) =>
    size(tokens) > TOKENS_MAX ? [{ rule: 'law', at, detail: `a batch of ${size(tokens)} tokens` }] : [],
  )
  const hasty = pairs(batches).flatMap(([before, { at, term }]) => {
    const rule = term === before.term ? 'law' : LAW_AT_TAKEOVER
    const detail = `a batch ${at - before.at} ms after the one before`
    return at - before.at < INTERVAL_MS_MIN ? [{ rule, at, detail }] : []
  })
  return [...large, ...hasty]
}

/** Every token gets exactly one accessor, every accessor is unique, and no datacenter loses one. */
function checkOneAccessor(history: History): Violation[] {
  const rule = 'one accessor'
  const spans = lastingRecords(history).flatMap((each) => {
    if (each.kind !== 'batch') return []
    let accessor = each.accessorFrom
    return each.tokens.map(([from, to]) => {
      const span = { at: each.at, from, to, accessor }
      accessor += to - from
      return span
    })
  })
  const byToken = spans.toSorted((a, b) => a.from - b.from)
  const byAccessor = spans.toSorted((a, b) => a.accessor - b.accessor)
  const twice = pairs(byToken).flatMap(([a, { at, from }]) =>
    from < a.to ? [{ rule, at, detail: `token ${from} got a second accessor` }] : [],
  )
  const shared = pairs(byAccessor).flatMap(([a, { at, accessor }]) =>
    accessor < a.accessor + a.to - a.from
      ? [{ rule, at, detail: `accessor ${accessor} was given to two tokens` }]
      : [],
  )
  const stray = history.stores.flatMap(({ datacenter, accessors }) =>
    accessors.flatMap((span) => {
      const detail = `in ${datacenter} token ${span.from} has an accessor that no batch gave it`
      return isGiven(span, byToken) ? [] : [{ rule, at: history.endedAt, detail }]
    }),
  )
  return [...twice, ...shared, ...stray]
}

function checkNoLostEdit(history: History): Violation[] {
  const expected = new Map<number, { write: number; at: number }>()
  for (const each of lastingRecords(history)) {
    if (each.kind !== 'tokens' || each.refused !== undefined) continue
    const { at, action, tokens, write } = each
    if (action === 'edited') for (const token of numbers(tokens)) expected.set(token, { write, at })
    if (action === 'deleted') for (const token of numbers(tokens)) expected.delete(token)
  }
  const store = history.stores.find((each) => each.datacenter === history.primary)
  return [...expected].flatMap(([token, { write, at }]) =>
    store?.writes.get(token) === write
      ? []
      : [{ rule: 'no lost edit', at, detail: `the edit of token ${token} is gone at the end` }],
  )
}

/** Whether a single batch assigned the whole span; binary search over batches ordered by token. */
function isGiven(span: AccessorSpan, byToken: readonly AccessorSpan[]): boolean {
  let low = 0
  let high = byToken.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((byToken[middle]?.from ?? 0) <= span.from) low = middle + 1
    else high = middle
  }
  const given = byToken[low - 1]
  return (
    given !== undefined && span.to <= given.to && span.accessor - given.accessor === span.from - given.from
  )
}

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.slice(1).map((item, i) => [items[i] as T, item])
}
