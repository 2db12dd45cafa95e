/** What clients see while machines fail: reads that are older than an acknowledged write, indexes that decrease, and gaps. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Token } from '@latchkey/contract'
import type { SeededRandom } from '@latchkey/testkit/random'
import type { Gateway } from '../../harness/gateway.ts'
import { MANAGEMENT } from '../../harness/server-group.ts'

export interface FreshReads {
  /** Answered default reads, and how many were older than a write acknowledged before they were sent. */
  readonly counts: { reads: number; stale: number; writes: number; indexFalls: number }
  /** The longest time between two acknowledged writes since the last call, in milliseconds. */
  takeGapMs(): number
  stop(): Promise<void>
}

const READERS = 6
const PAUSE_MS = 10
const START_MS_MAX = 60_000

/** One writer counts up in a token; readers must see each acknowledged count. */
export async function watchFreshness(
  gateways: readonly Gateway[],
  random: SeededRandom,
): Promise<FreshReads> {
  const counts = { reads: 0, stale: 0, writes: 0, indexFalls: 0 }
  const created = await createToken(gateways, random)
  const path = `/acl/token/${created.AccessorID}`
  let acknowledged = 0
  let index = created.ModifyIndex
  let lastAt = performance.now()
  let gapMs = 0
  let isStopping = false
  const noteGap = () => {
    gapMs = Math.max(gapMs, performance.now() - lastAt)
  }
  const write = async () => {
    for (let next = 1; !isStopping; next += 1) {
      const body = { Description: String(next) }
      const reply = await random
        .pick(gateways)
        .ask({ method: 'PUT', path, token: MANAGEMENT, body })
        .catch(() => undefined)
      if (reply?.status === 200) {
        const { ModifyIndex } = JSON.parse(reply.text) as Token
        if (ModifyIndex <= index) counts.indexFalls += 1
        noteGap()
        lastAt = performance.now()
        index = ModifyIndex
        acknowledged = next
        counts.writes += 1
      }
      await sleep(PAUSE_MS)
    }
  }
  const read = async () => {
    while (!isStopping) {
      const before = { acknowledged, index }
      const reply = await random
        .pick(gateways)
        .ask({ method: 'GET', path, token: MANAGEMENT })
        .catch(() => undefined)
      if (reply?.status === 200) {
        counts.reads += 1
        if (Number((JSON.parse(reply.text) as Token).Description) < before.acknowledged) counts.stale += 1
        if (reply.index < before.index) counts.indexFalls += 1
      }
      await sleep(PAUSE_MS)
    }
  }
  const running = Promise.all([write(), ...Array.from({ length: READERS }, read)])
  running.catch(() => {})
  return {
    counts,
    takeGapMs: () => {
      noteGap()
      const taken = Math.round(gapMs)
      gapMs = 0
      lastAt = performance.now()
      return taken
    },
    stop: async () => {
      isStopping = true
      await running
    },
  }
}

/** A new token. The machines have just started, so the first attempts may fail. */
async function createToken(gateways: readonly Gateway[], random: SeededRandom): Promise<Token> {
  const startedAt = performance.now()
  for (;;) {
    const body = { AccessorID: randomUUID(), Description: '0' }
    const request = { method: 'PUT', path: '/acl/token', token: MANAGEMENT, body } as const
    const reply = await random
      .pick(gateways)
      .ask(request)
      .catch(() => undefined)
    if (reply?.status === 200) return JSON.parse(reply.text) as Token
    if (performance.now() - startedAt > START_MS_MAX)
      throw new Error(`no token was created: ${reply?.status} ${reply?.text}`)
    await sleep(PAUSE_MS)
  }
}
