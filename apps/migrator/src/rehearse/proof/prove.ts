/** The proofs of a rehearsal: the rules of the upgrade hold, and real servers behaved as the simulation predicted. */

import { ACCESSOR_BATCH_INTERVAL_MS_MIN, ACCESSOR_BATCH_SIZE_MAX, MEMBER_HEARTBEAT_MS } from '@latchkey/acl'
import { counted } from '../../findings/finding.ts'
import type { WorkloadSpec } from '../../scenario/scenario.ts'
import { formatMeasured, spanOf } from '../../scenario/time.ts'
import type { TokenFaults } from '../steps/tokens.ts'
import { MODE_POLL_MS, type ServerModes } from '../watches.ts'
import { isCompared, notRehearsed, type Window, type Windows } from '../workloads.ts'
import { type IntentionsFound, intentionProofs } from './intentions.ts'
import type { Simulated } from './measured.ts'
import { endProof, matches, type Proof, proof, rightsProof } from './proof.ts'
import type { RightsProof } from './rights.ts'
import { type SecondaryFound, secondaryProofs } from './secondaries.ts'
import { CLOCK_MS, distanceMs, haveSameBursts, type Stall, stalledMs } from './stalls.ts'

export interface MeasuredMigration {
  readonly tokens: number
  readonly batches: number
  readonly sizes: readonly number[]
  /** Seconds since the schedule began. */
  readonly firstBatchAt: number | null
  readonly lastBatchAt: number | null
  /** Minimum time between two batches, in milliseconds; null with fewer than two. */
  readonly smallestGapMs: number | null
}

export interface Findings {
  readonly servers: Readonly<Record<string, ServerModes>>
  readonly migration: MeasuredMigration
  readonly endedBy: readonly string[]
  readonly secondaries: readonly SecondaryFound[]
  readonly intentions: IntentionsFound | undefined
  readonly refusedWrites: readonly string[]
  readonly edits: number
  /** Undefined while no server answers the new API. */
  readonly tokens: TokenFaults | undefined
  readonly rights: RightsProof | undefined
  readonly refusedRecords: readonly string[] | undefined
  readonly workloads: readonly WorkloadSpec[]
  readonly windows: Windows
  readonly stalls: readonly Stall[]
  readonly isDisturbed: boolean
}

const TIME_SHARE_MAX = 0.02
/** Maximum difference of two times apart from stalls: heartbeat, polls, and steps too short for a stall. */
const SLACK_MS = MEMBER_HEARTBEAT_MS + MODE_POLL_MS + 5 * CLOCK_MS

export function prove(found: Findings, simulated: Simulated): readonly Proof[] {
  return [
    ...(found.tokens === undefined
      ? []
      : [
          accessorProof(found.tokens),
          proof(
            'no edit is lost',
            faultsOf({ 'tokens have another name': found.tokens.lostEdits }),
            counted(found.edits, 'edit'),
          ),
        ]),
    lawProof(found.migration),
    ...(found.rights === undefined ? [] : [rightsProof(found.rights)]),
    endProof(found.endedBy, simulated.endsLegacyMode),
    modeProof(found, simulated),
    ...found.secondaries.flatMap((each) => {
      const predicted = simulated.secondaries[each.datacenter]
      const tolerance = { slackMs: SLACK_MS, share: TIME_SHARE_MAX, stalls: found.stalls }
      return predicted === undefined ? [] : secondaryProofs(each, predicted, tolerance)
    }),
    sizeProof(found, simulated),
    timeProof(found, simulated),
    ...(found.intentions === undefined ? [] : intentionProofs(found.intentions, simulated)),
    refusalProof(found.refusedWrites, simulated.refusedWrites),
    ...(found.refusedRecords === undefined ? [] : [recordProof(found.refusedRecords)]),
    ...found.workloads.map((workload) => workloadProof(workload, found, simulated.windows)),
    ...(simulated.violations.length === 0
      ? []
      : [proof('the simulation obeys its rules', simulated.violations, '')]),
  ]
}

function faultsOf(faults: Readonly<Record<string, number>>): string[] {
  return Object.entries(faults).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []))
}

