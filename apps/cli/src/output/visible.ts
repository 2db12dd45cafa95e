import { stripVTControlCharacters } from 'node:util'

/** Control characters, and characters that change the display order of a text. Excludes tabs and line ends. */
export const REWRITING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Removes characters that could rewrite the terminal, such as control characters in a description. */
export function visible(text: string): string {
  return stripVTControlCharacters(text).replace(REWRITING, '\ufffd')
}

/** The same, on one line: a line end in a description could forge following lines. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', '⏎')
}
