/** Records by name: created where there is none, changed where one differs. */
import { Conflict, NotFound } from './errors.ts'
import type { WithMeta } from './meta.ts'

/** Rounds before a record that others create and delete all the time is given up. */
const ROUNDS_MAX = 3

interface Ways<T> {
  readonly read: () => Promise<WithMeta<T>>
  readonly create: () => Promise<WithMeta<T>>
  readonly update: (found: T) => Promise<WithMeta<T>>
  readonly isSame: (found: T) => boolean
}

/**
 * Reads the record, creates it where it is absent, and updates it where it differs. A record that another client
 * creates or deletes between two steps is read again.
 */
export async function ensure<T>(ways: Ways<T>): Promise<WithMeta<T>> {
  for (let round = 1; ; round += 1) {
    try {
      const found = await ways.read().catch(absentAsUndefined)
      if (found === undefined) return await ways.create()
      return ways.isSame(found.value) ? found : await ways.update(found.value)
    } catch (error) {
      const isOvertaken = error instanceof Conflict || error instanceof NotFound
      if (!isOvertaken || round === ROUNDS_MAX) throw error
    }
  }
}

function absentAsUndefined(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error
}

type Link = { readonly ID?: string | undefined; readonly Name?: string | undefined }

/** Whether the links that are wanted, each by ID or by name, are those that a record has. */
export function hasLinks(found: readonly Link[] = [], wanted: readonly Link[] = []): boolean {
  const isMeant = (link: Link, { ID, Name }: Link) =>
    ID ? link.ID?.toLowerCase() === ID.toLowerCase() : link.Name === Name
  return (
    wanted.every((want) => found.some((link) => isMeant(link, want))) &&
    found.every((link) => wanted.some((want) => isMeant(link, want)))
  )
}

/** Whether two lists hold the same plain records, in any order. */
export function hasRecords(found: readonly object[] = [], wanted: readonly object[] = []): boolean {
  const texts = (records: readonly object[]) => [...new Set(records.map(canonical))].sort().join()
  return texts(found) === texts(wanted)
}

function canonical(record: object): string {
  const filled = Object.entries(record).filter(([, value]) => value !== undefined && String(value) !== '')
  return JSON.stringify(filled.sort(([a], [b]) => (a < b ? -1 : 1)))
}
