/** What a command tells people: one document, which is written as text for a terminal and as an HTML page. */
import { Html, html, PRODUCT_VERSION } from '@latchkey/contract'
import type { Paint } from '../cli/io.ts'
import type { Finding, Verdict } from '../findings/finding.ts'
import type { Clock } from '../scenario/time.ts'

const STYLES = { good: 'green', care: 'yellow', bad: 'red', quiet: 'dim' } as const

interface Mark {
  readonly word: string
  readonly tone: keyof typeof STYLES
}

export interface Item {
  readonly mark?: Mark
  readonly text: string
  /** Lines that stand indented below it. */
  readonly more?: readonly string[]
  /** A further line of the page. */
  readonly note?: string
}

interface Section {
  /** Empty for none. */
  readonly title: string
  readonly items: readonly (Item | string)[]
  readonly isOnPageOnly?: true
  readonly isChecklist?: true
  /** Its items are lines with columns. */
  readonly isTable?: true
}

export interface Document {
  readonly title: string
  readonly verdict?: Mark
  readonly lead: readonly string[]
  /** Sentences before these on the page. */
  readonly summary?: readonly string[]
  readonly sections: readonly Section[]
  readonly foot?: string
}

export function verdictMark(verdict: Verdict): Mark {
  const tone = ({ go: 'good', 'go with care': 'care', 'no-go': 'bad' } as const)[verdict]
  return { word: verdict.toUpperCase(), tone }
}

type FindingText = Pick<Finding, 'id' | 'severity' | 'detail' | 'avoid'>

/** @param noteOf what the page says besides. */
export function findingSection<F extends FindingText>(
  findings: readonly F[],
  noteOf: (finding: F) => string = () => '',
): Section {
  const tones = { critical: 'bad', warning: 'care', info: 'quiet' } as const
  const items = findings.map((each) => ({
    mark: { word: each.severity, tone: tones[each.severity] },
    text: `${each.id}: ${each.detail}`,
    more: [each.avoid],
    note: noteOf(each),
  }))
  return { title: 'Findings', items }
}

const EVENTS_MAX = 200

/** What a page says besides the text: the events in order, with times in seconds, and the inputs. */
export function pageSections(
  events: readonly {
    readonly at: number
    readonly server?: string
    readonly datacenter?: string
    detail: string
  }[],
  { clock, dumpHash }: { readonly clock: Clock; readonly dumpHash: string | undefined },
): Section[] {
  const told = events.slice(0, EVENTS_MAX).map(({ at, server, datacenter, detail }) => {
    const where = server ?? datacenter
    return `${clock(at * 1_000)}  ${where === undefined ? '' : `${where}: `}${detail}`
  })
  const more = events.length > EVENTS_MAX ? [`${events.length - EVENTS_MAX} more`] : []
  const hash = dumpHash === undefined ? [] : [`dump, SHA-256 ${dumpHash}`]
  return [
    { title: 'Events', isOnPageOnly: true, items: [...told, ...more] },
    { title: 'Inputs', isOnPageOnly: true, items: [`latchkey-migrator ${PRODUCT_VERSION}`, ...hash] },
  ]
}

export function renderText({ verdict, lead, sections, foot }: Document, paint: Paint): string {
  const marked = ({ word, tone }: Mark) => paint(STYLES[tone], word)
  const linesOf = ({ mark, text, more = [] }: Item) => [
    `  ${mark === undefined ? '' : `${marked(mark)} `}${text}`,
    ...more.map((line) => `    ${line}`),
  ]
  const shown = sections.filter(({ items, isOnPageOnly }) => items.length > 0 && isOnPageOnly !== true)
  const blocks = [
    [...(verdict === undefined ? [] : [paint('bold', marked(verdict))]), ...lead],
    ...shown.map(({ title, items }) => [
      ...(title === '' ? [] : [paint('bold', title)]),
      ...items.flatMap((item) => (typeof item === 'string' ? `  ${item}` : linesOf(item))),
    ]),
    ...(foot === undefined ? [] : [[paint('dim', foot)]]),
  ]
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

/** One HTML file without scripts or links: light and dark, readable on a phone and on paper. @param scenarioText without secrets. */
export function renderPage(
  { title, verdict, summary = [], lead, sections, foot }: Document,
  scenarioText?: string,
): string {
  const marked = (mark: Mark | undefined) => mark && html`<b class="${mark.tone}">${mark.word}</b> `
  const itemOf = ({ mark, text, more = [], note = '' }: Item) =>
    html`${marked(mark)}${text}${note !== '' && html`<small>${note}</small>`}${more.map((line) => html`<p>${line}</p>`)}`
  const shown = sections.filter(({ items }) => items.length > 0)
  const body = shown.map(({ title: name, items, isChecklist, isTable }) => {
    if (isTable === true) return html`<section><h2>${name}</h2><pre>${items.join('\n')}</pre></section>`
    const rows = items
      .map((item) => itemOf(typeof item === 'string' ? { text: item } : item))
      .map((item) => (isChecklist === true ? html`<label><input type="checkbox">${item}</label>` : item))
    return html`<section><h2>${name}</h2><ul>${rows.map((row) => html`<li>${row}</li>`)}</ul></section>`
  })
  const source =
    scenarioText !== undefined &&
    html`<details><summary>The scenario</summary><pre>${scenarioText}</pre></details>`
  const head = html`<h1>${title}</h1><p class="verdict">${marked(verdict)}</p>${[...summary, ...lead].map((each) => html`<p>${each}</p>`)}`
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${verdict?.word}: ${title}</title><style>${new Html(STYLE)}</style></head><body><main>${head}${body}${source}${foot !== undefined && html`<pre>${foot}</pre>`}</main></body></html>\n`
    .text
}

const STYLE = `
:root{color-scheme:light dark;--good:#14713f;--care:#8a5300;--bad:#b3261e;--quiet:#525e6d;--line:#d5dbe3}
@media (prefers-color-scheme:dark){:root{--good:#5bd198;--care:#edb64a;--bad:#ff8a82;--quiet:#a3afbe;--line:#2f3946}}
body{margin:0;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
main{max-width:68rem;margin:0 auto;padding:2rem 1.25rem}
h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.25rem;margin:2rem 0 .25rem}p{margin:.2rem 0}
.verdict{font-size:2rem}.good{color:var(--good)}.care{color:var(--care)}.bad{color:var(--bad)}.quiet,small{color:var(--quiet)}
small{display:block}ul{list-style:none;padding:0;margin:0}li{border-bottom:1px solid var(--line);padding:.35rem 0;break-inside:avoid}
label{display:block}input{margin-right:.6rem}summary{cursor:pointer;margin:1rem 0}
pre{border:1px solid var(--line);padding:.8rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;font:.85rem/1.5 ui-monospace,Menlo,monospace}
@media print{@page{margin:14mm}main{max-width:none;padding:0}body{font-size:10pt}details::details-content{content-visibility:visible;block-size:auto}}
`
