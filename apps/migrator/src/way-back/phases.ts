/** The phases of an upgrade in one datacenter, with bounds from the history. */
import { isBefore } from '@latchkey/contract'
import { recordsOf } from '../check/facts.ts'
import type { DatacenterSpec, Scenario } from '../scenario/scenario.ts'
import type { History } from '../simulate/history.ts'
import { NEW_ACLS } from '../version.ts'

export type PhaseName = 'replacing' | 'accessors' | 'after' | 'intentions'

export interface Phase {
  readonly name: PhaseName
  readonly datacenter: string
  /** Milliseconds; the end is exclusive, and undefined for the last phase. */
  readonly from: number
  readonly to: number | undefined
}

export const PHASE_TITLES: Readonly<Record<PhaseName, string>> = {
  replacing: 'while servers are replaced',
  accessors: 'while tokens get their accessors',
  after: 'after the upgrade',
  intentions: 'after the intention migration has begun',
}

/** The phases, in order. A datacenter whose servers keep their version has none. */
export function phasesOf(scenario: Scenario, history: History): Phase[] {
  return scenario.datacenters.flatMap((datacenter) => {
    const bounds = boundsOf(datacenter, history)
    const phases = bounds.map(({ name, from }, i) => ({
      name,
      datacenter: datacenter.name,
      from,
      to: bounds[i + 1]?.from,
    }))
    return phases.filter(({ from, to }) => to === undefined || to > from)
  })
}

function boundsOf(datacenter: DatacenterSpec, history: History): Pick<Phase, 'name' | 'from'>[] {
  const { name: id, isPrimary } = datacenter
  const own = <T extends { readonly datacenter: string }>(list: readonly T[]) =>
    list.filter((each) => each.datacenter === id)
  const first = own(recordsOf(history, 'process')).find(
    ({ server, state, version }) => state === 'up' && isReplaced(datacenter, server, version.text),
  )
  if (first === undefined) return []
  // A cluster that left legacy mode before the upgrade passes through it again, without closing the way back.
  const isFirst = datacenter.servers.some(({ from }) => isBefore(from, NEW_ACLS))
  const left = isFirst ? own(recordsOf(history, 'mode')).find(({ mode }) => mode === 'new')?.at : undefined
  const given = isPrimary ? own(recordsOf(history, 'batch')) : own(recordsOf(history, 'replicated'))
  const lastAccessor = given.at(-1)?.at
  const moved = own(recordsOf(history, 'intentions')).find(
    ({ state }) => state === 'migrating' || state === 'done',
  )?.at
  const bounds: readonly { readonly name: PhaseName; readonly from: number | undefined }[] = [
    { name: 'replacing', from: first.at },
    { name: 'accessors', from: lastAccessor === undefined || left === undefined ? undefined : left },
    { name: 'after', from: left === undefined ? undefined : Math.max(left, lastAccessor ?? left) },
    { name: 'intentions', from: moved },
  ]
  return bounds.flatMap(({ name, from }) => (from === undefined ? [] : [{ name, from }]))
}

function isReplaced({ servers }: DatacenterSpec, id: string, version: string): boolean {
  return servers.some((each) => each.id === id && each.from.text !== version)
}
