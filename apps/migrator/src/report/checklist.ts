/** The checklist of the upgrade. */
import { type Html, html } from '@latchkey/contract'
import type { TimedStep } from '../plan/timed-steps.ts'
import type { Clock } from './clock.ts'

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
