/** Concludes a rehearsal: reads the tokens and checks the proofs. */
import { MEMBER_HEARTBEAT_MS } from '@latchkey/acl'
import { LatchkeyError } from '@latchkey/sdk'
import { latchkeyModel } from '../simulate/models/latchkey-model.ts'
import { sleep } from '../sleep.ts'
import { isAtLeast, NEW_ACLS } from '../version.ts'
import type { Cluster } from './cluster.ts'
import { compareTimes, machineTimesOf, simulateBeforehand, UNKNOWN_TIMES } from './proof/beforehand.ts'
import { findIntentions } from './proof/intentions.ts'
import {
  BATCH,
  BEGUN,
  ENDED,
  JOINED,
  type MigrationStatus,
  simulateMeasured,
  stallsOf,
  withLostLines,
} from './proof/measured.ts'
import { type MeasuredMigration, prove } from './proof/prove.ts'
import { proveRights } from './proof/rights.ts'
import { compareTokens, type SecondaryFound } from './proof/secondaries.ts'
import { measuredOf, type Run, type Seen } from './run.ts'
import { type LogLine, linesOf } from './server-process.ts'

/** The result of a rehearsal. Times are seconds since the schedule began. */
export type Rehearsal = Awaited<ReturnType<typeof conclude>>

/** An extra server outside the schedule, which answers when all other servers have refused to start. */
const INSPECTOR = 'inspector'

const DISTURBING: ReadonlySet<string> = new Set([
  ...['crash', 'leave', 'pause', 'restart', 'create-tokens', 'edit-tokens', 'delete-tokens'],
])

const TOLD: ReadonlySet<string> = new Set([JOINED, 'listening', 'stopping', ENDED, BEGUN, BATCH])

export async function conclude(run: Run, seen: Seen) {
  const { options, scenario, fleet, book, done } = run
  const { startedAt, servers } = seen
  // Log lines arrive slightly after the events.
  await sleep(500, options.signal)
  const { endsLegacyMode } = simulateMeasured(measuredOf(run, [...fleet.log], seen))
  const checked = await checkTokens(run, endsLegacyMode)
  const status = checked.hasNewApi
    ? await fleet.primary.client(fleet.managementSecret).status.migration()
    : undefined
  const inPrimary = done.filter(({ step }) => !('server' in step) || isInPrimary(run, step.server))
  const ofSecondaries = fleet.secondaries.flatMap((cluster) => cluster.log)
  const log = [...withLostLines([...fleet.primary.log], inPrimary, status), ...ofSecondaries]
  const measured = measuredOf(run, log, seen)
  const simulated = simulateMeasured(measured)
  const { servers: predicted, secondaries, verdict, reasons } = simulated
  const endings = log.filter((line) => line.message === ENDED && line.at >= startedAt)
  const ended = endings.filter((line) => isInPrimary(run, line.server))
  const migration = measure(log, startedAt, status)
  const found = {
    servers,
    migration,
    secondaries: await Promise.all(
      fleet.secondaries.map((cluster) => checkSecondary(run, seen, cluster, endings)),
    ),
  }
  const beforehand = simulateBeforehand(run, run.steps, options.times ?? UNKNOWN_TIMES)
  const isDisturbed = done.some(
    ({ step, at, answeredAt = at }) => DISTURBING.has(step.kind) && answeredAt >= (ended[0]?.at ?? startedAt),
  )
  const proofs = prove(
    {
      ...found,
      endedBy: ended.map((line) => line.server),
      intentions: await findIntentions(fleet.clusters, fleet.primary, run.intentions),
      refusedWrites: run.refusedWrites,
      edits: book.edits,
      tokens: checked.tokens,
      rights: checked.rights,
      refusedRecords: options.refusedRecords,
      workloads: scenario.workloads,
      windows: seen.windows,
      stalls: [...seen.stalls, ...stallsOf(measured)],
      isDisturbed,
    },
    simulated,
  )
  return {
    scenario: scenario.name,
    verdict: proofs.every((proof) => proof.holds) ? ('proved' as const) : ('failed' as const),
    proofs,
    legacyModeEndedAt: ended[0] ? (ended[0].at - startedAt) / 1_000 : null,
    servers,
    migration,
    simulated: { servers: predicted, migration: simulated.migration, secondaries, verdict, reasons },
    /** Whether times of this machine were known beforehand. */
    isInformed: options.times !== undefined,
    comparison: compareTimes(found, simulated, beforehand),
    times: machineTimesOf(measured, { found, simulated, known: options.times }),
    clients: seen.clients,
    timeline: log
      .filter((line) => TOLD.has(line.message))
      .map((line) => ({ at: (line.at - startedAt) / 1_000, server: line.server, detail: line.message })),
  }
}

