/** The schedule of a scenario as steps on real processes. Unsupported events are refused in advance. */
import { InputError } from '../../errors.ts'
import type { Scenario, ScenarioEvent, ServerSpec } from '../../scenario/scenario.ts'
import { checkIntentions } from './intentions.ts'

const STEP_KINDS = [
  ...(['start', 'restart', 'crash', 'leave', 'pause', 'resume', 'partition', 'heal'] as const),
  // Latchkey servers have no log of their own, so a snapshot has no effect.
  'snapshot',
  ...(['create-tokens', 'edit-tokens', 'delete-tokens', 'convert-tokens', 'edit-intention'] as const),
] as const

/** An event that a rehearsal performs. The planned start of a server is a restart. */
export type Step = ScenarioEvent & { readonly kind: (typeof STEP_KINDS)[number] }

/** @throws InputError, with the place, for an event that a rehearsal on one machine does not support. */
export function stepsOf({ datacenters, events, intentions }: Scenario): readonly Step[] {
  checkIntentions(intentions, events)
  for (const { name, isPrimary, tokenReplication, replicationToken } of datacenters) {
    if (isPrimary || (tokenReplication && replicationToken !== 'none')) continue
    throw new InputError(`a rehearsal replicates the tokens to every secondary, and ${name} has no copies`)
  }
  const servers = datacenters.flatMap((datacenter) => datacenter.servers)
  const steps = [...servers.flatMap(plannedStart), ...events.map(stepOf)]
  return steps.sort((a, b) => a.atMs - b.atMs)
}

function plannedStart(server: ServerSpec): Step[] {
  const { id, status, joinsLater, place, startMs: atMs, version, acls, from } = server
  if (status !== 'alive' || joinsLater) {
    const what = joinsLater ? 'that joins later' : `that has ${status}`
    throw new InputError(`a rehearsal cannot start with a server ${what}: ${id}`, { place })
  }
  // The process from before the schedule already runs this version.
  if (version.text === from.text) return []
  return [{ kind: 'restart', atMs, place, server: id, version, acls, downtimeMs: 0 }]
}

function stepOf(event: ScenarioEvent): Step {
  const { place } = event
  const refuse = (what: string) =>
    new InputError(`a rehearsal does not support ${what}; simulate does`, { place })
  if (!isStep(event)) throw refuse(`"${event.kind}"`)
  return event
}

function isStep(event: ScenarioEvent): event is Step {
  return STEP_KINDS.some((kind) => kind === event.kind)
}

export function downtimeOf(step: Step): number {
  return 'downtimeMs' in step ? step.downtimeMs : 0
}

export function scaled(scenario: Scenario, factor: number): Scenario {
  const scale = (ms: number) => Math.round(ms * factor)
  return {
    ...scenario,
    durationMs: scenario.durationMs === undefined ? undefined : scale(scenario.durationMs),
    datacenters: scenario.datacenters.map((each) => ({
      ...each,
      servers: each.servers.map((server) => ({ ...server, startMs: scale(server.startMs) })),
    })),
    workloads: scenario.workloads.map((each) => ({
      ...each,
      fromMs: scale(each.fromMs),
      toMs: each.toMs === undefined ? undefined : scale(each.toMs),
    })),
    events: scenario.events.map((event) => ({
      ...event,
      atMs: scale(event.atMs),
      ...('downtimeMs' in event ? { downtimeMs: scale(event.downtimeMs) } : {}),
    })),
  }
}
