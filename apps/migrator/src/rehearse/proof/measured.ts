/** Turns a finished rehearsal into a scenario for the simulator, with the measured times. */
import { ACCESSOR_BATCH_SIZE_MAX, LEADER_SILENT_MS_MAX, MEMBER_FAILED_AFTER_MS } from '@latchkey/acl'
import type { LegacyToken } from '@latchkey/contract'
import { recordsOf } from '../../check/facts.ts'
import { countClients } from '../../clients/clients.ts'
import { reasonsOf, verdictOf } from '../../findings/finding.ts'
import { findAll } from '../../findings/rule-findings.ts'
import {
  migrationOf,
  type ServerResult,
  secondsOrNull,
  serversOf,
  violationsOf,
} from '../../output/result.ts'
import type { Scenario, ScenarioEvent } from '../../scenario/scenario.ts'
import { toSeconds } from '../../scenario/time.ts'
import type { HistoryRecord } from '../../simulate/history.ts'
import { latchkeyModel } from '../../simulate/models/latchkey-model.ts'
import type { UpgradeModel } from '../../simulate/models/model.ts'
import { type FinalStore, type History, simulate } from '../../simulate/run.ts'
import { size } from '../../simulate/tokens/ranges.ts'
import { type LogLine, linesOf } from '../server-process.ts'
import type { Step } from '../steps/schedule.ts'
import type { Window } from '../workloads.ts'
import { editedDestinations, simulatedStates } from './intentions.ts'
import type { SecondarySimulated } from './secondaries.ts'
import { CLOCK_MS, type Stall } from './stalls.ts'

/** A step with the times at which it was performed. Milliseconds since the epoch. */
export interface Done {
  readonly step: Step
  readonly at: number
  readonly startedAt?: number
  readonly answeredAt?: number
}

export interface Measured {
  readonly scenario: Scenario
  readonly tokens: readonly LegacyToken[]
  readonly done: readonly Done[]
  readonly log: readonly LogLine[]
  readonly startedAt: number
  /** Undefined to simulate until nothing can change any more. */
  readonly endedAt: number | undefined
}

export type Simulated = ReturnType<typeof simulateMeasured>

export const BATCH = 'accessor batch'
export const JOINED = 'joined the cluster'
export const BEGUN = 'assigning accessors'
export const ENDED = 'legacy mode has ended in this datacenter'

/** @param beginMs of a prediction: from the end of legacy mode until the first process begins. Absent: as measured. */
export function simulateMeasured(measured: Measured, beginMs?: number) {
  const scenario = measuredScenario(measured)
  const model = beginMs === undefined ? measuredModel(measured) : predictedModel(beginMs)
  const history = simulate(scenario, model)
  const migration = migrationOf(history)[scenario.primary]
  const whole = { ...scenario, durationMs: undefined }
  const settled = simulate(whole, model)
  const clients = countClients(whole, settled)
  const findings = findAll({ scenario: whole, history: settled, clients }, [])
  if (migration === undefined) throw new TypeError('the primary of a scenario has a migration')
  return {
    servers: Object.fromEntries<ServerResult>(
      Object.entries(serversOf(history)).map(([id, server]) => [
        id,
        { ...server, newModeAt: seenAt(server.newModeAt, id, scenario.events) },
      ]),
    ),
    migration,
    orderedSizes: orderedSizes(measured),
    endsLegacyMode: leavesLegacyMode(history, scenario.primary),
    secondaries: Object.fromEntries<SecondarySimulated>(
      history.stores
        .filter(({ datacenter }) => datacenter !== scenario.primary)
        .map((store) => [store.datacenter, secondaryOf(history, store)]),
    ),
    intentions: simulatedStates(history),
    editedDestinations: editedDestinations(history),
    // Tokens with a refused legacy write, plus refused edits of intentions.
    refusedWrites: history.records.reduce((sum, each) => sum + refusedIn(each), 0),
    windows: new Map<string, ReadonlyMap<string, Window>>(
      scenario.workloads.map((workload) => [
        workload.name,
        countClients({ ...scenario, workloads: [workload] }, history),
      ]),
    ),
    violations: violationsOf(history).map(({ rule, detail }) => `${rule}: ${detail}`),
    verdict: verdictOf(findings),
    reasons: reasonsOf(findings),
  }
}

const RESIZING: ReadonlySet<string> = new Set(['create-tokens', 'delete-tokens'])

/**
 * The sizes of the batches if each happened when it was logged: once with the writes that were in flight during a batch
 * before it, and once after it. Only their order is unknown. Empty without such writes.
 */
