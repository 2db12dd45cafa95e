/**
 * The same random calls to two services, whose answers must be the same up to what each names itself: ids, hashes of
 * ids, indexes, instants. After each sequence the visible state is compared too. A run is its seed.
 */
import { Comparison, type SeenReply } from './differential/compare.ts'
import { makeSequence } from './differential/sequence.ts'
import { Made, type Step } from './differential/step.ts'
import type { Target } from './target.ts'

/** What is compared: two services that present the same management token. */
export type Side = Pick<Target, 'name' | 'url' | 'prefix' | 'token' | 'fetch'>

export interface DifferentialOptions {
  readonly seed: number
  readonly sequences: number
  /** Calls of one sequence. */
  readonly length: number
}

export interface Difference {
  /** Repeats the sequence alone: with it as seed, and one sequence. */
  readonly seed: number
  /** The calls up to and with the one that was answered differently. */
  readonly steps: readonly Step[]
  readonly what: string
  readonly left: string
  readonly right: string
}

export interface DifferentialResult {
  readonly calls: number
  /** Answers by status: what the random calls have met. */
  readonly statuses: Readonly<Record<number, number>>
  readonly difference: Difference | undefined
}

/** What shows the state to whoever may see everything. */
const STATE = ['/acl/tokens', '/acl/policies', '/acl/roles'] as const

/** Runs until the first difference, or to the end. Both services must be new, or equal. */
export async function runDifferential(
  left: Side,
  right: Side,
  options: DifferentialOptions,
): Promise<DifferentialResult> {
  const run = new Run(left, right)
  for (let i = 0; i < options.sequences; i += 1) {
    const difference = await run.sequence((options.seed + i) >>> 0, options.length)
    if (difference) return { ...run.counts(), difference }
  }
  return { ...run.counts(), difference: undefined }
}

/** One service as the run knows it. */
class Player {
  readonly side: Side
  private made = new Made()
  /** The last index that was seen of each table, by the first part of the path. */
  private readonly lastIndexes = new Map<string, number>()

  constructor(side: Side) {
    this.side = side
  }

  async play(step: Step, sentAt: number): Promise<SeenReply & { readonly backward: boolean }> {
    const fill = (text: string) => fillTimes(this.made.fill(text), sentAt)
    const { url, prefix, fetch = globalThis.fetch } = this.side
    const response = await fetch(`${url}/v1${fill(step.path)}`, {
      method: step.method,
      redirect: 'manual',
      headers: {
        ...step.headers,
        ...(step.token === undefined ? {} : { [`${prefix}Token`]: fill(step.token) }),
      },
      ...(step.body === undefined ? {} : { body: fill(step.body) }),
    })
    const reply = { status: response.status, headers: response.headers, text: await response.text() }
    if (step.makes && reply.status === 200)
      this.made.add(step.makes.kind, step.makes.number, JSON.parse(reply.text))
    return { ...reply, backward: this.isBackward(step, reply) }
  }

  /** Removes what the sequence has made. */
  async clean(seed: number): Promise<void> {
    const paths = [...this.made.paths(), `/kv/d${seed.toString(36)}?recurse`]
    for (const path of paths) await this.play(plainStep('DELETE', path, this.side.token), 0)
    this.made = new Made()
  }

  private isBackward({ path }: Step, { headers }: SeenReply): boolean {
    const table = /^\/(?:acl\/(?:token|policy|policies|role)|kv)/
      .exec(path)?.[0]
      .replace('policies', 'policy')
    const index = Number(headers.get(`${this.side.prefix}Index`) ?? Number.NaN)
    if (table === undefined || Number.isNaN(index)) return false
    const last = this.lastIndexes.get(table) ?? 0
    this.lastIndexes.set(table, Math.max(last, index))
    return index < last
  }
}

class Run {
  private readonly left: Player
  private readonly right: Player
  private readonly comparison: Comparison
  private calls = 0
  private readonly statuses: Record<number, number> = {}

  constructor(left: Side, right: Side) {
    this.left = new Player(left)
    this.right = new Player(right)
    this.comparison = new Comparison(left.prefix)
  }

  counts(): Pick<DifferentialResult, 'calls' | 'statuses'> {
    return { calls: this.calls, statuses: this.statuses }
  }

  async sequence(seed: number, length: number): Promise<Difference | undefined> {
    const { token } = this.left.side
    const steps = makeSequence({ seed, length, managementToken: token })
    const looks = [...STATE, `/kv/d${seed.toString(36)}?recurse`].map((path) => plainStep('GET', path, token))
    const all = [...steps, ...looks]
    for (const [i, step] of all.entries()) {
      const difference = await this.step(step)
      if (difference) return { seed, steps: all.slice(0, i + 1), ...difference }
    }
    await Promise.all([this.left.clean(seed), this.right.clean(seed)])
    return undefined
  }

  private async step(step: Step): Promise<Pick<Difference, 'what' | 'left' | 'right'> | undefined> {
    const sentAt = Date.now()
    const [left, right] = await Promise.all([this.left.play(step, sentAt), this.right.play(step, sentAt)])
    this.calls += 1
    this.statuses[left.status] = (this.statuses[left.status] ?? 0) + 1
    const backward = [left.backward ? this.left : [], right.backward ? this.right : []].flat()
    const what =
      backward.length > 0
        ? `the index went backward: ${backward.map(({ side }) => side.name).join(', ')}`
        : this.comparison.differenceOf(left, right)
    return what === undefined ? undefined : { what, left: left.text, right: right.text }
  }
}

function plainStep(method: string, path: string, token: string): Step {
  return { method, path, body: undefined, token, headers: {} }
}

/** Instants in a body are the same for both sides, and lie so far ahead. */
function fillTimes(text: string, now: number): string {
  return text.replace(/\{in (-?\d+)h\}/g, (_, hours: string) =>
    new Date(now + Number(hours) * 3_600_000).toISOString(),
  )
}

/** A difference in words, with the command that repeats it. */
export function describeDifference({ seed, steps, what, left, right }: Difference): string {
  const last = steps.at(-1)
  const calls = steps.map(({ method, path, body }, i) => `  ${i + 1}. ${method} ${path} ${body ?? ''}`)
  return [
    `after ${steps.length} calls, ${last?.method} ${last?.path} was answered differently`,
    what,
    `left:  ${left}`,
    `right: ${right}`,
    ...calls,
    `repeat: LATCHKEY_SEED=${seed} LATCHKEY_SEQUENCES=1 pnpm --filter @latchkey/conformance exec vitest run test/differential`,
  ].join('\n')
}
