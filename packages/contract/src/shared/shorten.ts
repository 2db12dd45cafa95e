/** Maximum number of characters that an error quotes from a request. */
const ECHO_LENGTH_MAX = 64

/** Truncates a text from a request in order to quote it in an error. */
export function shorten(text: string, lengthMax = ECHO_LENGTH_MAX): string {
  if (text.length <= lengthMax) return text
  // Never split a surrogate pair.
  const cut = text.slice(0, lengthMax)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}
