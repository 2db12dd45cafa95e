/** One observation of a running upgrade: its servers, and the number of tokens without an accessor. */
import { MODE_TEXTS } from '../simulate/history.ts'
import { type SeenServer, type ServiceApi, ServiceSilent } from './service-api.ts'

export interface Observation {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Empty if no server shows them to this token. */
  readonly servers: readonly SeenServer[]
  /**
   * `waiting` for the end of legacy mode or, in a secondary in new mode, for accessors from the primary; `running` while
   * tokens lack an accessor; or `done`.
   */
  readonly state: 'waiting' | 'running' | 'done'
  readonly withoutAccessor: number
  /** Number of tokens that have received an accessor; undefined if the service does not count them. */
  readonly done: number | undefined
  readonly batches: number | undefined
  /** What the end of legacy mode waits for, as far as the service shows it. */
  readonly waitsFor: readonly string[]
}

/** Whether every server that is alive is in new mode. */
export function areInNewMode(servers: readonly SeenServer[]): boolean {
  const alive = servers.filter(({ status }) => status === 'alive')
  return alive.length > 0 && alive.every(({ mode }) => mode === 'new')
}

/**
 * Observes the upgrade through the first server that answers. Every address is also asked for its own mode, because the
 * view that other servers have of it may be stale.
 *
 * @throws ServiceSilent if none answers; InputError if the token may not list tokens.
 */
export async function observe(apis: readonly ServiceApi[]): Promise<Observation> {
  let silent: unknown
  for (const api of apis) {
    try {
      return await observeThrough(api, apis)
    } catch (error) {
      if (!(error instanceof ServiceSilent)) throw error
      silent ??= error
    }
  }
  throw silent
}

async function observeThrough(api: ServiceApi, apis: readonly ServiceApi[]): Promise<Observation> {
  const seen = (await api.servers()) ?? []
  const selves = await Promise.all(apis.map((each) => each.self().catch(undefinedIfSilent)))
  const own = new Map(selves.flatMap((each) => (each === undefined ? [] : [[each.name, each] as const])))
  const servers = [...seen.filter(({ name }) => !own.has(name)), ...own.values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
  const at = Date.now()
  const blockers = servers.filter(({ status, mode }) => status === 'alive' && mode !== 'new').map(blockerText)
  const status = await api.migration()
  if (status !== undefined) {
    const { State, Done, Total, Batches, WaitsFor = [] } = status
    return {
      at,
      servers,
      state: State,
      withoutAccessor: Total - Done,
      done: Done,
      batches: Batches,
      waitsFor: WaitsFor.length > 0 ? WaitsFor : blockers,
    }
  }
  const { withoutAccessor } = await api.tokens()
  const state = blockers.length > 0 ? 'waiting' : withoutAccessor > 0 ? 'running' : 'done'
  return { at, servers, state, withoutAccessor, done: undefined, batches: undefined, waitsFor: blockers }
}

function undefinedIfSilent(error: unknown): undefined {
  if (!(error instanceof ServiceSilent)) throw error
}

export function serverText({ name, version, mode, status }: SeenServer): string {
  const facts = [
    ...(version === '' ? [] : [version]),
    ...(mode === undefined ? [] : [MODE_TEXTS[mode]]),
    ...(status === 'alive' ? [] : [status]),
  ]
  return `${name} (${facts.join(', ')})`
}

function blockerText(server: SeenServer): string {
  return `${serverText(server)} to leave legacy mode`
}
