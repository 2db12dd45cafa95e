/**
 * Estimates the end of an upgrade as a range. The schedule is simulated many times with variations that no plan can
 * fix: servers start later, gossip and elections take longer, and the leader of the primary may change.
 */
import { ACCESSOR_BATCH_INTERVAL_MS_MIN, batchCountOf, SeededRandom } from '@latchkey/acl'
import { recordsOf } from '../check/facts.ts'
import { InputError } from '../errors.ts'
import {
  type Scenario,
  type ScenarioEvent,
  type ServerSpec,
  type TokenGroup,
  tokenCount,
} from '../scenario/scenario.ts'
import { toSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import type { UpgradeModel } from '../simulate/models/model.ts'
import { simulate } from '../simulate/run.ts'

const RUNS = 40
/** Maximum delay of a start: one interval between two looks. */
const START_LATE_MS_MAX = 30_000
const GOSSIP_MS_MAX = 1_000
/** How much later than the original schedule a run may end. */
const LATER_MS_MAX = 600_000
/** Probability that the leader of the primary changes during the migration. */
const TAKEOVER_CHANCE = 0.25
/** Maximum number of tokens to simulate in a run; the batch limits give the time for the rest. */
const TOKENS_MAX = 10_000

/** Seconds from the start of the scenario until half, and 95 %, of the runs have ended; null: they never end. */
export interface EtaRange {
  readonly p50: number | null
  readonly p95: number | null
}

export interface Eta {
  readonly runs: number
  /** Every server has left legacy mode. */
  readonly newMode: EtaRange
  /** The last token of the primary has its accessor; null without tokens. */
  readonly accessors: EtaRange | null
}

/** Runs the variations of a scenario. The same scenario and seed give the same range. */
export function estimate(scenario: Scenario, model: UpgradeModel): Eta {
  const created = scenario.events.reduce(
    (sum, each) => sum + (each.kind === 'create-tokens' && each.api === 'legacy' ? each.count : 0),
    0,
  )
  const tokens = tokenCount(scenario.tokens) + created
  const sample = sampleOf(scenario, created)
  const restMs =
    (batchCountOf(tokens) - batchCountOf(tokenCount(sample.tokens))) * ACCESSOR_BATCH_INTERVAL_MS_MIN
  const runs = Array.from({ length: RUNS }, (_, i) => outcomeOf(vary(sample, scenario.seed + i), model))
  return {
    runs: RUNS,
    newMode: rangeOf(runs.map(({ newModeMs }) => newModeMs)),
    accessors: tokens === 0 ? null : rangeOf(runs.map(({ accessorsMs }) => accessorsMs + restMs)),
  }
}

interface RunOutcome {
  readonly newModeMs: number
  readonly accessorsMs: number
}

const NEVER: RunOutcome = { newModeMs: Number.POSITIVE_INFINITY, accessorsMs: Number.POSITIVE_INFINITY }

function outcomeOf(scenario: Scenario, model: UpgradeModel): RunOutcome {
  try {
    const history = simulate(scenario, model)
    return { newModeMs: newModeOf(history), accessorsMs: accessorsOf(history) }
  } catch (error) {
    // If legacy mode ends later or earlier, a later step of the schedule can become impossible.
    if (error instanceof InputError) return NEVER
    throw error
  }
}

function newModeOf({ members }: History): number {
  const times = members
    .filter(({ isAgent, version }) => !isAgent && version !== undefined)
    .map(({ mode, newModeAt }) => (mode === 'new' && newModeAt !== undefined ? newModeAt : NEVER.newModeMs))
  return times.length === 0 ? NEVER.newModeMs : Math.max(...times)
}

function accessorsOf(history: History): number {
  const store = history.stores.find(({ datacenter }) => datacenter === history.primary)
  if (store === undefined || store.unmigrated.length > 0) return NEVER.accessorsMs
  return recordsOf(history, 'batch').at(-1)?.at ?? 0
}

/**
 * The scenario without clients, which delay only their own tokens, and with at most {@link TOKENS_MAX} tokens. Everything
 * that can block the upgrade remains: tokens that cannot be written and their deletion, and tokens whose rights prevent
 * a start as 1.11 and their conversion.
 */
function sampleOf(scenario: Scenario, created: number): Scenario {
  const { durationMs } = scenario
  const groups = merged([
    ...scenario.tokens,
    ...(created > 0 ? [{ type: 'client', count: created, rules: '', unwritable: false } as const] : []),
  ])
  const share = Math.min(1, TOKENS_MAX / Math.max(1, tokenCount(groups)))
  const scaled = (count: number) => Math.ceil(count * share)
  const isStuck = groups.some(({ unwritable }) => unwritable)
  const events = scenario.events.flatMap((each): ScenarioEvent[] => {
    if (durationMs !== undefined && each.atMs > durationMs) return []
    if (each.kind === 'convert-tokens')
      return [each.count === undefined ? each : { ...each, count: Math.floor(each.count * share) }]
    if (each.kind === 'delete-tokens' && isStuck && share === 1) return [each]
    return each.kind.endsWith('-tokens') ? [] : [each]
  })
  return {
    ...scenario,
    durationMs: durationMs === undefined ? undefined : durationMs + LATER_MS_MAX,
    tokens: groups.map((group) => ({ ...group, count: scaled(group.count) })),
    workloads: [],
    events,
  }
}

/** Merges equal groups of tokens. The order of groups matters only if some tokens cannot be written. */
function merged(groups: readonly TokenGroup[]): readonly TokenGroup[] {
  const isStuck = groups.some(({ unwritable }) => unwritable)
  const keyOf = ({ type, rules, unwritable }: TokenGroup) => `${type} ${rules === ''} ${unwritable}`
  const found = new Map<string, TokenGroup>()
  let [place, last] = [0, '']
  for (const group of groups) {
    const key = keyOf(group)
    if (isStuck && key !== last) place += 1
    last = key
    const before = found.get(`${place} ${key}`)
    found.set(`${place} ${key}`, { ...group, count: group.count + (before?.count ?? 0) })
  }
  return [...found.values()]
}

/** Varies the scenario for one run. */
function vary(scenario: Scenario, seed: number): Scenario {
  const random = new SeededRandom(seed)
  const { events } = scenario
  const datacenters = scenario.datacenters.map((datacenter) => ({
    ...datacenter,
    servers: datacenter.servers.map((server) => ({
      ...server,
      startMs: server.startMs + random.below(latenessMax(server, events) + 1),
    })),
  }))
  const varied: Scenario = {
    ...scenario,
    seed,
    datacenters,
    gossipDelayMs: scenario.gossipDelayMs + random.below(GOSSIP_MS_MAX),
    ...(scenario.electionMs === undefined
      ? {}
      : { electionMs: scenario.electionMs + random.below(scenario.electionMs + 1) }),
  }
  const takeover = random.chance(TAKEOVER_CHANCE) ? takeoverIn(varied, random) : undefined
  return takeover === undefined ? varied : { ...varied, events: insert(events, takeover) }
}

/** Maximum delay of a server's start: at most half the time until its next event. */
function latenessMax(
  { id, startMs, status, joinsLater }: ServerSpec,
  events: readonly ScenarioEvent[],
): number {
  if (startMs === 0 || status !== 'alive' || joinsLater) return 0
  const next = events.find((each) => 'server' in each && each.server === id)
  return next === undefined
    ? START_LATE_MS_MAX
    : Math.min(START_LATE_MS_MAX, Math.floor((next.atMs - startMs) / 2))
}

/** An election in the primary, during the migration of the tokens. */
function takeoverIn(scenario: Scenario, random: SeededRandom): ScenarioEvent | undefined {
  const servers = scenario.datacenters.find(({ isPrimary }) => isPrimary)?.servers ?? []
  const upgraded = servers.filter(({ status, joinsLater }) => status === 'alive' && !joinsLater)
  const [first] = upgraded
  if (first === undefined || upgraded.length < 2) return undefined
  const server = random.pick(upgraded)
  const lastMs = Math.max(...upgraded.map(({ startMs }) => startMs))
  const spanMs = 60_000 + batchCountOf(tokenCount(scenario.tokens)) * ACCESSOR_BATCH_INTERVAL_MS_MIN
  return { kind: 'elect', server: server.id, atMs: lastMs + 1 + random.below(spanMs), place: server.place }
}

function insert(events: readonly ScenarioEvent[], event: ScenarioEvent): ScenarioEvent[] {
  return [...events, event].sort((a, b) => a.atMs - b.atMs)
}

function rangeOf(times: readonly number[]): EtaRange {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (part: number) => {
    const ms = sorted[Math.ceil(part * sorted.length) - 1]
    return ms === undefined || ms === Number.POSITIVE_INFINITY ? null : toSeconds(ms)
  }
  return { p50: at(0.5), p95: at(0.95) }
}
