/** Longest part of a request that an error quotes, in characters. */
const ECHO_LENGTH_MAX = 64

/** Shortens a text of a request, to quote it in an error. */
export function shorten(text: string, lengthMax = ECHO_LENGTH_MAX): string {
  if (text.length <= lengthMax) return text
  // Never cut between the halves of a surrogate pair.
  const cut = text.slice(0, lengthMax)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}
