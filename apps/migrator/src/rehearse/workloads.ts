/** Runs the workloads of a scenario against real servers, and records what their clients see. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ANONYMOUS_TOKEN_SECRET_ID } from '@latchkey/acl'
import type { LegacyToken } from '@latchkey/contract'
import { type CallKind, callsOf } from '../clients/call.ts'
import { type ClientErrors, writtenDestinations } from '../clients/clients.ts'
import type { WorkloadSpec } from '../scenario/scenario.ts'
import type { Fleet } from './fleet.ts'
import type { CreatedIntention } from './steps/intentions.ts'

/** A call, and the outcome that an answer indicates; undefined: the same answer as before the upgrade. */
interface Call {
  readonly method: string
  readonly path: (secret: string, intention?: CreatedIntention) => string
  /** Whose token it presents. Default: management. */
  readonly as?: 'anonymous' | 'tokens'
  readonly body?: (intention?: CreatedIntention) => string
  readonly outcome: (status: number, text: string) => string | undefined
  /** Simulated outcomes that depend on which server is elected. */
  readonly notCompared?: readonly string[]
}

const ANONYMOUS = '00000000-0000-0000-0000-000000000002'
const inLegacyMode = (status: number, text: string) =>
  status === 403 && text.includes('currently in legacy mode') ? 'legacy-mode' : undefined
const isOff = (status: number) => (status === 401 ? 'acl-disabled' : undefined)

/** The kinds of calls whose outcome depends only on the upgrade, and not on which server is elected. */
const CALLS: Partial<Record<CallKind, Call>> = {
  new: {
    method: 'GET',
    path: () => '/v1/acl/token/self',
    as: 'tokens',
    outcome: (status, text) =>
      (status === 404 ? 'endpoint-unknown' : undefined) ?? isOff(status) ?? inLegacyMode(status, text),
  },
  legacy: {
    method: 'GET',
    path: (secret) => `/v1/acl/info/${encodeURIComponent(secret)}`,
    as: 'tokens',
    outcome: (status) => (status === 410 ? 'endpoint-removed' : isOff(status)),
  },
  bootstrap: { method: 'PUT', path: () => '/v1/acl/bootstrap', outcome: inLegacyMode },
  'kv-read': {
    method: 'GET',
    path: () => '/v1/kv/latchkey/rehearsal',
    as: 'anonymous',
    outcome: (status) => (status === 403 ? 'kv-forbidden' : undefined),
  },
  'unknown-field': {
    method: 'PUT',
    path: () => `/v1/acl/token/${ANONYMOUS}`,
    body: () => '{"Nonsense":1}',
    outcome: (status) => (status === 400 ? 'unknown-field' : undefined),
  },
  'wrong-method': {
    method: 'POST',
    path: () => '/v1/status/leader',
    outcome: (status) => (status === 405 ? 'wrong-method' : undefined),
  },
  'intention-read': {
    method: 'GET',
    path: () => '/v1/connect/intentions',
    outcome: (status) => (status === 200 ? undefined : `status-${status}`),
  },
  // Spec 9.5.3: writes an unchanged intention.
  'intention-write': {
    method: 'PUT',
    path: (_, intention) => `/v1/connect/intentions/${intention?.id}`,
    body: (intention) => JSON.stringify(intention?.body),
    outcome: (status) => (status === 404 || status === 409 ? 'intention-id-gone' : undefined),
    notCompared: ['intentions-blocked', 'no-leader'],
  },
  'agent-self': {
    method: 'GET',
    path: () => '/v1/agent/self',
    outcome: (_, text) => (text.includes('"DebugConfig"') ? 'config-reduced' : undefined),
  },
}

const ANSWER_MS_MAX = 10_000

/** The period in which clients of a workload saw an outcome. Milliseconds since the schedule began. */
export type Window = Pick<ClientErrors, 'first' | 'last' | 'count'> & {
  readonly spans: readonly { readonly from: number; readonly to: number }[]
}

export type Windows = ReadonlyMap<string, ReadonlyMap<string, Window>>

/** Clients that call every server in each rehearsal, as legacy and new tools do. */
export function probesOf(servers: readonly string[]): readonly WorkloadSpec[] {
  return (['legacy', 'new'] as const).map((kind) => ({
    ...{ name: `${kind} API`, kind, servers, agents: [], ratePerSecond: 5, connections: 1 },
    ...{ fromMs: 0, toMs: undefined, endpoint: undefined, field: undefined },
  }))
}

export function notRehearsed({ kind, agents, connections, endpoint }: WorkloadSpec): string | undefined {
  if (agents.length > 0) return 'it calls client agents'
  if (endpoint !== undefined) return 'it names an endpoint'
  if (callsOf(kind).some((call) => CALLS[call] === undefined))
    return `a rehearsal makes no calls of kind ${kind}`
  return connections > 1 ? 'it keeps many connections open' : undefined
}

