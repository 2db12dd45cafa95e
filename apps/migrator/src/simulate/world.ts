/** The state of a simulated cluster, and the functions through which the engine changes it. */
import { SeededRandom } from '@latchkey/acl'
import { linkKey, type Scenario, tokenCount } from '../scenario/scenario.ts'
import { DatacenterState, type Process, type ServerState } from './datacenter.ts'
import type { HistoryRecord, RecordOf } from './history.ts'
import type { UpgradeModel } from './models/model.ts'
import { EventQueue } from './queue.ts'
import { TokenStore } from './tokens/token-store.ts'

export interface World {
  readonly scenario: Scenario
  readonly model: UpgradeModel
  readonly queue: EventQueue
  readonly random: SeededRandom
  readonly datacenters: readonly DatacenterState[]
  readonly primary: DatacenterState
  readonly servers: ReadonlyMap<string, ServerState>
  readonly store: TokenStore
  readonly linksDown: Set<string>
  readonly records: HistoryRecord[]
  now: number
  /** Incremented by every change that a look could see. */
  changes: number
  /** Edits to apply between the read and the write of the next batch. */
  racingEdits: { readonly count: number; readonly offset: number }[]
  accessorNext: number
  /** When the first leader of the primary left legacy mode: the point of no return. Spec 9.2.5. */
  completedAt: number | undefined
}

export function createWorld(scenario: Scenario, model: UpgradeModel): World {
  const tokens = tokenCount(scenario.tokens)
  const datacenters = scenario.datacenters.map((spec) => new DatacenterState(spec, tokens))
  const [primary] = datacenters
  if (primary === undefined) throw new TypeError('a scenario has a datacenter')
  return {
    scenario,
    model,
    queue: new EventQueue(),
    random: new SeededRandom(scenario.seed),
    datacenters,
    primary,
    servers: new Map(datacenters.flatMap((each) => each.servers.map((server) => [server.spec.id, server]))),
    store: new TokenStore(scenario.tokens),
    linksDown: new Set(),
    records: [],
    now: 0,
    changes: 0,
    racingEdits: [],
    accessorNext: 0,
    completedAt: undefined,
  }
}

type Unstamped<T> = T extends HistoryRecord ? Omit<T, 'at'> : never

export function record(world: World, what: Unstamped<HistoryRecord>): void {
  world.records.push({ at: world.now, ...what })
}

export function recordProcess(
  world: World,
  { spec }: ServerState,
  state: RecordOf<'process'>['state'],
  process: Pick<Process, 'version' | 'acls' | 'mode'>,
  detail: string,
): void {
  const { version, acls, mode } = process
  record(world, {
    kind: 'process',
    server: spec.id,
    datacenter: spec.datacenter,
    state,
    version,
    acls,
    mode,
    detail,
  })
}

export function changed(world: World): void {
  world.changes += 1
}

export function serverOf(world: World, id: string): ServerState {
  const server = world.servers.get(id)
  if (server === undefined) throw new TypeError(`the scenario let the unknown server ${id} through`)
  return server
}

export function datacenterOf(world: World, name: string): DatacenterState {
  const datacenter = world.datacenters.find(({ spec }) => spec.name === name)
  if (datacenter === undefined) throw new TypeError(`the scenario let the unknown datacenter ${name} through`)
  return datacenter
}

export function isRunning(server: ServerState): server is ServerState & { process: Process } {
  return server.process !== undefined && !server.process.isPaused
}

export function isLinkUp(world: World, a: DatacenterState, b: DatacenterState): boolean {
  return a === b || !world.linksDown.has(linkKey(a.spec.name, b.spec.name))
}

export function linkDelayMs({ scenario }: World, a: DatacenterState, b: DatacenterState): number {
  return a === b ? 0 : (scenario.linkDelayMs.get(linkKey(a.spec.name, b.spec.name)) ?? 0)
}
