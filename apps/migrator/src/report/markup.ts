/** HTML fragments shared by the pages. */
import { Html, html, type Insertable } from '@latchkey/contract'
import { STYLE } from './style.ts'

/**
 * A complete page that needs no network.
 *
 * @param refreshSeconds how often an open page reloads; undefined for never.
 */
export function page(title: string, body: Insertable, refreshSeconds?: number): string {
  const refresh =
    refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${refreshSeconds}">`
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">${refresh}<title>${title}</title><style>${new Html(STYLE)}</style></head><body><main>${body}</main></body></html>\n`
    .text
}

/** A section with a heading; undefined without a body. */
export function section(title: string, body: Html | undefined, note?: string): Html | undefined {
  if (body === undefined) return undefined
  const text = note !== undefined && html`<p class="note">${note}</p>`
  return html`<section><h2>${title}</h2>${text}${body}</section>`
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
