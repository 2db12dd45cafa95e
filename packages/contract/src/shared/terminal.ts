/** Text for a terminal: the one place that decides which characters of it a terminal may see. */

/** Control characters except tabs and line ends, and characters that change the order in which a text is shown. */
const REWRITING = /[\p{Cc}\p{Bidi_Control}]/gu

/** Begins every colour of this process. No text of others can contain it, because it is random. */
const OWN = `\u001b[${[0, 1, 2].map(() => 1_000 + Math.floor(Math.random() * 9_000)).join(';')};`
const ESCAPE = '\u001b['

/** A text between two colour codes (SGR), which {@link visible} and {@link unchecked} make real. */
export function coloured(text: string, [on, off]: readonly [number, number]): string {
  return `${OWN}${on}m${text}${OWN}${off}m`
}

/** Replaces characters that could rewrite a terminal, such as escape sequences in a description. Keeps own colours. */
export function visible(text: string): string {
  return text
    .split(OWN)
    .map((part) => part.replace(REWRITING, (found) => (found === '\n' || found === '\t' ? found : '\ufffd')))
    .join(ESCAPE)
}

/** The same, on one line: a line end in a description could forge following lines. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', '⏎')
}

/** A JSON text, in which such characters are escaped, so that its meaning stays. */
export function visibleJson(json: string): string {
  return json.replace(REWRITING, (found) =>
    found === '\n' || found === '\t' ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Text for a file or a program: as it is, with own colours if somebody wants them there. */
export function unchecked(text: string): string {
  return text.replaceAll(OWN, ESCAPE)
}
