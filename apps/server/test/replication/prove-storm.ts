/** REP-20: many writes a second in the primary, and how soon after its acknowledgement each is visible in the secondary. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Gateway, httpGateway } from '../cluster/harness/gateway.ts'
import { type Datacenter, MANAGEMENT, untilEqual } from './datacenter.ts'
import { startFleet } from './fleet.ts'

interface StormFigures {
  readonly written: number
  readonly writesPerSecond: number
  readonly writeMs: Percentiles
  /** The same without a secondary. */
  readonly writeMsAlone: Percentiles
  /** From the acknowledgement to the first 200 in the secondary. */
  readonly lagMs: Percentiles
  /** The same on an idle link. */
  readonly idleLagMs: Percentiles
  /** From the last acknowledgement until both are equal. */
  readonly caughtUpMs: number
}

interface Percentiles {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Writes in flight. */
const WRITERS = 32
/** Probes of an idle link. */
const PROBES = 20

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
  const { datacenter, link } = secondary
  const gateway = httpGateway(() => primary.url)
  try {
    await untilEqual(primary, datacenter)
    const idle: number[] = []
    for (let i = 0; i < PROBES; i += 1) {
      await sleep(100)
      idle.push(await probe(primary, datacenter))
    }
    link.cause({ kind: 'refuse' })
    const alone = await write(gateway, { seconds: Math.ceil(seconds / 2), perSecond })
    link.heal()
    await untilEqual(primary, datacenter)
    const storming = write(gateway, { seconds, perSecond })
    let isOver = false
    storming.finally(() => {
      isOver = true
    })
    const lags: number[] = []
    while (!isOver) lags.push(await probe(primary, datacenter))
    const { ms, elapsedMs } = await storming
    const endedAt = performance.now()
    await probe(primary, datacenter)
    const caughtUpMs = Math.round(performance.now() - endedAt)
    await untilEqual(primary, datacenter)
    return {
      written: ms.length,
      writesPerSecond: Math.round((ms.length * 1_000) / elapsedMs),
      writeMs: percentiles(ms),
      writeMsAlone: percentiles(alone.ms),
      lagMs: percentiles(lags),
      idleLagMs: percentiles(idle),
      caughtUpMs,
    }
  } finally {
    gateway.close()
    await fleet.close()
  }
}

export function isStormBorne({ lagMs, caughtUpMs }: StormFigures): boolean {
  return lagMs.max < 2_000 && caughtUpMs < 2_000
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
): Promise<{ readonly ms: readonly number[]; readonly elapsedMs: number }> {
  const ms: number[] = []
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
      const sentAt = performance.now()
      const body = { AccessorID: randomUUID(), SecretID: randomUUID(), Description: 'storm' }
      const { status } = await gateway.ask({ method: 'PUT', path: '/acl/token', token: MANAGEMENT, body })
      if (status !== 200) throw new Error(`a write was answered with ${status}`)
      ms.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  return { ms, elapsedMs: performance.now() - startedAt }
}

function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 10) / 10
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
