/** The steps of a plan with times from the schedule and the simulation. Times are seconds. */
import { recordsOf } from '../check/facts.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { toSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import type { PlanStep } from './steps.ts'

export interface TimedStep extends PlanStep {
  /** `before` the first replacement, `at` a time of the schedule, predicted to end `by` a time, or `after` the upgrade. */
  readonly when: 'before' | 'at' | 'by' | 'after'
  /** Null if the simulation predicts that it never happens. */
  readonly at: number | null
  readonly parts: readonly { readonly name: string; readonly at: number | null }[]
}

export function timeSteps(steps: readonly PlanStep[], scenario: Scenario, history: History): TimedStep[] {
  const firstUpgrade = steps.findIndex(({ kind }) => kind === 'upgrade')
  const starts = steps.flatMap((step) => partsOf(step, scenario).map(({ at }) => at))
  const firstStart = starts.length === 0 ? 0 : Math.min(...starts)
  const ends = steps.map((step) => endOf(step, history))
  const last = ends.includes(null) ? null : Math.max(toSeconds(history.endedAt), ...starts)
  const timed = steps.map((step, i): TimedStep => {
    const parts = partsOf(step, scenario)
    if (parts.length > 0) {
      return { ...step, text: scheduledText(step, parts, scenario), when: 'at', at: parts[0]?.at ?? 0, parts }
    }
    const end = ends[i]
    if (end !== undefined) return { ...step, when: 'by', at: end, parts }
    return i < firstUpgrade
      ? { ...step, when: 'before', at: firstStart, parts }
      : { ...step, when: 'after', at: last, parts }
  })
  return inOrder(timed)
}

/** Sorts by time. Steps that never end keep their position, and steps before and after the upgrade stay there. */
function inOrder(steps: readonly TimedStep[]): TimedStep[] {
  let key = 0
  const keyed = steps.map((step) => {
    if (step.when === 'before') key = Number.NEGATIVE_INFINITY
    else if (step.when === 'after') key = Number.POSITIVE_INFINITY
    else key = step.at ?? key
    return { step, key }
  })
  return keyed.sort((a, b) => (a.key === b.key ? 0 : a.key - b.key)).map(({ step }) => step)
}

/** The end of a wait; undefined for other steps. */
function endOf({ awaits, datacenter }: PlanStep, history: History): number | null | undefined {
  switch (awaits) {
    case undefined:
      return undefined
    case 'new-mode': {
      const members = history.members.filter((each) => each.datacenter === datacenter && !each.isAgent)
      const times = members
        .filter(({ version }) => version !== undefined)
        .map(({ mode, newModeAt }) => (mode === 'new' ? newModeAt : undefined))
      return times.includes(undefined) ? null : toSeconds(Math.max(0, ...times.map((at) => at ?? 0)))
    }
    case 'accessors': {
      const store = history.stores.find((each) => each.datacenter === datacenter)
      if (store === undefined || store.unmigrated.length > 0) return null
      return toSeconds(recordsOf(history, 'batch').at(-1)?.at ?? 0)
    }
    case 'intentions': {
      const done = recordsOf(history, 'intentions').find(({ state }) => state === 'done')
      return done === undefined ? null : toSeconds(done.at)
    }
  }
}

function partsOf(
  { kind, servers = [], datacenter }: PlanStep,
  scenario: Scenario,
): { name: string; at: number }[] {
  const spec = scenario.datacenters.find(({ name }) => name === datacenter)
  if (kind !== 'upgrade' || spec === undefined) return []
  return servers
    .flatMap((id) => {
      const member = [...spec.servers, ...spec.agents].find((each) => each.id === id)
      if (member === undefined) return []
      const restart = scenario.events.find(
        (each) => each.kind === 'restart' && each.server === id && each.version !== undefined,
      )
      return [{ name: id, at: toSeconds(restart?.atMs ?? member.startMs) }]
    })
    .sort((a, b) => a.at - b.at)
}

/** The text of a plan names the best order; this text keeps the order of the schedule, and mentions a difference. */
function scheduledText(
  { text, datacenter = '' }: PlanStep,
  parts: readonly { readonly name: string }[],
  scenario: Scenario,
): string {
  const servers = scenario.datacenters.find(({ name }) => name === datacenter)?.servers ?? []
  const leader = servers.find((each) => each.isFirstLeader)?.id
  const [head = text] = text.split(' one by one')
  if (leader === undefined || !parts.some(({ name }) => name === leader)) return text
  const advice =
    parts.at(-1)?.name === leader ? '' : ` ${leader} is the leader: replacing it last would save an election.`
  return `${head} one by one, at these times. Wait until each is back and there is a leader.${advice}`
}
