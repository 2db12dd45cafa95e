/** One rehearsal on real servers, from an empty database to the proofs. */
import { randomUUID } from 'node:crypto'
import { ANONYMOUS_TOKEN_SECRET_ID, batchesDurationMs, MEMBER_HEARTBEAT_MS } from '@latchkey/acl'
import type { LegacyToken } from '@latchkey/contract'
import { LatchkeyError } from '@latchkey/sdk'
import { EXIT, InputError } from '../errors.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { latchkeyModel } from '../simulate/models/latchkey-model.ts'
import { simulate } from '../simulate/run.ts'
import { sleep } from '../sleep.ts'
import { isAtLeast, NEW_ACLS } from '../version.ts'
import type { RunningServer } from './cluster.ts'
import { conclude, type Rehearsal } from './conclude.ts'
import { Fleet } from './fleet.ts'
import { intentionState } from './proof/intentions.ts'
import { simulateMeasured } from './proof/measured.ts'
import { StallWatch } from './proof/stalls.ts'
import { measuredOf, type RehearsalOptions, type Run } from './run.ts'
import { createIntentions } from './steps/intentions.ts'
import { describeStep, perform } from './steps/perform.ts'
import { downtimeOf, scaled, stepsOf } from './steps/schedule.ts'
import { generateTokens, TokenBook } from './steps/tokens.ts'
import { ArrivalWatch, ModeWatch } from './watches.ts'
import { callersOf, notRehearsed, probesOf, Workloads } from './workloads.ts'

const POLL_MS = 100
const PATIENCE_MS = 120_000
const SETTLE_MS = 3 * MEMBER_HEARTBEAT_MS

/** When it returns or throws, every process has ended. @throws InputError if it cannot be rehearsed. */
export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const scenario = scaled(options.scenario, options.timeScale)
  const steps = stepsOf(scenario)
  simulate({ ...scenario, model: 'latchkey' }, latchkeyModel)
  const tokens = importable(options.tokens ?? generateTokens(scenario.tokens), scenario)
  const lost = new AbortController()
  const fleet: Fleet = new Fleet(scenario, {
    onLost: (problem) => lost.abort(problem),
    main: options.serverMain,
    // Like a token with acl:read, a client token lacks the right that replication needs.
    replicationSecret: ({ replicationToken }) =>
      replicationToken === 'write'
        ? fleet.managementSecret
        : (tokens.find(({ Type }) => Type === 'client')?.ID ?? randomUUID()),
  })
  try {
    const signal = AbortSignal.any([options.signal, lost.signal])
    const isLost = new Promise<never>((_, reject) => {
      lost.signal.addEventListener('abort', () => reject(lost.signal.reason), { once: true })
    })
    const plan = { options: { ...options, signal }, scenario, steps, fleet }
    const running = start(plan, tokens).then(runSteps)
    return await Promise.race([running, isLost])
  } catch (error) {
    if (lost.signal.aborted) throw lost.signal.reason
    if (!(error instanceof LatchkeyError)) throw error
    throw new InputError(`a call of the rehearsal failed (${error.endpoint}): ${error.message}`, {
      exitCode: EXIT.failed,
      cause: error,
    })
  } finally {
    await fleet.close()
  }
}

/** From 1.4.0 on, the anonymous token exists and has its accessor. */
function importable(tokens: readonly LegacyToken[], scenario: Scenario): readonly LegacyToken[] {
  return isOld(scenario) ? tokens : tokens.filter(({ ID }) => ID !== ANONYMOUS_TOKEN_SECRET_ID)
}

function isOld({ datacenters }: Scenario): boolean {
  return datacenters.some(({ servers }) => servers.some(({ from }) => !isAtLeast(from, NEW_ACLS)))
}

type Plan = Pick<Run, 'options' | 'scenario' | 'steps' | 'fleet'>

