/**
 * Checks a history against spec 9.2.2 and 9.2.5. Shares no code with the rules.
 */
import type { WorldEvent } from './mode-world.ts'

/** After this long, a stopped server is considered gone. */
const STOPPED_COUNTS_MS = 5 * 60_000
/** Three days, after which a crashed server is considered gone. */
const GONE_AFTER_MS = 3 * 24 * 3_600_000

interface Seen {
  readonly version: string
  readonly aclEnabled: boolean
  readonly state: 'up' | 'silent' | 'stopped' | 'left'
  readonly lastBeatAt: number
  readonly stoppedAt: number
}

/** @returns the violations. */
export function checkModeHistory(history: readonly WorldEvent[]): readonly string[] {
  const faults: string[] = []
  const servers = new Map<string, Seen>()
  const endedAt = new Map<string, number>()
  for (const event of history) {
    if (event.kind === 'ended') {
      faults.push(...faultsOfEnd(event, servers, endedAt))
      endedAt.set(event.datacenter, event.at)
      continue
    }
    const key = `${event.datacenter}/${event.slot}`
    if (event.kind === 'started') {
      const { version, aclEnabled, at } = event
      servers.set(key, { version, aclEnabled, state: 'up', lastBeatAt: at, stoppedAt: 0 })
      if (isOld(version) && endedAt.has(event.datacenter)) faults.push(`${key} went back to ${version}`)
      continue
    }
    const server = servers.get(key)
    if (server === undefined) continue
    if (event.kind === 'beat') {
      servers.set(key, { ...server, state: 'up', lastBeatAt: event.at })
      if (isOld(server.version) && endedAt.has(event.datacenter)) faults.push(`${key} works on upgraded data`)
    }
    if (event.kind === 'stopped') servers.set(key, { ...server, state: 'stopped', stoppedAt: event.at })
    if (event.kind === 'left') servers.set(key, { ...server, state: 'left' })
    if (event.kind === 'crashed' || event.kind === 'paused') servers.set(key, { ...server, state: 'silent' })
  }
  return faults
}

function faultsOfEnd(
  event: Extract<WorldEvent, { kind: 'ended' }>,
  servers: ReadonlyMap<string, Seen>,
  endedAt: ReadonlyMap<string, number>,
): readonly string[] {
  const { datacenter, at } = event
  const faults: string[] = []
  if (endedAt.has(datacenter)) faults.push(`${datacenter} ended twice`)
  if (datacenter === 'dc2' && !endedAt.has('dc1')) faults.push('the secondary was before the primary')
  for (const [key, server] of servers) {
    if (!key.startsWith(`${datacenter}/`) || server.state === 'left') continue
    if (server.state === 'stopped' && at - server.stoppedAt > STOPPED_COUNTS_MS) continue
    if (server.state !== 'up' && at - server.lastBeatAt > GONE_AFTER_MS) continue
    if (isOld(server.version)) faults.push(`${datacenter} ended while ${key} ran ${server.version}`)
    if (!server.aclEnabled) faults.push(`${datacenter} ended while ${key} had its ACLs off`)
  }
  return faults
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < 1 || (major === 1 && minor < 4)
}
