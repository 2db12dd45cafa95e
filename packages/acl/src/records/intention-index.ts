/** All intentions in memory, indexed for lists, lookups and decisions. Names match regardless of case. */
import {
  destinationKey,
  type IntentionDestination,
  type IntentionDestinationRecord,
  type IntentionEnds,
  type IntentionRecord,
  intentionKey,
} from './intention-records.ts'

/** A destination with its intentions, highest precedence first. */
export interface StoredEntry {
  readonly destination: IntentionDestinationRecord
  readonly sources: readonly IntentionRecord[]
}

export class IntentionIndex {
  private readonly entries = new Map<string, StoredEntry>()
  private readonly byId = new Map<string, IntentionRecord>()
  private readonly bySource = new Map<string, IntentionRecord[]>()
  private readonly sorted: readonly IntentionRecord[]

  constructor(intentions: readonly IntentionRecord[], destinations: readonly IntentionDestinationRecord[]) {
    this.sorted = [...intentions].sort(compareIntentions)
    const sources = new Map<string, IntentionRecord[]>()
    for (const intention of this.sorted) {
      push(sources, destinationKey(intention), intention)
      push(this.bySource, sourceKey(intention.SourceNS, intention.SourceName), intention)
      if (intention.LegacyID !== undefined) this.byId.set(intention.LegacyID, intention)
    }
    const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
    const keyed = destinations.map((destination) => ({ key: destinationKey(destination), destination }))
    for (const { key, destination } of keyed.sort((a, b) => inOrder(a.key, b.key))) {
      this.entries.set(key, { destination, sources: sources.get(key) ?? [] })
    }
  }

  /** All intentions, highest precedence first. */
  list(): readonly IntentionRecord[] {
    return this.sorted
  }

  /** By LegacyID, ignoring case. */
  find(id: string): IntentionRecord | undefined {
    return this.byId.get(id.toLowerCase())
  }

  findExact(ends: IntentionEnds): IntentionRecord | undefined {
    const key = intentionKey(ends)
    return this.entry(ends)?.sources.find((source) => intentionKey(source) === key)
  }

  entry(destination: IntentionDestination): StoredEntry | undefined {
    return this.entries.get(destinationKey(destination))
  }

  /** All entries, in order of namespace and name. */
  allEntries(): Iterable<StoredEntry> {
    return this.entries.values()
  }

  /** The intentions to a destination, including intentions to `*`, highest precedence first. */
  toDestination(namespace: string, name: string): readonly IntentionRecord[] {
    return covering(namespace, name)
      .flatMap(
        ([DestinationNS, DestinationName]) => this.entry({ DestinationNS, DestinationName })?.sources ?? [],
      )
      .sort(compareIntentions)
  }

  /** The intentions from a source, including intentions from `*`, highest precedence first. */
  ofSource(namespace: string, name: string): readonly IntentionRecord[] {
    return covering(namespace, name)
      .flatMap(
        ([sourceNamespace, sourceName]) => this.bySource.get(sourceKey(sourceNamespace, sourceName)) ?? [],
      )
      .sort(compareIntentions)
  }

  /** The intention that decides about a connection; `undefined` if the default policy decides. */
  deciding({
    SourceNS,
    SourceName,
    DestinationNS,
    DestinationName,
  }: IntentionEnds): IntentionRecord | undefined {
    const sources = new Set(covering(SourceNS, SourceName).map((pair) => sourceKey(...pair)))
    return this.toDestination(DestinationNS, DestinationName).find((intention) =>
      sources.has(sourceKey(intention.SourceNS, intention.SourceName)),
    )
  }

  /** How intentions spell a source or destination, each spelling once. */
  spellings(end: 'source' | 'destination', namespace: string, name: string): ReadonlySet<string> {
    if (end === 'source')
      return new Set(this.bySource.get(sourceKey(namespace, name))?.map(({ SourceName }) => SourceName))
    const entry = this.entry({ DestinationNS: namespace, DestinationName: name })
    const stored = entry ? [entry.destination, ...entry.sources] : []
    return new Set(stored.map(({ DestinationName }) => DestinationName))
  }
}

/** The name itself and the wildcards that cover it, each once. Only wildcards cover `*`. */
function covering(namespace: string, name: string): (readonly [namespace: string, name: string])[] {
  const all: readonly (readonly [string, string])[] = [
    [namespace, name],
    [namespace, WILDCARD],
    [WILDCARD, WILDCARD],
  ]
  const seen = new Set<string>()
  return all.filter((pair) => {
    const key = sourceKey(...pair)
    return !seen.has(key) && seen.add(key)
  })
}

function sourceKey(namespace: string, name: string): string {
  return JSON.stringify([namespace.toLowerCase(), name.toLowerCase()])
}

function push(into: Map<string, IntentionRecord[]>, key: string, intention: IntentionRecord): void {
  const list = into.get(key)
  if (list) list.push(intention)
  else into.set(key, [intention])
}

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