function orderedSizes(measured: Measured): readonly (readonly number[])[] {
  const { done, log, startedAt, scenario } = measured
  if (!done.some(({ step }) => RESIZING.has(step.kind))) return []
  const batches = linesOf(log, BATCH).map(({ at, fields }) => {
    return { from: at - (typeof fields.ms === 'number' ? fields.ms : 0), to: at }
  })
  const model: UpgradeModel = {
    ...measuredModel(measured),
    nextPassMs: (memory, nowMs) => {
      const { lastBatchMs = Number.NEGATIVE_INFINITY } = memory
      const next = batches.map(({ to }) => to - startedAt).find((at) => at >= nowMs && at > lastBatchMs)
      return next ?? latchkeyModel.nextPassMs(memory, nowMs)
    },
  }
  const sizesWith = (place: (batch: { from: number; to: number }) => number) => {
    const ordered = done.map((each) => {
      const { step, at, answeredAt = at } = each
      const batch = batches.find(({ from, to }) => at <= to && answeredAt >= from)
      return batch === undefined || !RESIZING.has(step.kind) ? each : { ...each, at: place(batch) }
    })
    const history = simulate({ ...measuredScenario({ ...measured, done: ordered }), commitMs: 0 }, model)
    return migrationOf(history)[scenario.primary]?.sizes ?? []
  }
  return [sizesWith(({ from }) => from - 1), sizesWith(({ to }) => to + 1)]
}

function leavesLegacyMode(history: History, datacenter: string): boolean {
  return recordsOf(history, 'mode').some((each) => each.mode === 'new' && each.datacenter === datacenter)
}

function secondaryOf(history: History, { datacenter, unmigrated }: FinalStore): SecondarySimulated {
  const rounds = recordsOf(history, 'replicated').filter((each) => each.datacenter === datacenter)
  const last = rounds.findLastIndex(({ remaining }) => remaining > 0)
  const completeAt = secondsOrNull(rounds[last + 1]?.at)
  const hasLegacyTokens = history.tokensAtStart > 0 || recordsOf(history, 'tokens').length > 0
  return {
    endsLegacyMode: leavesLegacyMode(history, datacenter),
    withoutAccessor: size(unmigrated),
    completeAt: hasLegacyTokens ? completeAt : undefined,
  }
}

/** When a client could first see the mode, in seconds: a paused server answers only after its pause. */
function seenAt(seconds: number | null, id: string, events: readonly ScenarioEvent[]): number | null {
  if (seconds === null) return null
  const own = events.filter((event) => 'server' in event && event.server === id)
  const isPaused = own.findLast((event) => event.atMs <= seconds * 1_000)?.kind === 'pause'
  const resumed = own.find((event) => event.kind === 'resume' && event.atMs > seconds * 1_000)
  return isPaused && resumed !== undefined ? toSeconds(resumed.atMs) : seconds
}

function refusedIn(each: HistoryRecord): number {
  if (each.kind === 'intention-edited') return each.migrated ? 0 : 1
  if (each.kind === 'new-tokens') return each.refused === undefined ? 0 : each.count
  return each.kind === 'tokens' && each.refused !== undefined ? size(each.tokens) : 0
}

/** The scenario that actually happened, with measured times instead of configured delays. */
function measuredScenario(measured: Measured): Scenario {
  const { scenario, tokens, done, startedAt, endedAt } = measured
  return {
    ...scenario,
    model: 'latchkey',
    durationMs: endedAt === undefined ? undefined : endedAt - startedAt,
    gossipDelayMs: 0,
    gossipJitterMs: 0,
    linkDelayMs: new Map(),
    failureDetectionMs: MEMBER_FAILED_AFTER_MS,
    electionMs: undefined,
    commitMs: Math.round(commitMsOf(measured.log) ?? 0),
    tokens: tokens.map(({ Type, Rules }) => ({ type: Type, count: 1, rules: Rules, unwritable: false })),
    datacenters: scenario.datacenters.map((each) => ({
      ...each,
      servers: each.servers.map((server) => ({ ...server, version: server.from, startMs: 0 })),
    })),
    workloads: endedAt === undefined ? [] : scenario.workloads,
    events: [...done.map((each) => eventOf(each, measured)), ...electionsOf(measured)].sort(
      (a, b) => a.atMs - b.atMs,
    ),
  }
}

/** When the process that a step started joined the cluster. */
export function joinedAt({ step, at, startedAt }: Done, log: readonly LogLine[]): number | undefined {
  if (startedAt === undefined || !('server' in step)) return undefined
  return log.find((line) => line.message === JOINED && line.server === step.server && line.at >= at)?.at
}

function eventOf(each: Done, measured: Measured): Step {
  const { step, at, startedAt } = each
  const atMs = at - measured.startedAt
  if (startedAt === undefined) return { ...step, atMs }
  if (step.kind !== 'restart' && step.kind !== 'start') return { ...step, atMs }
  const readyAt = joinedAt(each, measured.log) ?? startedAt
  // A server that was already down stays down until its start.
  if (step.kind === 'start') return { ...step, atMs: readyAt - measured.startedAt, downtimeMs: 0 }
  return { ...step, atMs, downtimeMs: readyAt - at }
}

