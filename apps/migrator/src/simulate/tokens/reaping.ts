/**
 * Member lists drop a member a day after it left, or three days after it failed. Only a scenario with a `duration` runs
 * that long. Otherwise the simulation ends when nothing else can happen, and a finding mentions this.
 */
import { PHASE } from '../queue.ts'
import { changed, record, type World } from '../world.ts'

const REAP_LEFT_MS = 24 * 3_600_000
const REAP_FAILED_MS = 72 * 3_600_000
const REAP_INTERVAL_MS = 60_000

/** Sweeps the member lists once a minute until the end of the scenario. */
export function scheduleReaping(world: World): void {
  const { durationMs } = world.scenario
  if (durationMs === undefined || durationMs < REAP_LEFT_MS) return
  const deadSince = new Map<string, { readonly status: string; readonly atMs: number }>()
  const clear = () => {
    for (const server of world.servers.values()) {
      const { id } = server.spec
      const { status } = server
      if (status === 'alive' || !server.isMember) {
        deadSince.delete(id)
        continue
      }
      const since = deadSince.get(id)
      if (since?.status !== status) deadSince.set(id, { status, atMs: world.now })
      else if (world.now - since.atMs >= (status === 'left' ? REAP_LEFT_MS : REAP_FAILED_MS)) reap(world, id)
    }
    if (world.now + REAP_INTERVAL_MS <= durationMs) queue()
  }
  const queue = () => world.queue.push(world.now + REAP_INTERVAL_MS, PHASE.message, clear)
  world.queue.push(0, PHASE.message, clear)
}

function reap(world: World, id: string): void {
  const server = world.servers.get(id)
  if (server === undefined) return
  server.isMember = false
  for (const datacenter of world.datacenters) datacenter.view.delete(id)
  record(world, { kind: 'reaped', server: id, datacenter: server.datacenter.spec.name })
  changed(world)
}
