/** How results change the status of a check. Instants and durations in milliseconds. Decisions: agent. */
import type { AgentCheck } from './check-definition.ts'

/** The number of consecutive equal results. */
export interface ResultCounts {
  readonly successes: number
  readonly failures: number
}

export const NO_RESULTS: ResultCounts = { successes: 0, failures: 0 }

/** Counts one result. Passing and warning are successes. */
export function countResult(counts: ResultCounts, status: string): ResultCounts {
  return status === 'critical'
    ? { successes: 0, failures: counts.failures + 1 }
    : { successes: counts.successes + 1, failures: 0 }
}

/** Whether the last result changes the status: there were as many consecutive equal results as the check requires. */
export function movesStatus(
  counts: ResultCounts,
  { successesToPass, failuresToFail }: Pick<AgentCheck, 'successesToPass' | 'failuresToFail'>,
): boolean {
  return counts.failures > 0 ? counts.failures >= failuresToFail : counts.successes >= successesToPass
}

/** The output of a TTL check without a report in time. */
export function expiredOutput(lastOutput: string): string {
  return lastOutput === '' ? 'TTL expired' : `TTL expired (last output before timeout follows): ${lastOutput}`
}

/** The status of a check for the status of an HTTP answer. */
export function statusOfHttp(status: number): 'passing' | 'warning' | 'critical' {
  if (status >= 200 && status < 300) return 'passing'
  return status === 429 ? 'warning' : 'critical'
}

/** Maximum delay before a change that affects only the output is committed. */
export const OUTPUT_WRITE_MS = 300_000

/** The delay of a change that affects only the output: half of {@link OUTPUT_WRITE_MS} plus jitter. */
export function outputWriteMs(random: number): number {
  return OUTPUT_WRITE_MS * (1 / 2 + random)
}
