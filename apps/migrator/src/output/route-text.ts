/** The output of `route` for a terminal. */
import type { Paint } from '../cli/io.ts'
import type { RouteResult } from '../route/route.ts'
import { formatSeconds } from '../scenario/time.ts'
import { findingLines, verdictLine } from './text.ts'

export function formatRoute({ from, to, legs, simulation }: RouteResult, paint: Paint): string {
  return [
    verdictLine(simulation.verdict, paint),
    `${simulation.scenario}: from ${from} to ${to}; model ${simulation.model}, seed ${simulation.seed}`,
    '',
    ...legs.flatMap(({ version, startAt, settledAt, before }, i) => [
      `${i + 1}. ${paint('bold', version)}: from ${formatSeconds(startAt * 1_000)}, settled at ${formatSeconds(settledAt * 1_000)}`,
      ...before.map((text) => `   ${text}`),
    ]),
    '',
    ...findingLines(simulation.findings, paint),
    '',
  ].join('\n')
}
