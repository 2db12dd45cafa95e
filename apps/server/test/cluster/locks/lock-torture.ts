/** Clients that lock, write, release and abandon a few keys through several servers, which may fail. */
import { setTimeout as sleep } from 'node:timers/promises'
import { SeededRandom } from '@latchkey/testkit/random'
import { type Gateway, jsonOf, type Reply, type Request } from '../harness/gateway.ts'
import { MANAGEMENT } from '../harness/server-group.ts'
import { checkLocks, type Hold } from './check-locks.ts'

export interface TortureResult {
  readonly holds: number
  /** Acquisitions that were refused. */
  readonly refused: number
  /** Requests without an answer, or with a 5xx. */
  readonly unanswered: number
  /** How holds ended. */
  readonly ends: Readonly<Record<End, number>>
  readonly problems: readonly string[]
}

const ENDS = ['release', 'destroy', 'critical', 'abandon'] as const
type End = (typeof ENDS)[number]

interface TortureOptions {
  readonly gateways: readonly Gateway[]
  readonly seed: number
  readonly clients: number
  readonly forMs: number
  /** TTL of abandoned sessions; absent: none is abandoned. */
  readonly abandonedTtl?: string
}

/** Clients per key: most acquisitions are contested. */
const CLIENTS_PER_KEY = 5
/** Maximum duration of a hold, and of a pause. */
const HOLD_MS_MAX = 30
/** Time for abandoned sessions to end. */
const SETTLE_MS_MAX = 120_000
/** A run on a busy machine continues until it has seen this many holds, or for this long. */
const HOLDS_MIN = 5
const EXTRA_MS_MAX = 60_000

interface Entry {
  readonly Session?: string
  readonly LockIndex: number
}

export async function tortureLocks(options: TortureOptions): Promise<TortureResult> {
  const { seed, clients } = options
  const run = new Torture(options)
  const random = new SeededRandom(seed)
  const seeds = Array.from({ length: clients }, () => random.below(2 ** 32))
  await Promise.all(seeds.map((own, i) => run.client(i, new SeededRandom(own))))
  return run.finish()
}

class Torture {
  private readonly options: TortureOptions
  private readonly startedAt = performance.now()
  private readonly holds: Hold[] = []
  private readonly ends: Record<End, number> = { release: 0, destroy: 0, critical: 0, abandon: 0 }
  private refused = 0
  private unanswered = 0

  constructor(options: TortureOptions) {
    this.options = options
  }

  async client(number: number, random: SeededRandom): Promise<void> {
    const key = `torture/${Math.floor(number / CLIENTS_PER_KEY)}`
    const node = `client-${number}`
    while (!this.isOver()) {
      await this.register(random, node, 'passing')
      const end = random.pick(this.options.abandonedTtl === undefined ? ENDS.slice(0, 3) : ENDS)
      await this.hold(random, { key, node, end })
      await sleep(random.below(HOLD_MS_MAX))
    }
  }

  private isOver(): boolean {
    const left = this.options.forMs - (performance.now() - this.startedAt)
    return left <= 0 && (this.holds.length >= HOLDS_MIN || left <= -EXTRA_MS_MAX)
  }

  /** Waits until abandoned keys are free, then checks the history. */
  async finish(): Promise<TortureResult> {
    const { ends, refused, unanswered } = this
    const problems = [...checkLocks(this.holds)]
    const random = new SeededRandom(1)
    const keys = [...new Set(this.holds.map(({ key }) => key))]
    const isFree = async (key: string) => (await this.read(random, key))?.Session === undefined
    const until = performance.now() + SETTLE_MS_MAX
    for (const key of keys) {
      while (!(await isFree(key)) && performance.now() < until) await sleep(250)
      if (!(await isFree(key))) problems.push(`${key} was never freed`)
    }
    return { holds: this.holds.length, refused, unanswered, ends, problems }
  }

  /** One session, which locks the key once and ends. */
  private async hold(
    random: SeededRandom,
    { key, node, end }: { readonly key: string; readonly node: string; readonly end: End },
  ): Promise<void> {
    const TTL = end === 'abandon' ? this.options.abandonedTtl : ''
    const body = { Node: node, Checks: ['alive'], LockDelay: '0s', TTL }
    const created = await this.ask(random, { method: 'PUT', path: '/session/create', body })
    // A session whose creation got no answer locks nothing.
    if (created?.status !== 200) return
    const { ID: session } = jsonOf<{ ID: string }>(created)
    const path = `/kv/${key}?acquire=${session}`
    let isHeld = false
    while (!isHeld && !this.isOver()) {
      const reply = await this.ask(random, { method: 'PUT', path, body: session })
      isHeld = reply?.status === 200 && reply.text === 'true'
      if (reply?.text === 'false') this.refused += 1
      if (!isHeld) await sleep(random.below(HOLD_MS_MAX))
    }
    if (!isHeld) return this.free(random, { session, node, end: 'destroy', key })
    const heldAt = performance.now()
    await sleep(random.below(HOLD_MS_MAX))
    const entry = await this.read(random, key)
    const isKept = entry?.Session === session
    if (random.chance(0.3)) await this.ask(random, { method: 'PUT', path: `/kv/${key}`, body: 'another' })
    // It may expire by itself at any time after the client can no longer be sure of it.
    const freedAt = end === 'abandon' ? heldAt : performance.now()
    this.ends[end] += 1
    await this.free(random, { session, node, end, key })
    this.holds.push({
      key,
      session,
      index: entry?.LockIndex ?? 0,
      heldAt,
      freedAt,
      isKept: isKept || end === 'abandon',
    })
  }

  /** Releases a lock, and retries until an answer confirms it. */
  private async free(
    random: SeededRandom,
    {
      session,
      node,
      end,
      key,
    }: { readonly session: string; readonly node: string; readonly end: End; readonly key: string },
  ): Promise<void> {
    if (end === 'abandon') return
    if (end === 'critical') return this.register(random, node, 'critical')
    if (end === 'release') await this.ask(random, { method: 'PUT', path: `/kv/${key}?release=${session}` })
    await this.certainly(random, { method: 'PUT', path: `/session/destroy/${session}` })
  }

  private async register(random: SeededRandom, Node: string, Status: string): Promise<void> {
    const Check = { CheckID: 'alive', Name: 'alive', Status }
    const body = { Node, Address: '10.0.0.1', Check }
    await this.certainly(random, { method: 'PUT', path: '/catalog/register', body })
  }

  private async read(random: SeededRandom, key: string): Promise<Entry | undefined> {
    const reply = await this.certainly(random, { method: 'GET', path: `/kv/${key}` })
    return reply.status === 404 ? undefined : jsonOf<Entry[]>(reply)[0]
  }

  /** Retries a request until it is answered. */
  private async certainly(random: SeededRandom, request: Request): Promise<Reply> {
    for (;;) {
      const reply = await this.ask(random, request)
      if (reply && (reply.status === 200 || reply.status === 404)) return reply
      await sleep(random.below(HOLD_MS_MAX))
    }
  }

  /** @returns undefined without an answer. */
  private async ask(random: SeededRandom, request: Request): Promise<Reply | undefined> {
    const reply = await random
      .pick(this.options.gateways)
      .ask({ ...request, token: MANAGEMENT })
      .catch(() => undefined)
    if (reply === undefined || reply.status >= 500) this.unanswered += 1
    return reply
  }
}
