/** HTML as values: a template that escapes every inserted text, so that text never becomes markup. */

/** Markup that is safe to embed. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Template values: text is escaped, markup is kept, lists are joined, `undefined` and `false` are omitted. */
export type Insertable = string | number | Html | undefined | false | readonly Insertable[]

/** A template tag: `` html`<p>${text}</p>` ``. Attributes must be quoted. */
export function html(parts: TemplateStringsArray, ...values: readonly Insertable[]): Html {
  let text = parts[0] ?? ''
  for (const [i, value] of values.entries()) text += toMarkup(value) + (parts[i + 1] ?? '')
  return new Html(text)
}

function toMarkup(value: Insertable): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(toMarkup).join('')
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
