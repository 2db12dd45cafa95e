/** The answer of `plan` for a terminal. */
import type { Paint } from '../cli/io.ts'
import type { PlanFinding, PlanResult } from '../plan/plan.ts'
import { formatSeconds } from '../scenario/time.ts'
import { findingLines, verdictLine } from './text.ts'

export function formatPlan(result: PlanResult, paint: Paint): string {
  const { tokens } = result
  return [
    verdictLine(result.verdict, paint),
    result.scenario,
    '',
    `${number(tokens.total)} legacy tokens: ${number(tokens.client)} client (${number(tokens.withRules)} with rules), ${number(tokens.management)} management${tokens.anonymous ? ', the anonymous token among them' : ''}${tokens.refused === 0 ? '' : `; ${number(tokens.refused)} records are no usable token`}`,
    '',
    paint('bold', 'Accessors'),
    ...Object.entries(result.datacenters).map(([name, each]) => {
      if (each.tokens === 0) return `  ${name}: none`
      const how = each.isPrimary
        ? `${each.batches === 1 ? '1 batch' : `${number(each.batches)} batches`}, at least ${formatSeconds(each.duration * 1_000)}`
        : 'by replication'
      const done =
        each.doneAt === null ? paint('red', 'never done') : `done at ${formatSeconds(each.doneAt * 1_000)}`
      return `  ${name}: ${number(each.tokens)} tokens, ${how}, ${done}`
    }),
    '',
    paint('bold', 'Steps'),
    ...result.steps.map(({ text }, i) => `  ${i + 1}. ${text}`),
    '',
    ...findingLines(result.findings, paint),
    ...result.findings.flatMap(placeLines),
    '',
  ].join('\n')
}

function placeLines({ id, tokens }: PlanFinding): string[] {
  if (tokens === undefined || tokens.length === 0) return []
  return [
    '',
    `Tokens of ${id}`,
    ...tokens.map(
      ({ position, line, byte, detail }) => `  token ${position} (line ${line}, byte ${byte}): ${detail}`,
    ),
  ]
}

function number(count: number): string {
  return count.toLocaleString('en-US')
}