/** Checks tokens and rights. If every server has refused to start, one of the last version answers. */
async function checkTokens(run: Run, endsLegacyMode: boolean) {
  const { fleet, book } = run
  const cluster = fleet.primary
  if (cluster.answering().length === 0 && endsLegacyMode) {
    const last = cluster.lastStarted
    if (last !== undefined) await cluster.start(INSPECTOR, last)
  }
  const [server] = cluster.answering()
  const hasNewApi = server !== undefined && isAtLeast(server.version, NEW_ACLS)
  const tokens = hasNewApi
    ? await book
        .check(cluster.client(fleet.managementSecret), cluster.datacenter)
        .catch(undefinedInLegacyMode)
    : undefined
  if (tokens === undefined) return { hasNewApi, tokens, rights: undefined }
  return { hasNewApi, tokens, rights: await proveRightsIn(cluster, run) }
}

function proveRightsIn(cluster: Cluster, { scenario, options, book }: Run): ReturnType<typeof proveRights> {
  const { defaultPolicy } = scenario
  const { signal } = options
  return proveRights(cluster, book.tokensIn(cluster.datacenter), {
    datacenter: cluster.datacenter,
    defaultPolicy,
    signal,
  })
}

function isInPrimary({ fleet }: Run, server: string | undefined): boolean {
  return server === undefined || server === INSPECTOR || fleet.of(server) === fleet.primary
}

const RETRIED: ReadonlySet<string> = new Set(['partition', 'crash', 'restart', 'pause', 'leave'])

/** The state of a secondary at the end. Its tokens are compared if it answers the token API. */
async function checkSecondary(
  run: Run,
  { completeAt }: Seen,
  cluster: Cluster,
  endings: readonly LogLine[],
): Promise<SecondaryFound> {
  const { fleet, done, book } = run
  const { primary } = fleet
  const { datacenter } = cluster
  const isOurs = (server: string) => server !== INSPECTOR && fleet.of(server) === cluster
  const isRetried = done.some(
    ({ step }) =>
      RETRIED.has(step.kind) && !('server' in step && step.server !== undefined && isOurs(step.server)),
  )
  const mayAnswer = cluster.answering().some(({ version }) => isAtLeast(version, NEW_ACLS))
  const copies = mayAnswer
    ? await compareTokens({ primary, book }, cluster).catch(undefinedInLegacyMode)
    : undefined
  return {
    datacenter,
    endedBy: endings.filter(({ server }) => isOurs(server)).map(({ server }) => server),
    copies,
    rights: copies === undefined ? undefined : await proveRightsIn(cluster, run),
    completeAt: completeAt(datacenter),
    // A process that may replicate starts within one heartbeat.
    delayMsMax: MEMBER_HEARTBEAT_MS + (isRetried ? latchkeyModel.replication.retryMsMax : 0),
  }
}

function undefinedInLegacyMode(error: unknown): undefined {
  if (!(error instanceof LatchkeyError && error.code === 'legacy_mode')) throw error
}

function measure(
  log: readonly LogLine[],
  startedAt: number,
  status: MigrationStatus | undefined,
): MeasuredMigration {
  const lines = linesOf(log, BATCH)
  const sizes = lines.map((line) => Number(line.fields.tokens))
  const gaps = lines.slice(1).map((line, i) => line.at - (lines[i]?.at ?? 0))
  const seconds = (line: LogLine | undefined) => (line ? (line.at - startedAt) / 1_000 : null)
  return {
    tokens: status?.Done ?? 0,
    batches: status?.Batches ?? 0,
    sizes,
    firstBatchAt: seconds(lines[0]),
    lastBatchAt: seconds(lines.at(-1)),
    smallestGapMs: gaps.length === 0 ? null : Math.min(...gaps),
  }
}
