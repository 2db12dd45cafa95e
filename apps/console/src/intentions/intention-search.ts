import type { Intention } from '@latchkey/sdk'
import { readSearch, type UrlSearch } from '../ui/table/list-search.ts'

export interface IntentionSearch {
  readonly q?: string | undefined
  readonly source?: string | undefined
  readonly destination?: string | undefined
  readonly create?: true | undefined
  /** The intention that the open dialog edits, by its `keyOf`. */
  readonly edit?: string | undefined
}

export const readIntentionSearch = (search: UrlSearch): IntentionSearch =>
  readSearch(search, ['q', 'source', 'destination', 'edit'])

/** A name in the service's form: with its namespace unless that is `default`. */
function nameOf(namespace: string, name: string): string {
  return namespace === 'default' ? name : `${namespace}/${name}`
}

export function sourceOf({ SourceNS, SourceName }: Intention): string {
  return nameOf(SourceNS, SourceName)
}

export function destinationOf({ DestinationNS, DestinationName }: Intention): string {
  return nameOf(DestinationNS, DestinationName)
}

/** A unique key: both names, which contain no spaces. */
export function keyOf(intention: Intention): string {
  return `${sourceOf(intention)} ${destinationOf(intention)}`
}

/** The first of the intentions of a destination, highest precedence first, that matches a source. */
export function decidingIntention(matches: readonly Intention[], source: string): Intention | undefined {
  const [namespace, name] = source.includes('/') ? source.split('/') : ['default', source]
  const fits = (pattern: string, value: string | undefined) => pattern === '*' || pattern === value
  return matches.find(({ SourceNS, SourceName }) => fits(SourceNS, namespace) && fits(SourceName, name))
}
