/** Suggests corrections for misspelt names. */
import { nearestName } from '@latchkey/contract'

/**
 * Suggests the candidate that is closest: `; did you mean servers?`.
 *
 * @returns an empty text if no candidate is close.
 */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const nearest = nearestName(word, candidates)
  return nearest === undefined || nearest === word ? '' : `; did you mean ${nearest}?`
}
