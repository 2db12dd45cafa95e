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
} from '@latchkey/acl'
import { limits } from '@latchkey/contract'
import { type LocalChecks, removeService, type Store, writeResult } from '@latchkey/service'
import type { Logger } from 'pino'
import type { Outgoing } from '../outgoing/outgoing.ts'
import { type CheckResult, runHttpCheck } from './http-check.ts'
import { runTcpCheck } from './tcp-check.ts'

interface RunnerOptions {
  readonly store: Store
  readonly nodeName: string
  readonly localChecks: LocalChecks
  readonly outgoing: Outgoing
  /** The only hosts that TCP checks connect to; empty for any. */
  readonly hosts: readonly string[]
  readonly log: Logger
}

/** A check that runs here. */
interface Running {
  /** Its definition as text. A change restarts the check. */
  readonly definition: string
  readonly agent: AgentCheck
  counts: ResultCounts
  timer: NodeJS.Timeout | undefined
}

/** How often an alias evaluates the checks that it follows. */
const ALIAS_INTERVAL_MS = 1_000
/** Maximum duration of a Node timer. */
const TIMER_MS_MAX = 2 ** 31 - 1

export class CheckRunner {
  private readonly options: RunnerOptions
  /** By check ID in lower case. */
  private readonly running = new Map<string, Running>()
  /** Since when each check has been critical, by ID; only for services that may be removed. */
  private readonly criticalSince = new Map<string, number>()
  private active = 0
  private readonly queue: (() => void)[] = []

  constructor(options: RunnerOptions) {
    this.options = options
  }

  /** Starts checks that are new or changed, and stops those that are gone. */
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
      const running: Running = { definition, agent, counts: NO_RESULTS, timer: undefined }
      this.running.set(key, running)
      this.plan(key, running, Math.random() * intervalOf(agent))
    }
    for (const key of this.running.keys()) if (!seen.has(key)) this.stopOne(key)
  }

  stop(): void {
    for (const key of [...this.running.keys()]) this.stopOne(key)
    this.criticalSince.clear()
  }

  /**
   * Removes each service that has had a critical check for the time that the check allows.
   *
   * @param now milliseconds of a monotonic clock.
   */
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
    clearTimeout(this.running.get(key)?.timer)
    this.running.delete(key)
  }

  private plan(key: string, running: Running, afterMs: number): void {
    running.timer = setTimeout(() => this.enqueue(key, running), Math.min(afterMs, TIMER_MS_MAX))
    running.timer.unref()
  }

  /** Limits how many checks run at a time; the others wait in order. */
  private enqueue(key: string, running: Running): void {
    const begin = () => {
      this.active += 1
      void this.runOne(key, running).finally(() => {
        this.active -= 1
        this.queue.shift()?.()
      })
    }
    if (this.active < limits.CHECK_RUNS_MAX) begin()
    else this.queue.push(begin)
  }

  private async runOne(key: string, running: Running): Promise<void> {
    const { log } = this.options
    const isCurrent = () => this.running.get(key) === running
    if (!isCurrent()) return
    try {
      const result = await this.resultOf(running.agent)
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

  private async resultOf(agent: AgentCheck): Promise<CheckResult> {
    const { run } = agent
    const { outgoing, hosts, store, nodeName } = this.options
    if (run.type === 'http') return runHttpCheck(run, agent, outgoing)
    if (run.type === 'tcp') return runTcpCheck(run, hosts)
    const catalog = store.catalog()
    const followed = run.type === 'alias' ? { node: run.node || nodeName, service: run.service } : undefined
    if (!followed) return { status: 'critical', output: '' }
    const { node, service } = followed
    const target = service === '' ? undefined : catalog.service(node, service)
    const own = target ? catalog.checksOf(target) : []
    return aliasResult([...catalog.nodeChecks(node), ...own])
  }
}

function intervalOf({ run }: AgentCheck): number {
  return run.type === 'http' || run.type === 'tcp' ? run.intervalMs : ALIAS_INTERVAL_MS
}
