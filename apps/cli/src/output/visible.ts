import { stripVTControlCharacters } from 'node:util'

/** A text without what could rewrite the terminal, such as control characters in a description. */
export function visible(text: string): string {
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd')
}
