/** One rehearsal on real servers, from an empty database to the proofs. */

import { randomUUID } from 'node:crypto'
import { ACCESSOR_BATCH_INTERVAL_MS_MIN, ACCESSOR_BATCH_SIZE_MAX, batchesDurationMs } from '@latchkey/acl'
import type { LegacyToken } from '@latchkey/contract'
import { runSimulation } from '../output/run-simulation.ts'
import type { Scenario, TokenGroup } from '../scenario/scenario.ts'
import { sleep } from '../sleep.ts'
import { Cluster } from './cluster.ts'
import { type ProbeResult, startProbes } from './probes.ts'
import { proveRights } from './rights.ts'
import { type Step, stepsOf } from './schedule.ts'
import type { LogLine } from './server-process.ts'

export interface RehearsalOptions {
  readonly scenario: Scenario
  /** Undefined: made from the token groups of the scenario. */
  readonly tokens: readonly LegacyToken[] | undefined
  readonly serverMain: string
  readonly databaseUrl: string | undefined
  /** Factor for the waits of the schedule. Batch intervals never shrink. */
  readonly timeScale: number
  readonly signal: AbortSignal
  readonly onProgress: (text: string) => void
}

interface Proof {
  readonly name: string
  readonly holds: boolean
  readonly detail: string
}

export interface Rehearsal {
  readonly scenario: string
  readonly verdict: 'proved' | 'failed'
  readonly proofs: readonly Proof[]
  /** Seconds since the schedule began. */
  readonly legacyModeEndedAt: number | null
  readonly migration: MeasuredMigration
  readonly simulated: { readonly batches: number; readonly seconds: number }
  readonly clients: ProbeResult
  readonly timeline: readonly { readonly at: number; readonly server: string; readonly detail: string }[]
}

interface MeasuredMigration {
  readonly tokens: number
  readonly batches: number
  readonly sizes: readonly number[]
  readonly firstBatchAt: number | null
  readonly lastBatchAt: number | null
  /** Least time between two batches, in milliseconds; null with fewer than two. */
  readonly smallestGapMs: number | null
}

/** Tokens that the first server makes itself: anonymous and management. */
const BUILTIN_GROUPS: readonly TokenGroup[] = [
  { type: 'client', count: 1, rules: '', unwritable: false },
  { type: 'management', count: 1, rules: undefined, unwritable: false },
]
const POLL_MS = 100
/** Margin on top of the minimum duration of the batches. */
const PATIENCE_MS = 60_000

/**
 * Runs a rehearsal. Every process that it started has ended when it returns or throws.
 *
 * @throws InputError for a scenario that cannot be rehearsed, or where a server does not start; the reason of the signal.
 */
export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const { scenario, signal, onProgress } = options
  const steps = stepsOf(scenario)
  const tokens = options.tokens ?? generateTokens(scenario.tokens)
  const [datacenter] = scenario.datacenters
  const cluster = new Cluster({
    main: options.serverMain,
    datacenter: scenario.primary,
    defaultPolicy: scenario.defaultPolicy,
    databaseUrl: options.databaseUrl,
  })
  try {
    onProgress('starting the database and the old servers')
    await cluster.open()
    await Promise.all((datacenter?.servers ?? []).map((server) => cluster.start(server, server.from.text)))
    signal.throwIfAborted()
    onProgress(`importing ${tokens.length} legacy tokens`)
    await cluster
      .client(cluster.managementSecret)
      .legacy.import(tokens, { timeout: 600_000, attemptTimeout: 600_000 })
    const made: LegacyToken[] = [...tokens]
    const startedAt = Date.now()
    const probes = startProbes(cluster, sampleSecrets(tokens), startedAt)
    try {
      for (const step of steps) {
        await sleep(startedAt + step.atMs * options.timeScale - Date.now(), signal)
        onProgress(describe(step))
        await perform(cluster, step, made)
      }
      onProgress('waiting for the migration')
      await waitForMigration(cluster, made.length, signal)
    } finally {
      await probes.stop()
    }
    const clients = await probes.stop()
    onProgress('proving')
    return await conclude({ options, cluster, tokens: made, clients, startedAt })
  } finally {
    await cluster.close()
  }
}

