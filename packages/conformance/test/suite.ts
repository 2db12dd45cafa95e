/** Expectations of a run over all variants. */
import { expect } from 'vitest'
import { CASES, type CaseResult, makeReport, type Target } from '../src/index.ts'
import type { Variant } from './variants.ts'

/**
 * Expects that no case of a variant failed; the message shows each failure.
 *
 * @param log of the server, which is shown beside failures.
 */
export function expectNoFailures(results: readonly CaseResult[], log: readonly string[] = []): void {
  const failures = results
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ id, sections, reason }) => `${id} [${sections.join(', ')}]: ${reason}`)
  expect(failures, log.join('\n')).toEqual([])
}

/** Case ids that no variant has run. */
export function neverRun(results: readonly CaseResult[]): string[] {
  const run = new Set(results.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id))
  return CASES.map(({ id }) => id).filter((id) => !run.has(id))
}

/** Rows of the spec without a case, or that no variant has shown. */
export function neverShown(target: Target, results: readonly CaseResult[]): string[] {
  return makeReport(target, results)
    .sections.filter(({ outcome }) => outcome === 'uncovered' || outcome === 'skipped')
    .map(({ id }) => id)
}

export function targetOf(
  { name, traits }: Variant,
  over: Pick<Target, 'url' | 'token'> & Partial<Target>,
): Target {
  return { name, traits, prefix: 'X-Service-', ...over }
}
