/** DUR-09: restarts the servers behind a load balancer one after another, while clients work. */
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@latchkey/testkit/process/ports'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { BALANCED_SERVERS, startBalancer } from '../harness/balancer.ts'
import { type SdkClients, type SdkCounts, startSdkClients } from '../harness/sdk-clients.ts'
import { SHARED_ENV } from '../harness/server-group.ts'

interface RollingRestartOptions {
  readonly databaseUrl: string
  readonly restarts: number
  /** SIGTERM: an operator's restart. SIGKILL: a crash. */
  readonly signal: 'SIGTERM' | 'SIGKILL'
  /** Time after a start for the load balancer to find the server. Default: as in docs/operations.md. */
  readonly settleMs?: number
  /** Pause of each client after a call. Default 0. */
  readonly pauseMs?: number
}

interface RollingRestartFigures {
  /** How the processes ended; a number is an exit code. */
  readonly ends: readonly (number | string | null)[]
  /** Longest time from the signal to the exit, in milliseconds. */
  readonly endMsMax: number
  /** Clients with the SDK's default retries. */
  readonly withRetries: SdkCounts
  readonly withoutRetries: SdkCounts
}

const WITH_RETRIES = { clients: 12, waiters: 100 }
const WITHOUT_RETRIES = { clients: 4, waiters: 50, retries: 0 }

export async function proveRollingRestart(options: RollingRestartOptions): Promise<RollingRestartFigures> {
  const { databaseUrl, restarts, signal, settleMs = 2_000, pauseMs } = options
  const ports = await freePorts(BALANCED_SERVERS)
  const start = (port: number) =>
    runServer({ ...SHARED_ENV, ...ENV_OF_PAGE, DATABASE_URL: databaseUrl, PORT: String(port) })
  const servers: RunningServer[] = await Promise.all(ports.map(start))
  const clients: SdkClients[] = []
  try {
    const balancer = await startBalancer(ports)
    try {
      const common = { address: balancer.url, ...(pauseMs === undefined ? {} : { pauseMs }) }
      const withRetries = startSdkClients({ ...common, ...WITH_RETRIES })
      const withoutRetries = startSdkClients({ ...common, ...WITHOUT_RETRIES })
      clients.push(withRetries, withoutRetries)
      const ends: (number | string | null)[] = []
      let endMsMax = 0
      for (let n = 0; n < restarts; n += 1) {
        await sleep(settleMs)
        const place = n % ports.length
        const server = servers[place]
        const port = ports[place]
        if (server === undefined || port === undefined) break
        const endedAt = performance.now()
        await server.stop(signal)
        endMsMax = Math.max(endMsMax, Math.round(performance.now() - endedAt))
        ends.push(server.process.exitCode ?? server.process.signalCode)
        servers[place] = await start(port)
      }
      await sleep(settleMs)
      await Promise.all(clients.splice(0).map((some) => some.stop()))
      return { ends, endMsMax, withRetries: withRetries.counts, withoutRetries: withoutRetries.counts }
    } finally {
      await Promise.all(clients.map((some) => some.stop()))
      await balancer.stop()
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
  }
}

/** Maximum fraction of failed calls of clients without retries. */
const FAILED_PART_MAX = 0.0001

/** Whether no client noticed the restarts. */
export function isRestartProven({ ends, withRetries, withoutRetries }: RollingRestartFigures): boolean {
  return (
    ends.every((end) => end === 0) &&
    failedCalls(withRetries) === 0 &&
    failedCalls(withoutRetries) <= withoutRetries.calls * FAILED_PART_MAX &&
    withRetries.outdated.length + withoutRetries.outdated.length === 0
  )
}

/** Whether the only failed calls of clients with retries are those that must not be repeated. */
export function isKillProven({ withRetries, withoutRetries }: RollingRestartFigures): boolean {
  return (
    failedCalls(withRetries) === withRetries.openWrites &&
    withRetries.outdated.length + withoutRetries.outdated.length === 0
  )
}

function failedCalls({ failures }: SdkCounts): number {
  return Object.values(failures).reduce((sum, count) => sum + count, 0)
}

/** Settings of docs/operations.md: connections are limited, except those of the load balancer. */
const ENV_OF_PAGE = { LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '', LATCHKEY_TRUSTED_PROXIES: '127.0.0.1' }