function accessorProof({
  tokens,
  accessors,
  lost,
  misplaced,
  withoutAccessor,
  returned,
}: TokenFaults): Proof {
  const faults = {
    'tokens are gone': lost,
    'have none': withoutAccessor,
    'share one': withoutAccessor > 0 ? 0 : tokens - accessors,
    'deleted tokens exist': returned,
    'tokens of the token API are in the wrong datacenters': misplaced,
  }
  const detail = `${tokens} tokens, ${accessors} accessors`
  return proof('every token has exactly one accessor', faultsOf(faults), detail)
}

/** Spec 8: at most 128 tokens per batch, and at most one batch in any second. */
function lawProof({ batches, sizes, smallestGapMs }: MeasuredMigration): Proof {
  const largest = Math.max(0, ...sizes)
  const isLate = smallestGapMs === null || smallestGapMs >= ACCESSOR_BATCH_INTERVAL_MS_MIN
  const gap = smallestGapMs === null ? '' : `, at least ${smallestGapMs} ms apart`
  return {
    name: 'the batch limits held',
    holds: largest <= ACCESSOR_BATCH_SIZE_MAX && isLate,
    detail: batches === 0 ? 'no batch' : `${counted(batches, 'batch')} of at most ${largest} tokens${gap}`,
  }
}

function modeProof({ servers, stalls }: Findings, simulated: Simulated): Proof {
  const show = (what: string | null | undefined, at: number | null) =>
    what === 'new' && at !== null ? `new at ${formatMeasured(at * 1_000)}` : (what ?? 'down')
  const rows = Object.entries(servers).map(([id, { mode, newModeAt }]) => {
    const predicted = simulated.servers[id] ?? { mode: null, newModeAt: null }
    const isSame =
      mode === predicted.mode && isNear(newModeAt, mode === 'new' ? predicted.newModeAt : null, stalls)
    const text = `${id} ${show(mode, newModeAt)}`
    return { isSame, text, both: `${text}, simulated ${show(predicted.mode, predicted.newModeAt)}` }
  })
  const faults = rows.flatMap(({ isSame, both }) => (isSame ? [] : [both]))
  const detail = rows.map(({ text }) => text).join(', ')
  return proof('the mode of each server matches the simulation', faults, detail)
}

/** Times in seconds. */
function isNear(a: number | null, b: number | null, stalls: readonly Stall[]): boolean {
  if (a === null || b === null) return a === b
  return distanceMs(a * 1_000, b * 1_000, stalls) <= SLACK_MS + TIME_SHARE_MAX * b * 1_000
}

/**
 * Exact, also with tokens that were created and deleted between batches: the order of tokens, writes and batches is known.
 * Only of writes in flight during a batch it is not: then, and after a takeover, full batches and the total are compared.
 */
function sizeProof({ migration, isDisturbed }: Findings, simulated: Simulated): Proof {
  const { sizes } = migration
  const [predicted = simulated.migration.sizes, other = predicted] = simulated.orderedSizes
  const full = (each: readonly number[]) => each.filter((size) => size === ACCESSOR_BATCH_SIZE_MAX).length
  const isBetween = (of: (each: readonly number[]) => number) => {
    const bounds = [of(predicted), of(other)]
    return of(sizes) >= Math.min(...bounds) && of(sizes) <= Math.max(...bounds)
  }
  const isSame =
    [predicted, other].some((each) => each.join() === sizes.join()) ||
    (isDisturbed && isBetween(full) && isBetween((each) => each.reduce((sum, size) => sum + size, 0)))
  const isOpen = predicted.join() !== other.join()
  const open = isOpen ? `, or ${showSizes(other)} if writes in flight during a batch came after it` : ''
  const simulatedSizes = `${showSizes(predicted)}${open}`
  const measured = isOpen ? `${showSizes(sizes)}; simulated ${simulatedSizes}` : showSizes(sizes)
  return matches('the batch sizes match the simulation', isSame, measured, simulatedSizes)
}

function showSizes(sizes: readonly number[]): string {
  if (sizes.length === 0) return 'none'
  const full = sizes.filter((size) => size === ACCESSOR_BATCH_SIZE_MAX).length
  const rest = sizes.filter((size) => size !== ACCESSOR_BATCH_SIZE_MAX)
  return [
    ...(full > 0 ? [`${full} of ${ACCESSOR_BATCH_SIZE_MAX} tokens`] : []),
    ...rest.map((size) => `one of ${size}`),
  ].join(', ')
}