function workersOf({ log, startedAt }: Measured) {
  return linesOf(log, BEGUN).map(({ server, at }) => ({ server, atMs: at - startedAt }))
}

/** Elections that make each server that actually migrated tokens the leader, just before it began. */
function electionsOf(measured: Measured): readonly ScenarioEvent[] {
  const { place } = measured.scenario.datacenters[0]?.servers[0] ?? {}
  const workers = workersOf(measured)
  return workers.flatMap(({ server, atMs }, i): ScenarioEvent[] =>
    place === undefined || workers[i - 1]?.server === server
      ? []
      : [{ kind: 'elect', server, place, atMs: Math.max(0, atMs - 1) }],
  )
}

/** The Latchkey model, with the measured time until a new worker begins instead of the maximum. */
function measuredModel(measured: Measured): UpgradeModel {
  const workers = workersOf(measured)
  return {
    ...latchkeyModel,
    electionMsDefault: 0,
    pauseMsDefault: LEADER_SILENT_MS_MAX,
    nextPassMs: (memory, nowMs) => {
      const begunMs =
        memory.lastPassMs === undefined ? (workers.find(({ atMs }) => atMs >= nowMs)?.atMs ?? nowMs) : nowMs
      return latchkeyModel.nextPassMs(memory, begunMs)
    },
  }
}

function predictedModel(beginMs: number): UpgradeModel {
  return {
    ...latchkeyModel,
    nextPassMs: (memory, nowMs) =>
      memory.lastBatchMs === undefined ? nowMs + beginMs : latchkeyModel.nextPassMs(memory, nowMs),
  }
}

/** The mean commit time of a batch, without the mandatory wait. Excludes the first batch if there are others. */
export function commitMsOf(log: readonly LogLine[]): number | undefined {
  const all = linesOf(log, BATCH)
  const later = all.length > 1 ? all.slice(1) : all
  const commits = later.flatMap(({ fields }) => (typeof fields.ms === 'number' ? [fields.ms] : []))
  return commits.length === 0 ? undefined : commits.reduce((sum, ms) => sum + ms, 0) / commits.length
}

/** Stalls that the run itself shows: until a replaced process answered, and commits that took too long. */
export function stallsOf({ done, log, startedAt }: Measured): readonly Stall[] {
  const starts = done.flatMap((each) =>
    each.startedAt === undefined ? [] : [{ from: each.at - startedAt, to: each.startedAt - startedAt }],
  )
  const commits = log.flatMap(({ message, at, fields: { ms } }) =>
    COMMITS.has(message) && typeof ms === 'number' && ms > CLOCK_MS
      ? [{ from: at - startedAt - ms, to: at - startedAt }]
      : [],
  )
  return [...starts, ...commits]
}

const COMMITS: ReadonlySet<string> = new Set([BATCH, ENDED])

export interface MigrationStatus {
  readonly State: string
  readonly Batches: number
  readonly Done: number
}

/** A server flushes its log a few times per second. */
const UNWRITTEN_MS = 500

/** Adds the lines that a server did not write because it was killed; the service has the totals. */
export function withLostLines(
  log: readonly LogLine[],
  done: readonly Done[],
  status: MigrationStatus | undefined,
): readonly LogLine[] {
  if (status === undefined) return log
  const kills = done.flatMap(({ step, at }) => (step.kind === 'crash' ? [{ server: step.server, at }] : []))
  const [workers, batches] = [linesOf(log, BEGUN), linesOf(log, BATCH)]
  const lost: LogLine[] = []
  let tokens = status.Done - batches.reduce((sum, { fields }) => sum + Number(fields.tokens), 0)
  let count = status.Batches - batches.length
  for (const { server, at } of kills) {
    const worker = workers.findLast((line) => line.at <= at)
    if (count <= 0 || (worker !== undefined && worker.server !== server)) continue
    if (worker === undefined) lost.push({ server, at: at - UNWRITTEN_MS, message: BEGUN, fields: {} })
    const size = count === 1 ? tokens : Math.min(tokens, ACCESSOR_BATCH_SIZE_MAX)
    lost.push({ server, at, message: BATCH, fields: { tokens: size } })
    tokens -= size
    count -= 1
  }
  const first = workers[0]?.at ?? Number.POSITIVE_INFINITY
  const ender = kills.find(({ at }) => at <= first + UNWRITTEN_MS)
  if (status.State !== 'waiting' && linesOf(log, ENDED).length === 0 && ender !== undefined)
    lost.push({ server: ender.server, at: Math.min(ender.at, first), message: ENDED, fields: {} })
  return [...log, ...lost]
}
