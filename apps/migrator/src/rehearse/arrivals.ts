/** When the last accessor has reached each secondary of a rehearsal. */
import type { Cluster } from './cluster.ts'
import type { Fleet } from './fleet.ts'

const POLL_MS = 100

/** Asks every secondary that has left legacy mode how many of its tokens have no accessor. */
export class ArrivalWatch {
  private readonly fleet: Fleet
  private readonly startedAt: number
  /** By datacenter: since when none is without. */
  private readonly since = new Map<string, number>()
  private isStopped = false
  private readonly polling: Promise<void>

  constructor(fleet: Fleet, startedAt: number) {
    this.fleet = fleet
    this.startedAt = startedAt
    this.polling = this.poll()
  }

  /** Seconds since the schedule began, by datacenter; null while some token has none. */
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
