/** The checklist of the upgrade, and the way back from each phase. */
import { type Html, html } from '@latchkey/contract'
import type { TimedStep } from '../plan/timed-steps.ts'
import type { WayBack } from '../way-back/way-back.ts'
import { type Clock, spanText } from './clock.ts'
import { table } from './markup.ts'

export function renderChecklist(steps: readonly TimedStep[], clock: Clock): Html {
  const items = steps.map((step, i) => {
    const parts = step.parts.map(({ name, at }, j) =>
      tick(`step-${i}-${j}`, at === null ? 'never' : clock.time(at * 1_000), name),
    )
    const main = tick(`step-${i}`, whenText(step, clock), step.text)
    return html`<li${step.at === null && html` class="never"`}>${main}${parts.length > 0 && html`<ul>${parts.map((part) => html`<li>${part}</li>`)}</ul>`}</li>`
  })
  return html`<ol class="steps">${items}</ol>`
}

function tick(id: string, time: string, text: string): Html {
  return html`<div class="step"><input type="checkbox" id="${id}"><label for="${id}"><time>${time}</time><span>${text}</span></label></div>`
}

export function whenText({ when, at, parts }: TimedStep, { time }: Clock): string {
  if (at === null) return when === 'by' ? 'never' : ''
  const text = time(at * 1_000)
  if (when === 'at') return parts.length > 1 ? `from ${text}` : text
  return `${when} ${text}`
}

/** Undefined without a phase. */
export function renderWaysBack(ways: readonly WayBack[], clock: Clock): Html | undefined {
  if (ways.length === 0) return undefined
  const rows = ways.map((way) => [
    html`${way.title} <small>${way.datacenter}</small>`,
    spanText(way, clock),
    html`<span class="tag ${way.isOpen ? 'open' : 'critical'}">${way.isOpen ? 'open' : 'snapshot only'}</span> ${way.how}`,
    lostText(way, clock),
  ])
  return table(['phase', 'when', 'way back', 'what is lost'], rows, {
    caption: 'How to go back in each phase, and what is lost at the end of the phase',
  })
}

export function lostText({ lost, snapshotAt }: WayBack, { time }: Clock): string {
  if (lost.length === 0) return 'nothing'
  const since = snapshotAt === null ? '' : ` (with the snapshot of ${time(snapshotAt * 1_000)})`
  return `${lost.join('; ')}${since}`
}
