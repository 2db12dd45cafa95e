/** Runs cases against a target. */
import { type Case, whySkipped } from './case.ts'
import { Context } from './context.ts'
import type { Target } from './target.ts'

export interface CaseResult {
  readonly id: string
  /** Rows of the spec that the case covers. */
  readonly sections: readonly string[]
  readonly title: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why the case was skipped, or what it got instead. */
  readonly reason?: string
  readonly ms: number
}

/** Number of cases that run concurrently; they share nothing. */
const CONCURRENCY = 6

/** @returns results in the order of the cases. */
export async function runCases(cases: readonly Case[], target: Target): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  const queue = [...cases.entries()]
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [position, one] = next
      results[position] = await runCase(one, target)
    }
  }
  // A case that moves the clock moves it for all cases.
  const workers = target.clock ? 1 : CONCURRENCY
  await Promise.all(Array.from({ length: workers }, work))
  return results
}

async function runCase(one: Case, target: Target): Promise<CaseResult> {
  const { id, title, sections } = one
  const skipped = whySkipped(one.needs, target)
  if (skipped !== undefined) return { id, sections, title, outcome: 'skipped', reason: skipped, ms: 0 }
  const ctx = new Context(target)
  const startedAt = performance.now()
  const ended = (outcome: 'passed' | 'failed', reason?: string): CaseResult => {
    const ms = Math.round(performance.now() - startedAt)
    return { id, sections, title, outcome, ...(reason === undefined ? {} : { reason }), ms }
  }
  try {
    await one.run(ctx)
    return ended('passed')
  } catch (error) {
    return ended('failed', reasonOf(error))
  } finally {
    await ctx.clean().catch(() => undefined)
  }
}

/** The message, plus the cause that `fetch` wraps in its own error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const place = /cases\/[\w-]+\.ts:\d+/.exec(error.stack ?? '')?.[0]
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.message}${cause}${place === undefined ? '' : ` at ${place}`}`
}
