/** Clients that call the servers continuously, like legacy and new tools, and record the errors. */
import type { LegacyToken } from '@latchkey/contract'
import { type Client, LatchkeyError } from '@latchkey/sdk'
import type { Fleet } from './fleet.ts'
import { poll } from './watches.ts'

interface ProbeErrors {
  readonly first: number
  readonly last: number
  readonly count: number
  readonly text: string
}

export interface ProbeResult {
  readonly calls: number
  /** By kind, which names the client and its error. Times are seconds since the schedule began. */
  readonly errors: Readonly<Record<string, ProbeErrors>>
}

const CALLS_PER_SECOND = 5

/**
 * Runs the probes until they are stopped. Probes do not retry, so a refused connection during the replacement of a
 * server is an error.
 */
export function startProbes(
  fleet: Fleet,
  secrets: readonly string[],
  startedAt: number,
): { stop(): Promise<ProbeResult> } {
  const errors = new Map<string, { first: number; last: number; count: number; text: string }>()
  let calls = 0
  const note = (client: string, error: unknown) => {
    const seconds = (Date.now() - startedAt) / 1_000
    const kind = `${client}: ${error instanceof LatchkeyError ? (error.code ?? error.kind) : 'unreachable'}`
    const text = error instanceof Error ? error.message : String(error)
    const known = errors.get(kind)
    if (known) Object.assign(known, { last: seconds, count: known.count + 1 })
    else errors.set(kind, { first: seconds, last: seconds, count: 1, text })
  }
  const probe = (name: string, call: (client: Client, secret: string) => Promise<unknown>) => {
    let i = 0
    return poll(async () => {
      const servers = fleet.running().filter(({ isPaused }) => !isPaused)
      const url = servers[i % Math.max(1, servers.length)]?.url
      const secret = secrets[i % Math.max(1, secrets.length)] ?? fleet.managementSecret
      i += 1
      calls += 1
      if (url === undefined) note(name, new Error('no server runs'))
      else await call(fleet.client(secret, url), secret).catch((error: unknown) => note(name, error))
    }, 1_000 / CALLS_PER_SECOND)
  }
  const stops = [
    probe('legacy API', (client, secret) => client.legacy.info(secret, { retries: 0 })),
    probe('new API', (client) => client.tokens.self({ retries: 0 })),
  ]
  return {
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()))
      return { calls, errors: Object.fromEntries(errors) }
    },
  }
}

export function sampleSecrets(tokens: readonly LegacyToken[]): readonly string[] {
  const presentable = tokens.filter((token) => /^[\x21-\x7e]+$/.test(token.ID))
  return presentable.slice(0, 50).map((token) => token.ID)
}
