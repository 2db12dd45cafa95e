/** Measures when the last accessor has reached each secondary of a rehearsal. */
import type { Cluster } from './cluster.ts'
import type { Fleet } from './fleet.ts'

const POLL_MS = 100

/** Polls every secondary for the state of its migration. */
export class ArrivalWatch {
  private readonly fleet: Fleet
  private readonly startedAt: number
  /** By datacenter, the time since which every token has an accessor. */
  private readonly since = new Map<string, number>()
  private isStopped = false
  private readonly polling: Promise<void>

  constructor(fleet: Fleet, startedAt: number) {
    this.fleet = fleet
    this.startedAt = startedAt
    this.polling = this.poll()
  }

  /** Seconds since the schedule began; null while a token has no accessor. */
  completeAt(datacenter: string): number | null {
    return this.since.get(datacenter) ?? null
  }

  async stop(): Promise<void> {
    this.isStopped = true
    await this.polling
  }

  private async poll(): Promise<void> {
    while (!this.isStopped) {
      await Promise.all(this.fleet.secondaries.map((cluster) => this.look(cluster)))
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  private async look(cluster: Cluster): Promise<void> {
    const status = await cluster.migration()
    const seconds = (Date.now() - this.startedAt) / 1_000
    if (status === undefined) return
    const { datacenter } = cluster
    if (status.State !== 'done') this.since.delete(datacenter)
    else if (!this.since.has(datacenter)) this.since.set(datacenter, seconds)
  }
}
