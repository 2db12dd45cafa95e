/** The page of a report: one HTML file, no network, light and dark, readable on a phone and on paper. */
import { Html, html, type Insertable, PRODUCT_VERSION } from '@latchkey/contract'
import type { Verdict } from '../findings/finding.ts'
import type { ReportInputs } from './inputs.ts'
import { STYLE } from './style.ts'

export const VERDICTS = {
  go: { look: 'go', word: 'Go' },
  'go with care': { look: 'care', word: 'Go with care' },
  'no-go': { look: 'nogo', word: 'No-go' },
} as const satisfies Record<Verdict, { look: string; word: string }>

interface Page {
  readonly kicker: string
  readonly scenario: string
  readonly verdict: { readonly look: string; readonly word: string }
  /** The verdict in sentences, the most important first. */
  readonly summary: readonly string[]
  /** Sections without a body are left out. */
  readonly sections: readonly {
    readonly title: string
    readonly body: Html | undefined
    readonly note?: string
  }[]
  readonly inputs: ReportInputs
  /** More facts about the run, by name. */
  readonly facts?: readonly (readonly [name: string, value: Insertable])[]
  /** The command that repeats the run. */
  readonly replay: string
}

export function renderPage({ kicker, scenario, verdict, summary, sections, ...rest }: Page): string {
  const [lead = '', ...items] = summary
  const all = [...sections, { title: 'Inputs', body: renderInputs(rest), note: undefined }]
  const main = html`<header><p class="kicker">${kicker}</p><h1>${scenario}</h1></header>
<div class="verdict ${verdict.look}"><p class="word">${verdict.word}</p><p class="lead">${lead}</p><ul>${items.map((each) => html`<li>${each}</li>`)}</ul></div>
${all.map(({ title, body, note }) => body && html`<section><h2>${title}</h2>${note !== undefined && html`<p class="note">${note}</p>`}${body}</section>`)}`
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${verdict.word}: ${scenario}</title><style>${new Html(STYLE)}</style></head><body><main>${main}</main></body></html>\n`
    .text
}

function renderInputs({ inputs, facts = [], replay }: Pick<Page, 'inputs' | 'facts' | 'replay'>): Html {
  const { scenarioText, dumpHash } = inputs
  const rows = [
    ['tool', `latchkey-migrator ${PRODUCT_VERSION}`],
    ...facts,
    ...(dumpHash === undefined ? [] : [['dump, SHA-256', html`<code class="long">${dumpHash}</code>`]]),
  ] as const
  const text =
    scenarioText !== undefined &&
    html`<details><summary>The scenario</summary><pre>${scenarioText}</pre></details>`
  return html`<dl class="inputs">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>${text}<p class="note">To repeat this run:</p><pre>${replay}</pre>`
}

/** A table that scrolls if it is too wide, with stacked rows on a phone. The first cell is the header of its row. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly Insertable[])[],
  options: { readonly caption: string; readonly numbers?: readonly number[] },
): Html {
  const name = (i: number) => options.numbers?.includes(i) === true && html` class="n"`
  const head = heads.map((each, i) => html`<th scope="col"${name(i)}>${each}</th>`)
  const body = rows.map(
    ([first, ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell, i) => html`<td${name(i + 1)} data-label="${heads[i + 1] ?? ''}">${cell}</td>`)}</tr>`,
  )
  return html`<div class="wide"><table><caption>${options.caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}