async function perform(cluster: Cluster, step: Step, made: LegacyToken[]): Promise<void> {
  switch (step.do) {
    case 'replace':
      await cluster.end(step.server.id, 'SIGTERM')
      await new Promise((resolve) => setTimeout(resolve, step.downtimeMs))
      return cluster.start({ id: step.server.id, acls: step.acls }, step.version)
    case 'crash':
      return cluster.end(step.server, 'SIGKILL')
    case 'leave':
      return cluster.end(step.server, 'SIGTERM')
    case 'pause':
      return cluster.pause(step.server)
    case 'resume':
      return cluster.resume(step.server)
    case 'create-tokens': {
      const fresh = generateTokens([
        { type: 'client', count: step.count, rules: undefined, unwritable: false },
      ])
      for (const { ID, Name, Type, Rules } of fresh) {
        await cluster.client(cluster.managementSecret).legacy.create({ ID, Name, Type, Rules })
      }
      made.push(...fresh)
      return
    }
    case 'edit-tokens':
      for (const { ID, Name, Type, Rules } of made.slice(step.offset, step.offset + step.count)) {
        await cluster
          .client(cluster.managementSecret)
          .legacy.update({ ID, Name: `${Name} (edited)`, Type, Rules })
      }
  }
}

/** Until nothing is left to migrate, as the service itself says. */
async function waitForMigration(cluster: Cluster, tokens: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + batchesDurationMs(tokens) + PATIENCE_MS
  while (Date.now() < deadline) {
    const status = await cluster
      .client(cluster.managementSecret)
      .status.migration()
      .catch(() => undefined)
    if (status?.State === 'done') return
    await sleep(POLL_MS, signal)
  }
}

async function conclude(run: {
  readonly options: RehearsalOptions
  readonly cluster: Cluster
  readonly tokens: readonly LegacyToken[]
  readonly clients: ProbeResult
  readonly startedAt: number
}): Promise<Rehearsal> {
  const { options, cluster, tokens, clients, startedAt } = run
  const { scenario, signal } = options
  const rights = await proveRights(cluster, tokens, {
    datacenter: scenario.primary,
    defaultPolicy: scenario.defaultPolicy,
    signal,
  })
  const accessors = await proveAccessors(cluster, tokens)
  // Log lines arrive a moment after what they tell of.
  await sleep(500, signal)
  // A server that was killed takes its last lines along; how many batches there were, the service remembers.
  const { Done: tokensDone, Batches: batches } = await cluster
    .client(cluster.managementSecret)
    .status.migration()
  const migration = { ...measure(cluster.log, startedAt), tokens: tokensDone, batches }
  const ended = cluster.log.filter((line) => line.message === 'legacy mode has ended in this datacenter')
  const simulated = simulateSame(scenario, tokens)
  const skipped =
    rights.notPresentable > 0 ? `; ${rights.notPresentable} secrets cannot be presented over HTTP` : ''
  const proofs: Proof[] = [
    accessors,
    lawProof(migration),
    {
      name: 'no secret gained or lost a right',
      holds: rights.differences.length === 0,
      detail:
        rights.differences.join('; ') ||
        `${rights.questions} questions on ${rights.tokens} tokens, no difference${skipped}`,
    },
    {
      name: 'legacy mode ended once',
      holds: ended.length === 1,
      detail:
        ended.length === 0 ? 'it has not ended' : `by server ${ended.map((line) => line.server).join(', ')}`,
    },
    durationProof(scenario, migration, simulated),
  ]
  return {
    scenario: scenario.name,
    verdict: proofs.every((proof) => proof.holds) ? 'proved' : 'failed',
    proofs,
    legacyModeEndedAt: ended[0] ? (ended[0].at - startedAt) / 1_000 : null,
    migration,
    simulated,
    clients,
    timeline: cluster.log
      .filter((line) => TOLD.has(line.message))
      .map((line) => ({ at: (line.at - startedAt) / 1_000, server: line.server, detail: line.message })),
  }
}

const TOLD: ReadonlySet<string> = new Set([
  'listening',
  'stopping',
  'legacy mode has ended in this datacenter',
  'accessor batch',
])

async function proveAccessors(cluster: Cluster, tokens: readonly LegacyToken[]): Promise<Proof> {
  const accessorsBySecret = new Map<string, string>()
  const accessors = new Set<string>()
  for await (const token of cluster.client(cluster.managementSecret).tokens.each()) {
    accessorsBySecret.set(token.SecretID, token.AccessorID)
    accessors.add(token.AccessorID)
  }
  const lost = tokens.filter((token) => !accessorsBySecret.has(token.ID)).length
  const without = [...accessorsBySecret.values()].filter((accessor) => accessor === '').length
  const shared = accessorsBySecret.size - accessors.size
  const faults = [
    lost > 0 ? `${lost} tokens are gone` : '',
    without > 0 ? `${without} have none` : '',
    shared > 0 && without < 2 ? `${shared} share one` : '',
  ].filter((fault) => fault !== '')
  return {
    name: 'every token has exactly one accessor',
    holds: faults.length === 0,
    detail: faults.join(', ') || `${accessorsBySecret.size} tokens, ${accessors.size} accessors`,
  }
}

