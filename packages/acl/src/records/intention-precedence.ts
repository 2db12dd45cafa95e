/** The precedence of intentions: the more specific one decides. Spec 9.5 is silent; decisions: intentions. */
import type { IntentionEnds } from './intention-records.ts'

export const WILDCARD = '*'

/** The precedence of an intention with this destination and an exact source, by the number of exact parts of the destination. */
const HIGHEST = [3, 6, 9] as const

/**
 * 1 to 9; among the intentions that match two services, the highest decides. It depends on the number of exact parts,
 * first of the destination: an exact namespace with an exact name, an exact namespace with `*`, or `*` with `*`.
 */
export function precedenceOf({
  SourceNS,
  SourceName,
  DestinationNS,
  DestinationName,
}: IntentionEnds): number {
  const highest = HIGHEST[exactParts(DestinationNS, DestinationName)]
  return highest - (2 - exactParts(SourceNS, SourceName))
}

function exactParts(namespace: string, name: string): 0 | 1 | 2 {
  if (namespace === WILDCARD) return 0
  return name === WILDCARD ? 1 : 2
}

/** Sorts by descending precedence, then by source and destination. */
export function compareIntentions(a: IntentionEnds, b: IntentionEnds): number {
  return (
    precedenceOf(b) - precedenceOf(a) ||
    compareText(a.SourceNS, b.SourceNS) ||
    compareText(a.SourceName, b.SourceName) ||
    compareText(a.DestinationNS, b.DestinationNS) ||
    compareText(a.DestinationName, b.DestinationName)
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
