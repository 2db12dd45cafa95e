/** How results move the status of a check. Instants and durations in milliseconds. Decisions: agent. */
import type { AgentCheck } from './check-definition.ts'

/** How many equal results came in a row. */
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

/** Whether the last result counts: as many equal ones came in a row as the check wants. */
export function movesStatus(
  counts: ResultCounts,
  { successesToPass, failuresToFail }: Pick<AgentCheck, 'successesToPass' | 'failuresToFail'>,
): boolean {
  return counts.failures > 0 ? counts.failures >= failuresToFail : counts.successes >= successesToPass
}

/** The output of a TTL check that no client reported in time. */
export function expiredOutput(lastOutput: string): string {
  return lastOutput === '' ? 'TTL expired' : `TTL expired (last output before timeout follows): ${lastOutput}`
}

/** Status of a check by the status of an HTTP answer. */
export function statusOfHttp(status: number): 'passing' | 'warning' | 'critical' {
  if (status >= 200 && status < 300) return 'passing'
  return status === 429 ? 'warning' : 'critical'
}

/** Longest wait before a change of output alone becomes a commit. */
export const OUTPUT_WRITE_MS = 300_000

/** When a change of output alone is written: after half of {@link OUTPUT_WRITE_MS} and a random part of it. */
export function outputWriteMs(random: number): number {
  return OUTPUT_WRITE_MS * (1 / 2 + random)
}
