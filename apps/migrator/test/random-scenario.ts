/**
 * Random upgrades: small clusters with all kinds of faults. Most end with a healthy cluster, which allows liveness
 * checks. The seed determines the scenario.
 */
import { SeededRandom } from '@latchkey/acl'
import { resolveScenario } from '../src/scenario/resolve.ts'
import type { Scenario } from '../src/scenario/scenario.ts'
import { type ScenarioInput, scenarioSchema } from '../src/scenario/schema.ts'
import { sourceOf } from '../src/scenario/source.ts'

const VERSIONS = ['1.4.0', '1.5.3', '1.6.4', '1.6.5', '1.7.1', '1.8.7', '1.10.0'] as const
type EventInput = NonNullable<ScenarioInput['events']>[number]

/** Faults begin and end within this many seconds; the end of a run has no faults. */
const TROUBLE_SECONDS = 240

/** The random scenario of a seed. */
export function randomScenario(seed: number): Scenario {
  const input = scenarioSchema.parse(randomInput(seed))
  return resolveScenario(
    input,
    sourceOf(() => ({ file: `seed ${seed}` })),
  )
}

/** The random scenario of a seed, as a scenario file. */
export function randomInput(seed: number): ScenarioInput {
  const random = new SeededRandom(seed)
  const datacenters = Array.from({ length: 1 + random.below(3) }, (_, i) =>
    randomDatacenter(random, `dc${i + 1}`),
  )
  const servers = datacenters.flatMap((each) => each.servers)
  const faults = servers.flatMap((server) => randomFaults(random, server))
  return {
    name: `random ${seed}`,
    seed,
    version: random.pick(VERSIONS),
    gossipDelay: random.pick([0, 0.1, 0.3, 1.2]),
    gossipJitter: random.pick([0, 0, 0.2]),
    networkDelay: random.pick([0, 0.05, 0.4]),
    failureDetection: random.pick([0, 1, 8]),
    electionTime: random.pick([1, 2.5, 6]),
    commitTime: random.pick([0, 0.02, 0.3]),
    datacenters,
    legacyTokens: randomTokens(random),
    events: [...faults, ...randomLinks(random, datacenters), ...randomWrites(random)],
  }
}

interface RandomServer {
  readonly id: string
  readonly start: number
  readonly acls: boolean
}

function randomDatacenter(random: SeededRandom, name: string): { name: string; servers: RandomServer[] } {
  const size = random.pick([1, 2, 3, 3, 5])
  const servers = Array.from({ length: size }, (_, i) => ({
    id: `${name}-s${i + 1}`,
    start: random.chance(0.2) ? 0 : random.below(100_000) / 1_000,
    acls: !random.chance(0.06),
  }))
  return { name, servers }
}

/** Up to three faults of one server, without overlap. */
function randomFaults(random: SeededRandom, server: RandomServer): EventInput[] {
  const events: EventInput[] = []
  let from = server.start + 0.001
  if (!server.acls) {
    // ACLs are enabled later, or never.
    const at = from + random.below(60_000) / 1_000
    if (random.chance(0.8)) events.push({ kind: 'restart', at, server: server.id, acls: true, downtime: 1.5 })
    from = at + 2
  }
  for (let i = random.below(4); i > 0; i--) {
    const at = from + random.below(60_000) / 1_000
    const lasts = 1 + random.below(20_000) / 1_000
    if (at + lasts > TROUBLE_SECONDS) break
    events.push(...randomFault(random, server.id, at, lasts))
    from = at + lasts + 0.5
  }
  return events
}

function randomFault(random: SeededRandom, server: string, at: number, lasts: number): EventInput[] {
  switch (random.below(5)) {
    case 0:
      return [
        { kind: 'crash', at, server },
        { kind: 'start', at: at + lasts, server },
      ]
    case 1:
      return [{ kind: 'pause', at, server, for: lasts }]
    case 2:
      return [{ kind: 'restart', at, server, downtime: lasts }]
    case 3:
      return [{ kind: 'elect', at, server }]
    default:
      return [
        { kind: 'leave', at, server },
        { kind: 'start', at: at + lasts, server },
      ]
  }
}

function randomLinks(random: SeededRandom, datacenters: readonly { readonly name: string }[]): EventInput[] {
  return datacenters.slice(1).flatMap((each): EventInput[] => {
    const first = datacenters[0]?.name ?? ''
    if (!random.chance(0.4)) return []
    const at = random.below(150_000) / 1_000
    const lasts = 1 + random.below(60_000) / 1_000
    return [{ kind: 'partition', at, between: [first, each.name], for: lasts }]
  })
}

function randomTokens(random: SeededRandom): ScenarioInput['legacyTokens'] {
  const count = random.pick([0, 1, 127, 128, 129, 700, 3_000])
  return [
    { type: 'client', count },
    { type: 'management', count: random.below(5) },
  ]
}

/** Legacy writes during the upgrade; some race with a batch. */
function randomWrites(random: SeededRandom): EventInput[] {
  return Array.from({ length: random.below(12) }, (): EventInput => {
    const at = random.below(TROUBLE_SECONDS * 1_000) / 1_000
    const count = 1 + random.below(4)
    switch (random.below(4)) {
      case 0:
        return { kind: 'create-tokens', at, count }
      case 1:
        return { kind: 'edit-tokens', at, count, offset: random.below(50), racing: true }
      case 2:
        return { kind: 'edit-tokens', at, count, offset: random.below(200), state: 'unmigrated' }
      default:
        return { kind: 'delete-tokens', at, count, offset: random.below(200) }
    }
  })
}
