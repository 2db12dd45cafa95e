/** Concludes a rehearsal: asks for the tokens, proves what it must, and draws what was measured. */
import { LatchkeyError } from '@latchkey/sdk'
import type { Chart } from '../report/chart/chart.ts'
import { sleep } from '../sleep.ts'
import { isAtLeast, NEW_ACLS } from '../version.ts'
import { measuredChart, observedOf } from './charts.ts'
import type { ServerModes } from './modes.ts'
import type { ProbeResult } from './probes.ts'
import { type MigrationStatus, withLostLines } from './proof/lost-lines.ts'
import { BATCH, ENDED, JOINED, type Simulated, simulateMeasured, stallsOf } from './proof/measured.ts'
import { type MeasuredMigration, type Proof, prove } from './proof/prove.ts'
import { proveRights } from './proof/rights.ts'
import { measuredOf, type Run, type Seen } from './run.ts'
import type { Step } from './schedule.ts'
import { type LogLine, linesOf } from './server-process.ts'

export interface Rehearsal {
  readonly scenario: string
  readonly verdict: 'proved' | 'failed'
  readonly proofs: readonly Proof[]
  /** Seconds since the schedule began. */
  readonly legacyModeEndedAt: number | null
  readonly servers: Readonly<Record<string, ServerModes>>
  readonly migration: MeasuredMigration
  /** The simulation of the same schedule, with the measured times of starts, commits and takeovers. */
  readonly simulated: Pick<Simulated, 'servers' | 'migration' | 'verdict' | 'reasons' | 'waysBack'>
  /** Modes, tokens without accessor and errors over time. */
  readonly charts: { readonly predicted: Chart; readonly measured: Chart }
  readonly clients: ProbeResult
  readonly timeline: readonly { readonly at: number; readonly server: string; readonly detail: string }[]
}

const DISTURBING: ReadonlySet<string> = new Set<Step['kind']>([
  'crash',
  'leave',
  'pause',
  'restart',
  'create-tokens',
  'edit-tokens',
  'delete-tokens',
])

const TOLD: ReadonlySet<string> = new Set([JOINED, 'listening', 'stopping', ENDED, BATCH])

/** Proves the rehearsal from what was measured, and tells it. */
export async function conclude(run: Run, seen: Seen): Promise<Rehearsal> {
  const { options, scenario, cluster, book, done } = run
  const { startedAt, servers } = seen
  // Log lines arrive slightly after the events.
  await sleep(500, options.signal)
  const written = [...cluster.log]
  const { endsLegacyMode } = simulateMeasured(measuredOf(run, written, seen))
  const checked = await checkTokens(run, endsLegacyMode)
  const status = checked.hasNewApi
    ? await cluster.client(cluster.managementSecret).status.migration()
    : undefined
  const log = withLostLines(written, done, status)
  const measured = measuredOf(run, log, seen)
  const simulated = simulateMeasured(measured)
  const { verdict, reasons, waysBack } = simulated
  const ended = log.filter((line) => line.message === ENDED && line.at >= startedAt)
  const migration = measure(log, startedAt, status)
  const proofs = prove(
    {
      servers,
      migration,
      endedBy: ended.map((line) => line.server),
      refusedWrites: run.refusedWrites,
      edits: book.edits,
      tokens: checked.tokens,
      rights: checked.rights,
      refusedRecords: options.refusedRecords,
      workloads: scenario.workloads,
      windows: seen.windows,
      stalls: [...seen.stalls, ...stallsOf(measured)],
      isDisturbed: done.some(
        ({ step, at, answeredAt = at }) =>
          DISTURBING.has(step.kind) && answeredAt >= (ended[0]?.at ?? startedAt),
      ),
    },
    simulated,
  )
  return {
    scenario: scenario.name,
    verdict: proofs.every((proof) => proof.holds) ? 'proved' : 'failed',
    proofs,
    legacyModeEndedAt: ended[0] ? (ended[0].at - startedAt) / 1_000 : null,
    servers,
    migration,
    simulated: { servers: simulated.servers, migration: simulated.migration, verdict, reasons, waysBack },
    charts: {
      predicted: simulated.chart,
      measured: measuredChart(observedOf(run, { ...seen, log }, simulated), simulated.chart.marks),
    },
    clients: seen.clients,
    timeline: log
      .filter((line) => TOLD.has(line.message))
      .map((line) => ({ at: (line.at - startedAt) / 1_000, server: line.server, detail: line.message })),
  }
}

/**
 * Asks for the tokens and their rights, if the new API answers. Where every server has refused to start, one more of the
 * last version that ran answers for them.
 */
async function checkTokens(run: Run, endsLegacyMode: boolean) {
  const { cluster, book, scenario, options } = run
  if (cluster.answering().length === 0 && endsLegacyMode) {
    const last = cluster.lastStarted
    if (last !== undefined) await cluster.start('inspector', last)
  }
  const [server] = cluster.answering()
  const hasNewApi = server !== undefined && isAtLeast(server.version, NEW_ACLS)
  const client = () => cluster.client(cluster.managementSecret)
  const tokens = hasNewApi ? await book.check(client()).catch(undefinedInLegacyMode) : undefined
  if (tokens === undefined) return { hasNewApi, tokens, rights: undefined }
  const { signal } = options
  const { primary: datacenter, defaultPolicy } = scenario
  return {
    hasNewApi,
    tokens,
    rights: await proveRights(cluster, book.tokens, { datacenter, defaultPolicy, signal }),
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
