/** What servers know about each other: messages take time, and over a broken link arrive once it heals. */

import { INTENTIONS_AS_ENTRIES, isAtLeast } from '../../version.ts'
import type { DatacenterState, Known, ServerState } from '../datacenter.ts'
import type { MemberView } from '../models/model.ts'
import { PHASE } from '../queue.ts'
import { changed, isLinkUp, isRunning, linkDelayMs, record, type World } from '../world.ts'

/** Even on a fast network, a message arrives in the next millisecond at the earliest. */
const MESSAGE_MS_MIN = 1

export function tell(world: World, server: ServerState): void {
  if (server.isGossipStale || !server.isMember) return
  server.told += 1
  const message = truthOf(server)
  for (const datacenter of world.datacenters) send(world, server, datacenter, message)
}

export function leave(world: World, server: ServerState): void {
  server.status = 'left'
  tell(world, server)
}

function send(world: World, server: ServerState, to: DatacenterState, message: Known): void {
  const { gossipDelayMs, gossipJitterMs } = world.scenario
  const jitterMs = gossipJitterMs === 0 ? 0 : world.random.below(gossipJitterMs + 1)
  const onLinkMs = linkDelayMs(world, server.datacenter, to)
  const arrivesAt = world.now + Math.max(MESSAGE_MS_MIN, gossipDelayMs + jitterMs + onLinkMs)
  world.queue.push(arrivesAt, PHASE.message, () => {
    const known = to.view.get(server.spec.id)
    const isNew = known === undefined || known.told < message.told
    if (isNew && isLinkUp(world, server.datacenter, to)) know(world, server, to, message)
  })
}

function know(world: World, server: ServerState, at: DatacenterState, now: Known): void {
  const known = at.view.get(server.spec.id)
  at.view.set(server.spec.id, now)
  const { status, mode, keepsIntentions } = now
  const isSame = known?.status === status && known.mode === mode && known.keepsIntentions === keepsIntentions
  if (isSame) return
  changed(world)
  if (at === server.datacenter && known?.status !== now.status) {
    record(world, { kind: 'member', server: server.spec.id, datacenter: at.spec.name, status: now.status })
  }
}

export function knowBeforehand(world: World, server: ServerState): void {
  for (const datacenter of world.datacenters) datacenter.view.set(server.spec.id, truthOf(server))
}

export function noticeFailure(world: World, server: ServerState): void {
  const { lives } = server
  world.queue.push(world.now + world.scenario.failureDetectionMs, PHASE.message, () => {
    if (server.lives === lives && server.status === 'alive' && !isRunning(server)) {
      server.status = 'failed'
      tell(world, server)
    }
  })
}

export function noticeUnreachable(world: World, here: DatacenterState, there: DatacenterState): void {
  world.queue.push(world.now + world.scenario.failureDetectionMs, PHASE.message, () => {
    if (isLinkUp(world, here, there)) return
    for (const server of there.servers) {
      const known = here.view.get(server.spec.id)
      if (known?.status === 'alive') know(world, server, here, { ...known, status: 'failed' })
    }
  })
}

export function tellAgain(world: World, from: DatacenterState, to: DatacenterState): void {
  for (const server of from.servers) {
    if (!server.isMember || server.isGossipStale) continue
    server.told += 1
    send(world, server, to, truthOf(server))
  }
}

function truthOf(server: ServerState): Known {
  const { process } = server
  if (process !== undefined) server.lastMode = process.mode
  return {
    server: server.spec.id,
    status: server.status,
    mode: server.lastMode,
    told: server.told,
    keepsIntentions: isAtLeast(process?.version ?? server.version, INTENTIONS_AS_ENTRIES),
  }
}

/** The members of a datacenter, as another datacenter sees them. A process knows its own mode at once. */
export function membersOf(
  here: DatacenterState,
  there: DatacenterState,
  self: MemberView | undefined,
): MemberView[] {
  return there.servers.flatMap((server) => {
    if (server.spec.id === self?.server) return [self]
    const known = here.view.get(server.spec.id)
    return known === undefined ? [] : [known]
  })
}

const REAP_LEFT_MS = 24 * 3_600_000
const REAP_FAILED_MS = 72 * 3_600_000
const REAP_INTERVAL_MS = 60_000

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
