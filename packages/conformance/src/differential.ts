/**
 * Sends the same random calls to two services and compares their answers, except for values that each service chooses:
 * ids, hashes of ids, indexes, instants. After each sequence it also compares the visible state. A seed determines the run.
 */
import { Comparison } from './differential/compare.ts'
import { Player, plainStep, type Side } from './differential/player.ts'
import { makeSequence, tagOf } from './differential/sequence.ts'
import type { Step } from './differential/step.ts'
import { nodeOf } from './differential/transactions.ts'

export interface DifferentialOptions {
  readonly seed: number
  readonly sequences: number
  /** Calls of one sequence. */
  readonly length: number
  /** Edition of both services. Default `standard`. */
  readonly edition?: 'standard' | 'extended'
}

export interface Difference {
  /** Seed that repeats this sequence alone, with one sequence. */
  readonly seed: number
  /** The calls up to and including the one that was answered differently. */
  readonly steps: readonly Step[]
  readonly what: string
  readonly left: string
  readonly right: string
}

interface DifferentialResult {
  readonly calls: number
  /** Number of answers by status. */
  readonly statuses: Readonly<Record<number, number>>
  readonly difference: Difference | undefined
}

/** The reads that show a management token the whole state. */
const STATE = ['/acl/tokens', '/acl/policies', '/acl/roles'] as const

/** Runs until the first difference or the end. Both services must be new or in the same state. */
export async function runDifferential(
  left: Side,
  right: Side,
  options: DifferentialOptions,
): Promise<DifferentialResult> {
  const run = new Run(left, right)
  for (let i = 0; i < options.sequences; i += 1) {
    const difference = await run.sequence((options.seed + i) >>> 0, options)
    if (difference) return { ...run.counts(), difference }
  }
  return { ...run.counts(), difference: undefined }
}

/** The lowest status that means a failure of the service, except 501: some endpoints are not built. */
const FAULT = 500
const NOT_BUILT = 501

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

  async sequence(
    seed: number,
    { length, edition = 'standard' }: DifferentialOptions,
  ): Promise<Difference | undefined> {
    const { token } = this.left.side
    const keys = keyPaths(seed, edition)
    const state = edition === 'extended' ? STATE.map((path) => `${path}?ns=*`) : STATE
    const looks = [...state, ...keys, `/catalog/node/${nodeOf(tagOf(seed))}`].map((path) =>
      plainStep('GET', path, token),
    )
    const all = [...makeSequence({ seed, length, managementToken: token, edition }), ...looks]
    for (const [i, step] of all.entries()) {
      const difference = await this.step(step)
      if (difference) return { seed, steps: all.slice(0, i + 1), ...difference }
    }
    const node = nodeOf(tagOf(seed))
    await Promise.all([this.left.clean(keys, node), this.right.clean(keys, node)])
    return undefined
  }

  private async step(step: Step): Promise<Pick<Difference, 'what' | 'left' | 'right'> | undefined> {
    const sentAt = Date.now()
    const [left, right] = await Promise.all([this.left.play(step, sentAt), this.right.play(step, sentAt)])
    this.calls += 1
    this.statuses[left.status] = (this.statuses[left.status] ?? 0) + 1
    if (left.status >= FAULT && left.status !== NOT_BUILT) {
      return { what: `the service failed: ${left.status}`, left: left.text, right: right.text }
    }
    const backward = [left.backward ? this.left : [], right.backward ? this.right : []].flat()
    const what =
      backward.length > 0
        ? `the index went backward: ${backward.map(({ side }) => side.name).join(', ')}`
        : this.comparison.differenceOf(left, right)
    return what === undefined ? undefined : { what, left: left.text, right: right.text }
  }
}

/** All keys of a sequence, in every namespace to which it may have written. */
function keyPaths(seed: number, edition: 'standard' | 'extended'): string[] {
  const tag = tagOf(seed)
  const namespaces = edition === 'extended' ? ['default', `${tag}-ns-1`, `${tag}-ns-2`] : ['']
  return namespaces.map((ns) => `/kv/${tag}?recurse${ns === '' ? '' : `&ns=${ns}`}`)
}

/** Describes a difference, with the command that reproduces it. */
export function describeDifference({ seed, steps, what, left, right }: Difference): string {
  const last = steps.at(-1)
  const calls = steps.map(({ method, path, body }, i) => `  ${i + 1}. ${method} ${path} ${body ?? ''}`)
  return [
    `after ${steps.length} calls, ${last?.method} ${last?.path} got different answers`,
    what,
    `left:  ${left}`,
    `right: ${right}`,
    ...calls,
    `repeat: LATCHKEY_SEED=${seed} LATCHKEY_SEQUENCES=1 pnpm --filter @latchkey/conformance exec vitest run test/differential`,
  ].join('\n')
}
