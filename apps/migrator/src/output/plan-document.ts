/** What `plan` tells people. */
import { agrees, counted } from '../findings/finding.ts'
import type { PlanResult } from '../plan/plan.ts'
import type { TimedStep } from '../plan/steps.ts'
import { placeText } from '../plan/token-census.ts'
import { type Clock, formatTime } from '../scenario/time.ts'
import { type Document, findingSection, type Item, verdictMark } from './document.ts'

export function planDocument(result: PlanResult, clock: Clock): Document {
  const { tokens, findings } = result
  return {
    title: result.scenario,
    verdict: verdictMark(result.verdict),
    lead: [result.scenario, ...tokenLines(tokens)],
    sections: [
      { title: 'Accessors', items: accessorLines(result) },
      { title: 'Steps', items: stepItems(result.steps, clock) },
      findingSection(findings),
      ...findings.map(({ id, tokens: places = [] }) => ({
        title: `Tokens of ${id}`,
        items: places.map((place) => `${placeText(place)}: ${place.detail}`),
      })),
    ],
  }
}

/** The steps with their times, if there is a schedule. */
export function stepItems(steps: PlanResult['steps'], clock: Clock): Item[] {
  return steps.map((step, i) => {
    if (!('when' in step)) return { text: `${i + 1}. ${step.text}` }
    const when = whenText(step, clock)
    const parts = step.parts.map(({ name, at }) => `${name} ${at === null ? 'never' : clock(at * 1_000)}`)
    const text = `${i + 1}. ${when === '' ? '' : `${when}: `}${step.text}`
    return { text, more: parts.length > 1 ? [parts.join(', ')] : [] }
  })
}

/** When a step begins or ends; empty if the simulation does not tell. */
function whenText({ when, at, parts }: TimedStep, clock: Clock): string {
  if (at === null) return when === 'by' ? 'never' : ''
  const text = clock(at * 1_000)
  if (when === 'at') return parts.length > 1 ? `from ${text}` : text
  return `${when} ${text}`
}

function tokenLines(tokens: PlanResult['tokens']): string[] {
  const { total, client, withRules, management, anonymous, refused, withAccessor, withLegacyRights } = tokens
  const number = (count: number) => count.toLocaleString('en-US')
  const unusable =
    refused === 0
      ? ''
      : `; ${counted(refused, 'record')} ${agrees(refused, 'is not a usable token', 'are not usable tokens')}`
  const legacy = `${counted(total, 'legacy token')}: ${number(client)} client (${number(withRules)} with rules), ${number(management)} management${anonymous ? ', including the anonymous token' : ''}${unusable}`
  if (withAccessor === 0) return [legacy]
  const rights =
    withLegacyRights === 0 ? '' : `; the rights of ${number(withLegacyRights)} come from legacy rules alone`
  return [legacy, `${counted(withAccessor, 'token')} with an accessor${rights}`]
}

function accessorLines({ datacenters, isScheduled }: PlanResult): string[] {
  return Object.entries(datacenters).map(([name, { tokens, isPrimary, batches, duration, doneAt }]) => {
    if (tokens === 0) return `${name}: none`
    const inBatches =
      batches === 1 ? '1 batch' : `${counted(batches, 'batch')}, at least ${formatTime(duration)}`
    const done = doneAt === null ? ', never done' : `, done at ${formatTime(doneAt)}`
    return `${name}: ${counted(tokens, 'token')}, ${isPrimary ? inBatches : 'by replication'}${isScheduled ? done : ''}`
  })
}
