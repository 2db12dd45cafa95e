/** REP-20: many writes a second in the primary, and how soon after its acknowledgement each is visible in the secondary. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Gateway, httpGateway } from '../cluster/harness/gateway.ts'
import { type Datacenter, MANAGEMENT, untilEqual } from './datacenter.ts'
import { startFleet } from './fleet.ts'

interface StormFigures {
  readonly written: number
  readonly writesPerSecond: number
  /** From the acknowledgement to the first 200 in the secondary. */
  readonly lagMsMax: number
  /** From the last acknowledgement until both are equal. */
  readonly caughtUpMs: number
}

/** Writes in flight. */
const WRITERS = 32

export async function proveStorm(options: {
  readonly databaseUrls: readonly string[]
  readonly seconds: number
  readonly perSecond: number
}): Promise<StormFigures> {
  const { databaseUrls, seconds, perSecond } = options
  const fleet = await startFleet(databaseUrls)
  const [secondary] = fleet.secondaries
  if (secondary === undefined) throw new TypeError('there is a secondary')
  const { primary } = fleet
  const { datacenter } = secondary
  const gateway = httpGateway(() => primary.url)
  try {
    await untilEqual(primary, datacenter)
    const storming = write(gateway, { seconds, perSecond })
    let isOver = false
    storming.finally(() => {
      isOver = true
    })
    let lagMsMax = 0
    while (!isOver) lagMsMax = Math.max(lagMsMax, await probe(primary, datacenter))
    const { written, elapsedMs } = await storming
    const endedAt = performance.now()
    await probe(primary, datacenter)
    const caughtUpMs = Math.round(performance.now() - endedAt)
    await untilEqual(primary, datacenter)
    return {
      written,
      writesPerSecond: Math.round((written * 1_000) / elapsedMs),
      lagMsMax: Math.round(lagMsMax),
      caughtUpMs,
    }
  } finally {
    gateway.close()
    await fleet.close()
  }
}

export function isStormBorne({ lagMsMax, caughtUpMs }: StormFigures): boolean {
  return lagMsMax < 2_000 && caughtUpMs < 2_000
}

/** Milliseconds from the acknowledgement of a token until the secondary accepts it. */
async function probe(primary: Datacenter, secondary: Datacenter): Promise<number> {
  const { SecretID } = await primary.ok('PUT', '/acl/token', { Description: 'probe' })
  const startedAt = performance.now()
  while ((await secondary.statusOf(SecretID)) !== 200) await sleep(2)
  return performance.now() - startedAt
}

/** Creates tokens at a steady rate, or as fast as the primary takes them if that is slower. */
async function write(
  gateway: Gateway,
  { seconds, perSecond }: { readonly seconds: number; readonly perSecond: number },
): Promise<{ readonly written: number; readonly elapsedMs: number }> {
  let written = 0
  const startedAt = performance.now()
  let begun = 0
  const writer = async () => {
    for (;;) {
      const place = begun
      begun += 1
      const dueMs = (place * 1_000) / perSecond
      if (dueMs >= seconds * 1_000) return
      const elapsed = performance.now() - startedAt
      if (elapsed > seconds * 1_000) return
      if (dueMs > elapsed) await sleep(dueMs - elapsed)
      const body = { AccessorID: randomUUID(), SecretID: randomUUID(), Description: 'storm' }
      const { status } = await gateway.ask({ method: 'PUT', path: '/acl/token', token: MANAGEMENT, body })
      if (status !== 200) throw new Error(`a write was answered with ${status}`)
      written += 1
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  return { written, elapsedMs: performance.now() - startedAt }
}
