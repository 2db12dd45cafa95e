/** Read leases of the processes in a group, as shown by their metrics. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Gateway } from './gateway.ts'
import { metricsOf } from './metrics-of.ts'

/** How often a proof waited for leases, and how often all processes then held one. */
export interface LeaseCounts {
  tried: number
  open: number
}

const PAUSE_MS = 10

/**
 * Reads through every gateway, in default mode, until each process holds a lease. There must be no writes.
 *
 * @param msMax gives up after this time: a fault may prevent leases.
 */
export async function openLeases(
  gateways: readonly Gateway[],
  counts: LeaseCounts,
  msMax = 20_000,
): Promise<void> {
  counts.tried += 1
  const until = performance.now() + msMax
  while (performance.now() < until) {
    const held = await Promise.all(
      gateways.map((gateway) =>
        metricsOf(gateway).then(
          (metrics) => metrics.get('latchkey_store_lease') === 1,
          () => false,
        ),
      ),
    )
    if (held.every(Boolean)) {
      counts.open += 1
      return
    }
    await sleep(PAUSE_MS)
  }
}