function timeProof({ migration, isDisturbed, stalls }: Findings, simulated: Simulated): Proof {
  const [measuredMs, predictedMs] = [lasts(migration), lasts(simulated.migration)]
  const { firstBatchAt, lastBatchAt } = migration
  const takeoverMs = SLACK_MS + stalledMs(stalls, 1_000 * (firstBatchAt ?? 0), 1_000 * (lastBatchAt ?? 0))
  // Commit times are measured, so only the time between two workers can include a stall.
  // Deletions may make the difference of a batch, which the sizes prove.
  const batches = Math.abs(migration.sizes.length - simulated.migration.sizes.length)
  const extraMs = simulated.orderedSizes.length > 0 ? batches * ACCESSOR_BATCH_INTERVAL_MS_MIN : 0
  const allowedMs =
    Math.max(CLOCK_MS, predictedMs * TIME_SHARE_MAX) + (isDisturbed ? takeoverMs + extraMs : 0)
  const starts = [firstBatchAt, simulated.migration.firstBatchAt] as const
  const [began, predicted] = starts.map((at) => (at === null ? 'never' : formatMeasured(at * 1_000)))
  return {
    name: 'the batch times match the simulation',
    holds: Math.abs(measuredMs - predictedMs) <= allowedMs && isNear(...starts, stalls),
    detail: `first at ${began}, simulated ${predicted}; then ${formatMeasured(measuredMs)}, simulated ${formatMeasured(predictedMs)}`,
  }
}

type Batches = Pick<MeasuredMigration, 'firstBatchAt' | 'lastBatchAt'>

function lasts({ firstBatchAt, lastBatchAt }: Batches): number {
  return firstBatchAt === null || lastBatchAt === null ? 0 : (lastBatchAt - firstBatchAt) * 1_000
}

function refusalProof(refused: readonly string[], predicted: number): Proof {
  const reasons = [...new Set(refused)].map((reason) => ` (${reason})`).join('')
  const measured = `${counted(refused.length, 'write')}${reasons}`
  const name = 'the refused writes match the simulation'
  return matches(name, refused.length === predicted, measured, String(predicted))
}

const RECORDS_SHOWN_MAX = 10

function recordProof(refused: readonly string[]): Proof {
  const more = refused.length - RECORDS_SHOWN_MAX
  const shown = [...refused.slice(0, RECORDS_SHOWN_MAX), ...(more > 0 ? [`and ${more} more`] : [])]
  return proof('every record of the dump was imported', shown, 'all of them')
}

/** Both sides must have the same outcomes at the same times. A brief outcome may be missing on one side. */
function workloadProof(
  workload: WorkloadSpec,
  { windows: measured, stalls }: Findings,
  simulated: Windows,
): Proof {
  const name = `what ${workload.name} saw matches the simulation`
  const reason = notRehearsed(workload)
  if (reason !== undefined) return { name, holds: true, detail: `not rehearsed: ${reason}` }
  const seen = measured.get(workload.name) ?? new Map<string, Window>()
  const predicted = new Map(
    [...(simulated.get(workload.name) ?? [])].filter(([outcome]) => isCompared(workload, outcome)),
  )
  // Allows for the interval until the next call of this kind to the same server.
  const options = { stalls, allowedMs: SLACK_MS + (2_000 * workload.servers.length) / workload.ratePerSecond }
  const faults = [...new Set([...seen.keys(), ...predicted.keys()])].flatMap((kind) => {
    const [real, model] = [seen.get(kind), predicted.get(kind)]
    return haveSameBursts(real, model, options)
      ? []
      : [`${kind} ${showWindow(real)}, simulated ${showWindow(model)}`]
  })
  const detail = [...seen].map(([kind, window]) => `${kind} ${showWindow(window)}`).join(', ')
  return proof(name, faults, detail || 'no error')
}

function showWindow(window: Window | undefined): string {
  if (window === undefined) return 'never'
  const { first, last, count } = window
  return `${count} times ${spanOf(first, last, formatMeasured)}`
}
