/** The subset of CommonMark that our descriptions use: paragraphs, `code` and **strong**. */
import { type Html, html } from '@latchkey/contract'

/** A description on one line. */
export function inline(text: string): readonly Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`
    return html`${part}`
  })
}

/** A description of several paragraphs. */
export function paragraphs(text: string): readonly Html[] {
  return text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`)
}

/** Indented JSON. */
export function prettyJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
}
