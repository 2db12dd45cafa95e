/** The schedule of a scenario as steps on real processes. What cannot be done for real is refused beforehand. */
import { InputError } from '../errors.ts'
import type { Scenario, ScenarioEvent, ServerSpec } from '../scenario/scenario.ts'

export type Step = { readonly atMs: number } & (
  | {
      readonly do: 'replace'
      readonly server: ServerSpec
      readonly version: string
      readonly downtimeMs: number
      readonly acls: boolean
    }
  | { readonly do: 'crash' | 'leave' | 'pause' | 'resume'; readonly server: string }
  | { readonly do: 'create-tokens' | 'edit-tokens'; readonly count: number; readonly offset: number }
)

/**
 * Reads the steps of a scenario in order of time.
 *
 * @throws InputError with its place for what a rehearsal on one machine, with one database, cannot do.
 */
export function stepsOf(scenario: Scenario): readonly Step[] {
  const [datacenter, ...others] = scenario.datacenters
  if (!datacenter || others.length > 0) {
    throw new InputError('a rehearsal has one datacenter; simulate shows what several do')
  }
  const servers = new Map(datacenter.servers.map((server) => [server.id, server]))
  const starts = datacenter.servers.map((server): Step => {
    if (server.status !== 'alive' || server.joinsLater) {
      const what = server.joinsLater ? 'that joins later' : `that has ${server.status}`
      throw new InputError(`a rehearsal cannot begin with a server ${what}: ${server.id}`, {
        place: server.place,
      })
    }
    return {
      atMs: server.startMs,
      do: 'replace',
      server,
      version: server.version.text,
      downtimeMs: 0,
      acls: server.acls,
    }
  })
  const events = scenario.events.map((event) => stepOf(event, servers))
  return [...starts, ...events].sort((a, b) => a.atMs - b.atMs)
}

function stepOf(event: ScenarioEvent, servers: ReadonlyMap<string, ServerSpec>): Step {
  const { atMs } = event
  switch (event.kind) {
    case 'crash':
    case 'leave':
    case 'pause':
    case 'resume':
      return { atMs, do: event.kind, server: event.server }
    case 'start':
    case 'restart': {
      const server = servers.get(event.server)
      if (!server) throw new InputError(`there is no server ${event.server}`, { place: event.place })
      const version = (event.version ?? server.version).text
      return {
        atMs,
        do: 'replace',
        server,
        version,
        downtimeMs: event.downtimeMs,
        acls: event.acls ?? server.acls,
      }
    }
    case 'create-tokens':
      return { atMs, do: 'create-tokens', count: event.count, offset: 0 }
    case 'edit-tokens':
      return { atMs, do: 'edit-tokens', count: event.count, offset: event.offset }
    default:
      throw new InputError(`a rehearsal cannot do "${event.kind}"; simulate can`, { place: event.place })
  }
}
