/**
 * The way back from every phase of an upgrade, and its losses. In each phase, the simulator tries to return a replaced
 * server to its old version, and refuses this if spec 9.2.5 forbids it.
 */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import { recordsOf, spansOf } from '../check/facts.ts'
import { InputError } from '../errors.ts'
import { modelOf } from '../output/run-simulation.ts'
import type { DatacenterSpec, Scenario, ScenarioEvent, ServerSpec } from '../scenario/scenario.ts'
import { toSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import { simulate } from '../simulate/run.ts'
import { type Losses, lossesBetween, lossTexts } from './losses.ts'
import { PHASE_TITLES, type Phase, type PhaseName, phasesOf } from './phases.ts'

/** Times are seconds from the start of the schedule. */
export interface WayBack {
  readonly phase: PhaseName
  readonly title: string
  readonly datacenter: string
  readonly from: number
  /** Null for the last phase. */
  readonly to: number | null
  /** Whether servers can simply run the old version again. */
  readonly isOpen: boolean
  /** The version to go back to. */
  readonly version: string
  /** The time of the snapshot to restore; null if none is needed. */
  readonly snapshotAt: number | null
  /** The losses at the end of the phase; null without any. */
  readonly losses: Losses | null
  readonly how: string
  /** The losses as texts. */
  readonly lost: readonly string[]
}

/** One entry per phase and datacenter, in order of time. */
export function waysBack(scenario: Scenario, history: History): WayBack[] {
  const closed = new Set<string>()
  return phasesOf(scenario, history)
    .map((phase) => {
      const datacenter = scenario.datacenters.find(({ name }) => name === phase.datacenter)
      if (datacenter === undefined)
        throw new TypeError(`a phase of the unknown datacenter ${phase.datacenter}`)
      const version = oldestOf(datacenter)
      // A way back that is closed in one phase remains closed in later ones.
      const isOpen = !closed.has(datacenter.name) && canReturn(scenario, history, datacenter, phase)
      if (!isOpen) closed.add(datacenter.name)
      return describe({ scenario, history, phase, isOpen, version: version.text })
    })
    .sort((a, b) => a.from - b.from)
}

/** Whether a replaced server can start in its old version at the end of the phase. */
function canReturn(scenario: Scenario, history: History, datacenter: DatacenterSpec, phase: Phase): boolean {
  const atMs = phase.to === undefined ? phase.from + 1 : Math.max(phase.from, phase.to - 1)
  const server = datacenter.servers.find((each) => isReplacedAt(history, each, atMs))
  return server === undefined || canStart(scenario, server, { version: server.from, atMs })
}

/** Whether a server can start in a version at a time, in milliseconds of the scenario. */
export function canStart(
  scenario: Scenario,
  { id, place }: ServerSpec,
  { version, atMs }: { readonly version: ServiceVersion; readonly atMs: number },
): boolean {
  const attempt: ScenarioEvent = {
    kind: 'restart',
    atMs,
    place,
    server: id,
    version,
    acls: undefined,
    downtimeMs: 0,
  }
  const events = [...scenario.events.filter((each) => each.atMs <= atMs), attempt]
  try {
    const tried = simulate(
      { ...scenario, events, workloads: [], durationMs: atMs + 1 },
      modelOf(scenario.model),
    )
    return !recordsOf(tried, 'process').some(
      (each) => each.server === id && each.at >= atMs && each.state === 'refused',
    )
  } catch (error) {
    if (error instanceof InputError) return false
    throw error
  }
}

function isReplacedAt(history: History, { id, from }: ServerSpec, atMs: number): boolean {
  return (spansOf(history).get(id) ?? []).some(
    (span) => span.from <= atMs && atMs < span.to && span.state === 'up' && span.version.text !== from.text,
  )
}

function oldestOf({ servers }: DatacenterSpec) {
  return servers.map(({ from }) => from).reduce((a, b) => (isBefore(b, a) ? b : a))
}

interface Facts {
  readonly scenario: Scenario
  readonly history: History
  readonly phase: Phase
  readonly isOpen: boolean
  readonly version: string
}

function describe({ scenario, history, phase, isOpen, version }: Facts): WayBack {
  const { name, datacenter, from, to } = phase
  const bounds = {
    phase: name,
    title: PHASE_TITLES[name],
    datacenter,
    from: toSeconds(from),
    to: to === undefined ? null : toSeconds(to),
    version,
  }
  if (isOpen) {
    return {
      ...bounds,
      isOpen,
      snapshotAt: null,
      losses: null,
      how: `Restart the replaced servers of ${datacenter} as ${version}, one by one.`,
      lost: [],
    }
  }
  const snapshotAt = snapshotBefore(scenario, history, datacenter)
  const hasSecondaries = datacenter === history.primary && history.datacenters.length > 1
  const others = hasSecondaries ? ' Secondaries that have left legacy mode have to go back too.' : ''
  const losses = lossesBetween(history, datacenter, { snapshotAt, until: to ?? history.endedAt })
  return {
    ...bounds,
    isOpen,
    snapshotAt: toSeconds(snapshotAt),
    losses,
    how: `Stop every server of ${datacenter}, empty its data directory, and restore the snapshot into servers of ${version}.${others}`,
    lost: [...lossTexts(losses), 'every other write after the snapshot, such as policies and keys, is gone'],
  }
}

/** The last scheduled snapshot before the way back closes; otherwise one right before the first replacement. */
function snapshotBefore(scenario: Scenario, history: History, datacenter: string): number {
  const phases = phasesOf(scenario, history).filter((each) => each.datacenter === datacenter)
  const closesAt = phases.find(({ name }) => name !== 'replacing')?.from ?? history.endedAt
  const written = recordsOf(history, 'snapshot').findLast(({ at }) => at <= closesAt)?.at
  return written ?? Math.max(0, (phases[0]?.from ?? 0) - 1)
}
