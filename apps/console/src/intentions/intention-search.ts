/** What the page of intentions shows, as it is in the URL. */
import type { Intention } from '@latchkey/sdk'

export interface IntentionSearch {
  readonly q?: string | undefined
  /** The services of the question whether one may connect to the other. */
  readonly source?: string | undefined
  readonly destination?: string | undefined
  /** The dialog that creates an intention is open. */
  readonly create?: true | undefined
  /** The intention that the open dialog edits, as `keyOf` names it. */
  readonly edit?: string | undefined
}

/** Reads the search of a URL, and drops what it does not know. */
export function readIntentionSearch(search: Readonly<Record<string, unknown>>): IntentionSearch {
  const text = (value: unknown) => (value === undefined || value === '' ? undefined : String(value))
  const found = {
    q: text(search.q),
    source: text(search.source),
    destination: text(search.destination),
    edit: text(search.edit),
    create: search.create === true ? (true as const) : undefined,
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

/** A name as the service takes it: with its namespace where that is not `default`. */
function nameOf(namespace: string, name: string): string {
  return namespace === 'default' ? name : `${namespace}/${name}`
}

export function sourceOf({ SourceNS, SourceName }: Intention): string {
  return nameOf(SourceNS, SourceName)
}

export function destinationOf({ DestinationNS, DestinationName }: Intention): string {
  return nameOf(DestinationNS, DestinationName)
}

/** What no two intentions share: both names, which have no spaces. */
export function keyOf(intention: Intention): string {
  return `${sourceOf(intention)} ${destinationOf(intention)}`
}

export function isSearched(intention: Intention, q: string | undefined): boolean {
  const searched = [
    sourceOf(intention),
    destinationOf(intention),
    intention.Description,
    intention.Action ?? '',
  ]
    .join('\n')
    .toLowerCase()
  return (q ?? '')
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
}

/**
 * The intention that decides about a source: the first that fits it.
 *
 * @param matches intentions of the destination, the highest precedence first.
 */
export function decidingIntention(matches: readonly Intention[], source: string): Intention | undefined {
  const [namespace, name] = source.includes('/') ? source.split('/') : ['default', source]
  const fits = (pattern: string, value: string | undefined) => pattern === '*' || pattern === value
  return matches.find(({ SourceNS, SourceName }) => fits(SourceNS, namespace) && fits(SourceName, name))
}