export function isCompared({ kind }: Pick<WorkloadSpec, 'kind'>, outcome: string): boolean {
  return !callsOf(kind).some((call) => CALLS[call]?.notCompared?.includes(outcome))
}

interface WorkloadPlace {
  readonly fleet: Fleet
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly intentions: readonly CreatedIntention[]
  /** Of tokens that call the servers, in turn. */
  readonly secrets: readonly string[]
}

const CALLERS_MAX = 50
/** A secret that HTTP can carry in a header. */
export const PRESENTABLE = /^[\x21-\x7e]+$/

/** Of all tokens in equal distances, because the first may be of one kind. */
export function callersOf(tokens: readonly LegacyToken[]): readonly string[] {
  const secrets = tokens.flatMap(({ ID }) =>
    ID !== ANONYMOUS_TOKEN_SECRET_ID && PRESENTABLE.test(ID) ? [ID] : [],
  )
  const step = Math.ceil(secrets.length / CALLERS_MAX)
  return secrets.filter((_, i) => i % step === 0)
}

export class Workloads {
  private readonly windows = new Map<string, Map<string, Window>>()
  private readonly place: WorkloadPlace
  private readonly written: readonly CreatedIntention[]
  private readonly stopping = new AbortController()
  private calls = 0
  private readonly loops: Promise<void>[]

  constructor(place: WorkloadPlace, workloads: readonly WorkloadSpec[]) {
    this.place = place
    const { intentions } = place
    this.written = writtenDestinations(intentions).flatMap(
      (written) => intentions.find(({ destination }) => destination === written) ?? [],
    )
    this.loops = workloads.map((workload) => this.run(workload))
  }

  /** All calls so far, and the outcomes by workload. Times are seconds since the schedule began. */
  seen() {
    const errors = [...this.windows].flatMap(([name, outcomes]) =>
      [...outcomes].map(([outcome, { first, last, count }]) => {
        return [`${name}: ${outcome}`, { first: first / 1_000, last: last / 1_000, count }] as const
      }),
    )
    return { calls: this.calls, errors: Object.fromEntries(errors) }
  }

  async stop(): Promise<Windows> {
    this.stopping.abort()
    await Promise.all(this.loops)
    return this.windows
  }

  private async run(workload: WorkloadSpec): Promise<void> {
    const { name, kind, servers, ratePerSecond, fromMs, toMs = Number.POSITIVE_INFINITY } = workload
    const { startedAt } = this.place
    const calls = callsOf(kind)
    const seen = new Map<string, Window>()
    this.windows.set(name, seen)
    const inFlight = new Set<Promise<void>>()
    for (let k = 0; ; k += 1) {
      const at = fromMs + (k * 1_000) / ratePerSecond
      const isOver = await sleep(Math.max(0, startedAt + at - Date.now()), false, {
        signal: this.stopping.signal,
      }).catch(() => true)
      if (isOver || at >= toMs) break
      // As in the simulation, servers rotate first, then calls, then destinations.
      const server = servers[k % servers.length] ?? ''
      const round = Math.floor(k / servers.length)
      const call = CALLS[calls[round % calls.length] ?? 'new']
      if (call === undefined) continue
      const intention = this.written[Math.floor(round / calls.length) % this.written.length]
      this.calls += 1
      const calledAt = Date.now() - startedAt
      const done = this.call(server, call, intention).then((outcome) => note(seen, outcome, calledAt))
      inFlight.add(done)
      void done.finally(() => inFlight.delete(done))
    }
    await Promise.all(inFlight)
  }

  private async call(
    server: string,
    { method, path, as, body, outcome }: Call,
    intention: CreatedIntention | undefined,
  ) {
    const { fleet, secrets } = this.place
    const own = as === 'tokens' ? secrets[this.calls % secrets.length] : undefined
    const secret = own ?? fleet.managementSecret
    try {
      const response = await fetch(`${fleet.of(server).urlOf(server)}${path(secret, intention)}`, {
        method,
        headers: as === 'anonymous' ? {} : { 'X-Service-Token': secret },
        ...(body === undefined ? {} : { body: body(intention) }),
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      })
      return outcome(response.status, await response.text())
    } catch (error) {
      return error instanceof DOMException && error.name === 'TimeoutError' ? 'timeout' : 'unreachable'
    }
  }
}

function note(seen: Map<string, Window>, outcome: string | undefined, at: number): void {
  if (outcome === undefined) return
  const { first, last, count, spans } = seen.get(outcome) ?? { first: at, last: at, count: 0, spans: [] }
  seen.set(outcome, {
    first: Math.min(first, at),
    last: Math.max(last, at),
    count: count + 1,
    spans: [...spans, { from: at, to: at }],
  })
}
