/** DUR-09 at a small scale. Long versions: `pnpm proofs --scale full --only rolling-restart,balanced-kill`. */
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../database.ts'
import { BALANCED_SERVERS, findBalancer } from '../harness/balancer.ts'
import { isKillProven, isRestartProven, proveRollingRestart } from './rolling-restart.ts'

const isMissing = findBalancer() === undefined
if (isMissing) {
  console.warn('rolling restart: skipped, there is no haproxy (apt-get install haproxy)')
}

describe.skipIf(isMissing)(
  'three servers behind HAProxy, with the configuration of docs/operations.md',
  () => {
    /** Time for HAProxy to mark a restarted server as up. */
    const settleMs = 1_500
    /** Leaves most of the machine to other tests, but still sends some calls during each restart. */
    const pauseMs = 100

    test('DUR-09: a rolling restart fails no call, with or without retries of the SDK, not even blocking queries', async () => {
      const restarts = BALANCED_SERVERS
      const signal = 'SIGTERM'
      const figures = await proveRollingRestart({
        databaseUrl: (await createTestDatabase()).url,
        restarts,
        signal,
        settleMs,
        pauseMs,
      })
      expect(isRestartProven(figures), JSON.stringify(figures)).toBe(true)
      expect(figures.withRetries.calls).toBeGreaterThan(100)
    })

    test('kill -9 of a server fails only writes that must not be sent twice and may have been applied', async () => {
      const signal = 'SIGKILL'
      const figures = await proveRollingRestart({
        databaseUrl: (await createTestDatabase()).url,
        restarts: 2,
        signal,
        settleMs,
        pauseMs,
      })
      expect(isKillProven(figures), JSON.stringify(figures)).toBe(true)
      expect(figures.withRetries.calls).toBeGreaterThan(100)
    })
  },
)