/** Starts the old servers and imports the tokens. */
async function start(plan: Plan, tokens: readonly LegacyToken[]): Promise<Run> {
  const { options, scenario, fleet } = plan
  const { signal, onProgress } = options
  onProgress('starting the database and the old servers')
  await fleet.open()
  const servers = scenario.datacenters.flatMap((datacenter) => datacenter.servers)
  await Promise.all(servers.map(({ id, from, acls }) => fleet.of(id).start(id, { version: from, acls })))
  signal.throwIfAborted()
  onProgress(`importing ${tokens.length} legacy tokens`)
  if (tokens.length > 0) {
    const patience = { timeout: 600_000, attemptTimeout: 600_000 }
    // From 1.4.0 on, a secondary gets the tokens from the primary.
    const hasOldTokens = ({ id }: RunningServer) =>
      servers.some((server) => server.id === id && !isAtLeast(server.from, NEW_ACLS))
    const importing = fleet.clusters.filter(
      (each) => each === fleet.primary || each.running().some(hasOldTokens),
    )
    const imports = importing.map((each) =>
      each.client(fleet.managementSecret).legacy.import(tokens, patience),
    )
    await Promise.all(imports)
  }
  const client = fleet.primary.client(fleet.managementSecret)
  const inOrder = isOld(scenario) ? await client.legacy.export() : tokens
  return {
    ...plan,
    tokens: inOrder,
    book: new TokenBook(tokens, inOrder),
    done: [],
    intentions: [...(await createIntentions(fleet.primary, scenario.intentions))],
    refusedWrites: [],
  }
}

async function runSteps(run: Run): Promise<Rehearsal> {
  const { options, scenario, fleet } = run
  const { signal, onProgress } = options
  const servers = scenario.datacenters.flatMap((datacenter) => datacenter.servers)
  const startedAt = Date.now()
  const watch = new ModeWatch(fleet, startedAt)
  const stalls = new StallWatch(fleet, startedAt)
  const arrivals = new ArrivalWatch(fleet, startedAt)
  const rehearsed = scenario.workloads.filter((workload) => notRehearsed(workload) === undefined)
  const place = { fleet, startedAt, intentions: run.intentions, secrets: callersOf(run.tokens) }
  const workloads = new Workloads(place, [...probesOf(servers.map(({ id }) => id)), ...rehearsed])
  try {
    // Steps keep their distances where servers start slowly: what one needs from those before is there.
    let lateMs = 0
    for (const step of run.steps) {
      await sleep(startedAt + step.atMs + lateMs - Date.now(), signal)
      onProgress(describeStep(step))
      const begunAt = Date.now()
      await perform(run, step)
      lateMs += Date.now() - begunAt - downtimeOf(step)
    }
    onProgress('waiting for the migration')
    await waitForEnd(run, watch, startedAt)
  } finally {
    await Promise.all([watch, stalls, arrivals, workloads].map((each) => each.stop()))
  }
  const endedAt = Date.now()
  onProgress('proving')
  return conclude(run, {
    startedAt,
    endedAt,
    servers: watch.modes(servers.map(({ id }) => id)),
    stalls: stalls.stalls,
    completeAt: (datacenter) => arrivals.completeAt(datacenter),
    windows: await workloads.stop(),
    clients: workloads.seen(),
  })
}

async function waitForEnd(run: Run, watch: ModeWatch, startedAt: number): Promise<void> {
  const { fleet, book, scenario, options } = run
  const { signal } = options
  const { servers, secondaries, intentions } = simulateMeasured(
    measuredOf(run, fleet.log, { startedAt, endedAt: undefined }),
  )
  const ids = Object.keys(servers)
  const isAsExpected = async () => {
    const modes = watch.modes(ids)
    const running = new Set(fleet.running().map(({ id }) => id))
    // A server that runs although the simulation refuses its start upgrades normally: wait for its effect on the tokens.
    const expected = (id: string) => servers[id]?.mode ?? (running.has(id) ? 'new' : null)
    if (ids.some((id) => modes[id]?.mode !== expected(id))) return false
    const states = await Promise.all(
      scenario.intentions.length === 0
        ? []
        : fleet.clusters.map(async (cluster) => {
            return intentions[cluster.datacenter] !== 'done' || (await intentionState(cluster)) === 'done'
          }),
    )
    if (!states.every(Boolean)) return false
    if (!ids.some((id) => modes[id]?.mode === 'new')) return true
    const isDone = await Promise.all(
      fleet.clusters.map(async (cluster) => {
        const simulated = secondaries[cluster.datacenter]
        // Do not wait for copies that never get an accessor.
        const isAwaited = simulated?.completeAt !== null
        return !isAwaited || (await cluster.migration())?.State === 'done'
      }),
    )
    return isDone.every(Boolean)
  }
  const deadline = Date.now() + batchesDurationMs(book.tokens.length) + PATIENCE_MS
  while (Date.now() < deadline && !(await isAsExpected())) await sleep(POLL_MS, signal)
  await sleep(Math.max(SETTLE_MS, startedAt + (scenario.durationMs ?? 0) - Date.now()), signal)
}
