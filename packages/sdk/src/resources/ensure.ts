/** Creates or updates a record by name. */
import { Conflict, NotFound } from '../errors.ts'
import type { WithMeta } from '../meta.ts'

/** Maximum attempts if other clients keep creating and deleting the record. */
const ROUNDS_MAX = 3

interface Ways<T> {
  readonly read: () => Promise<WithMeta<T>>
  /** Safe to retry: if an earlier attempt was applied, the next one is a conflict. */
  readonly create: () => Promise<WithMeta<T>>
  readonly update: (found: T) => Promise<WithMeta<T>>
  readonly isSame: (found: T) => boolean
}

/**
 * Creates the record if it is missing, or updates it if it differs. Starts over if another client creates or deletes it
 * concurrently.
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

/** Whether the wanted links, by ID or name, equal the links of a record. */
export function hasLinks(found: readonly Link[] = [], wanted: readonly Link[] = []): boolean {
  const isMeant = (link: Link, { ID, Name }: Link) =>
    ID ? link.ID?.toLowerCase() === ID.toLowerCase() : link.Name === Name
  return (
    wanted.every((want) => found.some((link) => isMeant(link, want))) &&
    found.every((link) => wanted.some((want) => isMeant(link, want)))
  )
}

/** Whether two lists contain the same plain records, in any order. */
export function hasRecords(found: readonly object[] = [], wanted: readonly object[] = []): boolean {
  const texts = (records: readonly object[]) => [...new Set(records.map(canonical))].sort().join()
  return texts(found) === texts(wanted)
}

function canonical(record: object): string {
  const filled = Object.entries(record).filter(([, value]) => value !== undefined && String(value) !== '')
  return JSON.stringify(filled.sort(([a], [b]) => (a < b ? -1 : 1)))
}
