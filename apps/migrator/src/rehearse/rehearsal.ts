/** One rehearsal on real servers, from an empty database to the proofs. */
import { batchesDurationMs, MEMBER_HEARTBEAT_MS } from '@latchkey/acl'
import { latchkeyModel } from '../simulate/models/latchkey-model.ts'
import { simulate } from '../simulate/run.ts'
import { sleep } from '../sleep.ts'
import { Cluster } from './cluster.ts'
import { conclude, type Rehearsal } from './conclude.ts'
import { ModeWatch } from './modes.ts'
import { describeStep, perform } from './perform.ts'
import { sampleSecrets, startProbes } from './probes.ts'
import { simulateMeasured } from './proof/measured.ts'
import { StallWatch } from './proof/stalls.ts'
import { measuredOf, type RehearsalOptions, type Run } from './run.ts'
import { type Step, scaled, stepsOf } from './schedule.ts'
import { generateTokens, TokenBook } from './tokens.ts'
import { notRehearsed, Workloads } from './workloads.ts'

const POLL_MS = 100
/** Margin on top of the minimum duration of the batches. */
const PATIENCE_MS = 120_000
/** The others look a few times after the last step, and clients call a few times. */
const SETTLE_MS = 3 * MEMBER_HEARTBEAT_MS

/**
 * Runs a rehearsal. Every process that it started has ended when it returns or throws.
 *
 * @throws InputError for a scenario that cannot be rehearsed, or where a server does not start; the reason of the signal.
 */
export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const scenario = scaled(options.scenario, options.timeScale)
  const steps = stepsOf(scenario)
  // Refuses an impossible schedule before anything starts.
  simulate({ ...scenario, model: 'latchkey' }, latchkeyModel)
  const tokens = options.tokens ?? generateTokens(scenario.tokens)
  const cluster = new Cluster({
    main: options.serverMain,
    datacenter: scenario.primary,
    defaultPolicy: scenario.defaultPolicy,
    databaseUrl: options.databaseUrl,
  })
  const book = new TokenBook(tokens)
  try {
    return await runSteps({ options, scenario, cluster, tokens, book, done: [], refusedWrites: [] }, steps)
  } finally {
    await cluster.close()
  }
}

async function runSteps(run: Run, steps: readonly Step[]): Promise<Rehearsal> {
  const { options, scenario, cluster, tokens } = run
  const { signal, onProgress } = options
  onProgress('starting the database and the old servers')
  await cluster.open()
  const servers = scenario.datacenters.flatMap((datacenter) => datacenter.servers)
  await Promise.all(servers.map(({ id, from, acls }) => cluster.start(id, { version: from, acls })))
  signal.throwIfAborted()
  onProgress(`importing ${tokens.length} legacy tokens`)
  if (tokens.length > 0)
    await cluster
      .client(cluster.managementSecret)
      .legacy.import(tokens, { timeout: 600_000, attemptTimeout: 600_000 })
  const startedAt = Date.now()
  const probes = startProbes(cluster, sampleSecrets(tokens), startedAt)
  const watch = new ModeWatch(cluster, startedAt)
  const stalls = new StallWatch(cluster, startedAt)
  const rehearsed = scenario.workloads.filter((workload) => notRehearsed(workload) === undefined)
  const workloads = new Workloads(cluster, rehearsed, startedAt)
  try {
    for (const step of steps) {
      await sleep(startedAt + step.atMs - Date.now(), signal)
      onProgress(describeStep(step))
      await perform(run, step)
    }
    onProgress('waiting for the migration')
    await waitForEnd(run, watch, startedAt)
  } finally {
    await Promise.all([probes.stop(), watch.stop(), stalls.stop(), workloads.stop()])
  }
  const endedAt = Date.now()
  onProgress('proving')
  return conclude(run, {
    startedAt,
    endedAt,
    servers: watch.modes(servers.map(({ id }) => id)),
    changes: watch.changes,
    stalls: stalls.stalls,
    windows: await workloads.stop(),
    clients: await probes.stop(),
  })
}

/** Waits until the servers are as simulated, or should have been for long; then until the end of the scenario. */
async function waitForEnd(run: Run, watch: ModeWatch, startedAt: number): Promise<void> {
  const { cluster, scenario, book, options } = run
  const { signal } = options
  const { servers } = simulateMeasured(measuredOf(run, cluster.log, { startedAt, endedAt: undefined }))
  const ids = Object.keys(servers)
  const isAsExpected = async () => {
    const modes = watch.modes(ids)
    const running = new Set(cluster.running().map(({ id }) => id))
    // One that runs although the simulation refuses its start upgrades as any other: wait for what it does to the tokens.
    const expected = (id: string) => servers[id]?.mode ?? (running.has(id) ? 'new' : null)
    if (ids.some((id) => modes[id]?.mode !== expected(id))) return false
    if (!ids.some((id) => modes[id]?.mode === 'new')) return true
    const status = await cluster
      .client(cluster.managementSecret)
      .status.migration()
      .catch(() => undefined)
    return status?.State === 'done'
  }
  const deadline = Date.now() + batchesDurationMs(book.tokens.length) + PATIENCE_MS
  while (Date.now() < deadline && !(await isAsExpected())) await sleep(POLL_MS, signal)
  await sleep(Math.max(SETTLE_MS, startedAt + (scenario.durationMs ?? 0) - Date.now()), signal)
}
