/** Longest piece of a request that an error repeats, in characters. */
const ECHO_LENGTH_MAX = 64

/** A text of a request for an error: whole where it is short, else its beginning. */
export function shorten(text: string, lengthMax = ECHO_LENGTH_MAX): string {
  if (text.length <= lengthMax) return text
  // Not between the two halves of a character.
  const cut = text.slice(0, lengthMax)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}
