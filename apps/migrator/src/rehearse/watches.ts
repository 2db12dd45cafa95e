/** Polls the servers of a rehearsal: when each leaves legacy mode, and when the last accessor reaches a secondary. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Mode } from '../simulate/history.ts'
import { isAtLeast, NEW_ACLS } from '../version.ts'
import type { RunningServer } from './cluster.ts'
import type { Fleet } from './fleet.ts'

export const MODE_POLL_MS = 100
const ANSWER_MS_MAX = 10_000
const answerSchema = z.object({ Mode: z.enum(['legacy', 'enabled']) })

export function poll(look: () => unknown, intervalMs = MODE_POLL_MS): () => Promise<void> {
  let isStopped = false
  const polling = (async () => {
    while (!isStopped) {
      await look()
      await sleep(intervalMs)
    }
  })()
  return () => {
    isStopped = true
    return polling
  }
}

export class ArrivalWatch {
  readonly stop: () => Promise<void>
  private readonly since = new Map<string, number>()

  constructor({ secondaries }: Pick<Fleet, 'secondaries'>, startedAt: number) {
    this.stop = poll(() =>
      Promise.all(
        secondaries.map(async (cluster) => {
          const status = await cluster.migration()
          const seconds = (Date.now() - startedAt) / 1_000
          if (status === undefined) return
          if (status.State !== 'done') this.since.delete(cluster.datacenter)
          else if (!this.since.has(cluster.datacenter)) this.since.set(cluster.datacenter, seconds)
        }),
      ),
    )
  }

  /** Seconds since the schedule began; null while a token has no accessor. */
  completeAt(datacenter: string): number | null {
    return this.since.get(datacenter) ?? null
  }
}

export interface ServerModes {
  readonly mode: Mode | null
  /** When its last process was first seen in new mode, in seconds since the schedule began. */
  readonly newModeAt: number | null
}

export class ModeWatch {
  readonly stop: () => Promise<void>
  private readonly fleet: Fleet
  private readonly startedAt: number
  private readonly seen = new Map<string, { readonly url: string; mode: Mode; newModeAt: number | null }>()
  private readonly looking = new Map<string, Promise<void>>()

  constructor(fleet: Fleet, startedAt: number) {
    this.fleet = fleet
    this.startedAt = startedAt
    const stopPolling = poll(() => {
      for (const server of fleet.running()) this.lookAt(server)
    })
    this.stop = async () => {
      await stopPolling()
      await Promise.all(this.looking.values())
    }
  }

  /** One look at a time: a server that has just started answers late, and the others are not seen later for that. */
  private lookAt(server: RunningServer): void {
    if (this.looking.has(server.url)) return
    const looked = this.look(server).finally(() => this.looking.delete(server.url))
    this.looking.set(server.url, looked)
  }

  modes(ids: readonly string[]): Readonly<Record<string, ServerModes>> {
    const running = new Map(this.fleet.running().map((server) => [server.id, server.url]))
    return Object.fromEntries(
      ids.map((id) => {
        const seen = this.seen.get(id)
        const isSame = seen !== undefined && seen.url === running.get(id)
        return [id, isSame ? { mode: seen.mode, newModeAt: seen.newModeAt } : { mode: null, newModeAt: null }]
      }),
    )
  }

  private async look({ id, url, version, isPaused }: RunningServer): Promise<void> {
    const seen = this.seen.get(id)
    if (isPaused || (seen?.url === url && seen.mode === 'new')) return
    if (!isAtLeast(version, NEW_ACLS)) {
      this.seen.set(id, { url, mode: 'old', newModeAt: null })
      return
    }
    // A stopping server does not answer.
    const mode = await ask(url).catch(() => undefined)
    const answeredAt = Date.now()
    // The server may have been stopped in the meantime.
    if (mode === undefined || !this.fleet.running().some((server) => server.url === url)) return
    const newModeAt = mode === 'new' ? (answeredAt - this.startedAt) / 1_000 : null
    this.seen.set(id, { url, mode, newModeAt })
  }
}

async function ask(url: string): Promise<Mode> {
  const response = await fetch(`${url}/v1/acl/replication`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
  const text = await response.text()
  if (response.status === 401) return 'off'
  return answerSchema.parse(JSON.parse(text)).Mode === 'enabled' ? 'new' : 'legacy'
}
