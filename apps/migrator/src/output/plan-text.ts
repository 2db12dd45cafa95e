/** The output of `plan` for a terminal. */
import type { Paint } from '../cli/io.ts'
import { agrees, counted } from '../findings/finding.ts'
import type { PlanResult } from '../plan/plan.ts'
import { placeText } from '../plan/token-census.ts'
import { type Clock, whenText } from '../report/clock.ts'
import { formatTime } from '../scenario/time.ts'
import { findingLines, verdictLine } from './text.ts'

export function formatPlan(result: PlanResult, paint: Paint, clock: Clock): string {
  const { tokens } = result
  return [
    verdictLine(result.verdict, paint),
    result.scenario,
    '',
    `${counted(tokens.total, 'legacy token')}: ${number(tokens.client)} client (${number(tokens.withRules)} with rules), ${number(tokens.management)} management${tokens.anonymous ? ', including the anonymous token' : ''}${tokens.refused === 0 ? '' : `; ${counted(tokens.refused, 'record')} ${agrees(tokens.refused, 'is not a usable token', 'are not usable tokens')}`}`,
    ...accessorLines(tokens),
    '',
    paint('bold', 'Accessors'),
    ...Object.entries(result.datacenters).map(([name, each]) => {
      if (each.tokens === 0) return `  ${name}: none`
      const how = each.isPrimary
        ? each.batches === 1
          ? '1 batch'
          : `${counted(each.batches, 'batch')}, at least ${formatTime(each.duration)}`
        : 'by replication'
      const done = !result.isScheduled
        ? ''
        : `, ${each.doneAt === null ? paint('red', 'never done') : `done at ${formatTime(each.doneAt)}`}`
      return `  ${name}: ${counted(each.tokens, 'token')}, ${how}${done}`
    }),
    '',
    paint('bold', 'Steps'),
    ...result.steps.flatMap((step, i) => stepLines(step, i + 1, clock)),
    '',
    ...findingLines(result.findings, paint),
    ...result.findings.flatMap(placeLines),
    '',
  ].join('\n')
}

function stepLines(step: PlanResult['steps'][number], number: number, clock: Clock): string[] {
  if (!('when' in step)) return [`  ${number}. ${step.text}`]
  const when = whenText(step, clock)
  const parts =
    step.parts.length > 1
      ? [
          `     ${step.parts.map(({ name, at }) => `${name} ${at === null ? 'never' : clock.time(at * 1_000)}`).join(', ')}`,
        ]
      : []
  return [`  ${number}. ${when === '' ? '' : `${when}: `}${step.text}`, ...parts]
}

function accessorLines({ withAccessor, withLegacyRights }: PlanResult['tokens']): string[] {
  if (withAccessor === 0) return []
  const rights =
    withLegacyRights === 0 ? '' : `; the rights of ${number(withLegacyRights)} come from legacy rules alone`
  return [`${counted(withAccessor, 'token')} with an accessor${rights}`]
}

function placeLines({ id, tokens = [] }: PlanResult['findings'][number]): string[] {
  if (tokens.length === 0) return []
  return ['', `Tokens of ${id}`, ...tokens.map((place) => `  ${placeText(place)}: ${place.detail}`)]
}

function number(count: number): string {
  return count.toLocaleString('en-US')
}