function measure(log: readonly LogLine[], startedAt: number): MeasuredMigration {
  const batches = log.filter((line) => line.message === 'accessor batch').sort((a, b) => a.at - b.at)
  const sizes = batches.map((line) => Number(line.fields.tokens))
  const gaps = batches.slice(1).map((line, i) => line.at - (batches[i]?.at ?? 0))
  const seconds = (line: LogLine | undefined) => (line ? (line.at - startedAt) / 1_000 : null)
  return {
    tokens: sizes.reduce((sum, size) => sum + size, 0),
    batches: batches.length,
    sizes,
    firstBatchAt: seconds(batches[0]),
    lastBatchAt: seconds(batches.at(-1)),
    smallestGapMs: gaps.length === 0 ? null : Math.min(...gaps),
  }
}

/** Spec 8: at most 128 tokens a batch, at most one batch in any second. */
function lawProof({ batches, sizes, smallestGapMs }: MeasuredMigration): Proof {
  const largest = Math.max(0, ...sizes)
  const isLate = smallestGapMs === null || smallestGapMs >= ACCESSOR_BATCH_INTERVAL_MS_MIN
  return {
    name: 'the rate law held',
    holds: batches > 0 && largest <= ACCESSOR_BATCH_SIZE_MAX && isLate,
    detail: `${batchCount(batches)} of at most ${largest} tokens${smallestGapMs === null ? '' : `, at least ${smallestGapMs} ms apart`}`,
  }
}

/** The same tokens and schedule, by the model of this service. */
function simulateSame(scenario: Scenario, tokens: readonly LegacyToken[]): Rehearsal['simulated'] {
  const groups: TokenGroup[] = tokens.map(({ Type, Rules }) => ({
    type: Type,
    count: 1,
    rules: Rules,
    unwritable: false,
  }))
  const events = scenario.events.filter((event) => event.kind !== 'create-tokens')
  const same: Scenario = { ...scenario, model: 'latchkey', tokens: [...BUILTIN_GROUPS, ...groups], events }
  const { migration } = runSimulation(same, { replay: '' }).result
  const { batches = 0, firstBatchAt = null, lastBatchAt = null } = migration[scenario.primary] ?? {}
  return { batches, seconds: firstBatchAt === null || lastBatchAt === null ? 0 : lastBatchAt - firstBatchAt }
}

/**
 * Within 2 %, or a second where that is more: a migration of a few batches has no hundredth to measure. Where a server
 * goes down on the way, it may be shorter, down to what the law asks: the real servers may have elected another one.
 */
function durationProof(
  scenario: Scenario,
  measured: MeasuredMigration,
  simulated: Rehearsal['simulated'],
): Proof {
  const { batches, firstBatchAt, lastBatchAt } = measured
  const seconds = firstBatchAt === null || lastBatchAt === null ? 0 : lastBatchAt - firstBatchAt
  const allowed = Math.max(1, simulated.seconds * 0.02)
  const isDisturbed = scenario.events.some((event) => DISTURBING.has(event.kind))
  const least = isDisturbed
    ? (batches - 1) * (ACCESSOR_BATCH_INTERVAL_MS_MIN / 1_000)
    : simulated.seconds - allowed
  return {
    name: 'as long as simulated',
    holds: seconds >= least && seconds <= simulated.seconds + allowed,
    detail: `${seconds.toFixed(2)} s for ${batchCount(batches)}; simulated ${simulated.seconds.toFixed(2)} s for ${simulated.batches}`,
  }
}

const DISTURBING: ReadonlySet<string> = new Set([
  'crash',
  'leave',
  'pause',
  'restart',
  'edit-tokens',
  'create-tokens',
])

function generateTokens(groups: readonly TokenGroup[]): LegacyToken[] {
  const tokens: LegacyToken[] = []
  for (const { type, count, rules } of groups) {
    for (let i = 0; i < count; i += 1) {
      const position = tokens.length
      const Rules =
        type === 'management' ? '' : (rules ?? `key "app/${position % 100}/" { policy = "write" }`)
      tokens.push({
        CreateIndex: 0,
        ModifyIndex: 0,
        ID: randomUUID(),
        Name: `token ${position}`,
        Type: type,
        Rules,
      })
    }
  }
  return tokens
}

/** A few secrets for the probes: clients hold one each. */
function sampleSecrets(tokens: readonly LegacyToken[]): readonly string[] {
  const presentable = tokens.filter((token) => /^[\x21-\x7e]+$/.test(token.ID))
  return presentable.slice(0, 50).map((token) => token.ID)
}

function describe(step: Step): string {
  switch (step.do) {
    case 'replace':
      return `${step.server.id} becomes ${step.version}`
    case 'create-tokens':
    case 'edit-tokens':
      return `${step.do === 'create-tokens' ? 'creating' : 'editing'} ${step.count} legacy tokens`
    default:
      return `${step.do} ${step.server}`
  }
}

function batchCount(batches: number): string {
  return `${batches} ${batches === 1 ? 'batch' : 'batches'}`
}
