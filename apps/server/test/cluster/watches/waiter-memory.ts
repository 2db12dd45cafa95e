/** MEM-02: memory of a waiting client in a server process, including its connection. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningServer } from '@latchkey/testkit/process/server-process'
import { type Gateway, jsonOf } from '../harness/gateway.ts'
import { memoryOf } from '../harness/memory-of.ts'
import { metricsOf } from '../harness/metrics-of.ts'
import { MANAGEMENT, startServerGroup } from '../harness/server-group.ts'

interface WaiterMemoryResult {
  readonly waiters: number
  /** Growth per waiter, in bytes: of resident memory, and of live heap objects. */
  readonly residentBytes: number
  readonly heapBytes: number
  /** From a write until the last waiter was answered, in milliseconds. */
  readonly wokenMs: number
}

/** Waiters before the measured ones, so that one-time costs are not counted. */
const FIRST_WAITERS = 1_000
/** Waiters that connect concurrently. */
const AT_ONCE = 100

export async function measureWaiters(options: {
  readonly databaseUrl: string
  readonly waiters: number
}): Promise<WaiterMemoryResult> {
  const { databaseUrl, waiters } = options
  const NODE_OPTIONS = `--expose-gc --import=${join(import.meta.dirname, '../harness/report-memory.ts')}`
  const group = await startServerGroup({ databaseUrl, count: 1, env: { NODE_OPTIONS } })
  try {
    const [gateway, server] = [group.gateways[0] as Gateway, group.server(0) as RunningServer]
    const { index } = await gateway.ask({ method: 'GET', path: '/acl/tokens', token: MANAGEMENT })
    const path = `/acl/tokens?index=${index}&wait=10m`
    const held: Promise<unknown>[] = []
    const hold = async (count: number) => {
      for (const target = held.length + count; held.length < target; ) {
        const some = Math.min(AT_ONCE, target - held.length)
        for (let i = 0; i < some; i += 1) held.push(gateway.ask({ method: 'GET', path, token: MANAGEMENT }))
        while ((await metricsOf(gateway)).get('latchkey_store_waiters') !== held.length) await sleep(5)
      }
    }
    await hold(FIRST_WAITERS)
    const before = await memoryOf(server)
    await hold(waiters)
    const after = await memoryOf(server)
    const startedAt = performance.now()
    jsonOf(await gateway.ask({ method: 'PUT', path: '/acl/token', token: MANAGEMENT, body: {} }))
    await Promise.all(held)
    return {
      waiters,
      residentBytes: Math.round((after.rss - before.rss) / waiters),
      heapBytes: Math.round((after.heapUsed - before.heapUsed) / waiters),
      wokenMs: Math.round(performance.now() - startedAt),
    }
  } finally {
    await group.stop()
  }
}
