/**
 * Runs the HTTP, TCP and alias checks of the server's node, and removes services that have been critical for too long.
 * Decisions: agent.
 */
import {
  type AgentCheck,
  aliasResult,
  type CheckRecord,
  countResult,
  movesStatus,
  NO_RESULTS,
  type ResultCounts,
} from '@latchkey/catalog'
import { limits } from '@latchkey/contract'
import {
  type LocalChecks,
  removeService,
  Semaphore,
  type Share,
  type Store,
  writeResult,
} from '@latchkey/service'
import type { Logger } from 'pino'
import type { Outgoing } from '../outgoing/outgoing.ts'
import { type CheckResult, runHttpCheck } from './http-check.ts'
import { runTcpCheck } from './tcp-check.ts'

interface RunnerOptions {
  readonly store: Store
  readonly nodeName: string
  readonly localChecks: LocalChecks
  readonly outgoing: Outgoing
  readonly log: Logger
}

type OwnedCheck = AgentCheck & Pick<NonNullable<CheckRecord['Agent']>, 'owner'>

interface Running {
  /** Its definition as text. A change restarts the check. */
  readonly definition: string
  readonly agent: OwnedCheck
  counts: ResultCounts
  timer: NodeJS.Timeout | undefined
  end: (() => void) | undefined
}

/** How often an alias evaluates the checks that it follows. */
const ALIAS_INTERVAL_MS = 1_000
const TIMER_MS_MAX = 2 ** 31 - 1

export class CheckRunner {
  private readonly options: RunnerOptions
  /** By check ID in lower case. */
  private readonly running = new Map<string, Running>()
  /** Since when each check has been critical, by ID; only for services that may be removed. */
  private readonly criticalSince = new Map<string, number>()
  private readonly runs = new Semaphore(limits.CHECK_RUNS_MAX, { waitingMax: Number.POSITIVE_INFINITY })

  constructor(options: RunnerOptions) {
    this.options = options
  }

  update(checks: readonly CheckRecord[]): void {
    const seen = new Set<string>()
    for (const { CheckID, Agent } of checks) {
      if (!Agent || Agent.run.type === 'ttl') continue
      const key = CheckID.toLowerCase()
      seen.add(key)
      const { process: _process, ...agent } = Agent
      const definition = JSON.stringify(agent)
      if (this.running.get(key)?.definition === definition) continue
      this.stopOne(key)
      const timer = undefined
      const running: Running = { definition, agent, counts: NO_RESULTS, timer, end: undefined }
      this.running.set(key, running)
      this.plan(key, running, Math.random() * intervalOf(agent))
    }
    for (const key of this.running.keys()) if (!seen.has(key)) this.stopOne(key)
  }

  stop(): void {
    for (const key of [...this.running.keys()]) this.stopOne(key)
    this.criticalSince.clear()
  }

  /** Removes services with a critical check for longer than it allows. `now`: of a monotonic clock. */
  async removeCritical(checks: readonly CheckRecord[], now: number): Promise<void> {
    const critical = new Set<string>()
    for (const { CheckID, ServiceID, Status, Agent } of checks) {
      const afterMs = Agent?.deregisterAfterMs
      if (afterMs === undefined || ServiceID === '' || Status !== 'critical') continue
      critical.add(CheckID)
      const since = this.criticalSince.get(CheckID) ?? now
      this.criticalSince.set(CheckID, since)
      if (now - since < afterMs) continue
      this.options.log.info({ service: ServiceID, check: CheckID }, 'a service was critical for too long')
      await removeService(this.options, ServiceID)
    }
    for (const id of this.criticalSince.keys()) if (!critical.has(id)) this.criticalSince.delete(id)
  }

  private stopOne(key: string): void {
    const running = this.running.get(key)
    clearTimeout(running?.timer)
    running?.end?.()
    this.running.delete(key)
  }

  private plan(key: string, running: Running, afterMs: number): void {
    running.timer = setTimeout(() => this.enqueue(key, running), Math.min(afterMs, TIMER_MS_MAX))
    running.timer.unref()
  }

  private enqueue(key: string, running: Running): void {
    const { agent } = running
    // An alias only reads the catalog.
    if (agent.run.type === 'alias') void this.runOne(key, running)
    else {
      const catalog = this.options.store.catalog()
      const check = catalog.check(this.options.nodeName, key)
      // The right to one name allows any number of IDs.
      const service = (check && catalog.serviceOf(check))?.Service.toLowerCase() ?? ''
      const stop = new AbortController()
      running.end = () => stop.abort()
      const { signal } = stop
      const shares = sharesOf(agent.owner ?? '', service)
      // Rejects only if the check is stopped while it waits.
      this.runs.run(() => this.runOne(key, running, signal), { shares, signal }).catch(() => {})
    }
  }

  private async runOne(key: string, running: Running, signal?: AbortSignal): Promise<void> {
    const { log } = this.options
    const isCurrent = () => this.running.get(key) === running
    if (!isCurrent()) return
    try {
      const result = await this.resultOf(running.agent, signal)
      running.counts = countResult(running.counts, result.status)
      if (isCurrent() && movesStatus(running.counts, running.agent)) {
        await writeResult(this.options, key, result)
      }
    } catch (error) {
      log.debug(
        { err: error, check: key },
        'the result of a check could not be written; the next one follows',
      )
    }
    if (isCurrent()) this.plan(key, running, intervalOf(running.agent))
  }

  private async resultOf(agent: AgentCheck, signal?: AbortSignal): Promise<CheckResult> {
    const { run } = agent
    const { outgoing, store, nodeName } = this.options
    if (run.type === 'http') return runHttpCheck(run, agent, outgoing, signal)
    if (run.type === 'tcp') return runTcpCheck(run, outgoing, signal)
    // The deadline of a TTL check is kept elsewhere.
    if (run.type !== 'alias') return { status: 'critical', output: '' }
    const catalog = store.catalog()
    const node = run.node || nodeName
    const target = run.service === '' ? undefined : catalog.service(node, run.service)
    const own = target ? catalog.checksOf(target) : []
    return aliasResult([...catalog.nodeChecks(node), ...own])
  }
}

/** At most a third of the places for one service and three quarters for one token. */
function sharesOf(token: string, service: string): readonly Share[] {
  return [
    { key: `service ${service}`, max: (free) => Math.ceil(free / 2) },
    { key: `token ${token}`, max: (free) => free * 3 },
  ]
}

function intervalOf({ run }: AgentCheck): number {
  return run.type === 'http' || run.type === 'tcp' ? run.intervalMs : ALIAS_INTERVAL_MS
}
