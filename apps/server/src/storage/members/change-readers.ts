/** Records how far other datacenters have read the change log, visible to every process. Decisions: changes. */
import {
  type ChangeReader,
  type ChangeReaders,
  READER_KEPT_MS,
  READERS_MAX,
  type ReaderContact,
} from '@latchkey/service'
import type { BaseLogger } from 'pino'
import type { Database } from '../../database/connect.ts'
import { withAclErrors } from '../../database/database-error.ts'
import { Remembered } from '../../remembered.ts'

/** A reader polls up to fifty times a second; the log is kept for longer than this anyway. */
const WRITE_INTERVAL_MS = 2_000
/** Any client may request the list. */
const LIST_AGE_MS_MAX = 1_000

/** A contact without an index leaves the reader's index unchanged. Readers beyond the maximum are not recorded. */
const WRITE = `INSERT INTO change_reader AS r (name, index, contact_at)
  SELECT name, index, contact_at FROM (
    SELECT i.name, coalesce(i.index, k.index) AS index, to_timestamp(i.now / 1000.0) AS contact_at,
      k.name IS NULL AS is_new, count(*) FILTER (WHERE k.name IS NULL) OVER (ORDER BY i.name) AS nth_new
    FROM unnest($1::text[], $2::bigint[], $3::float8[]) AS i (name, index, now)
    LEFT JOIN change_reader k ON k.name = i.name
  ) contact
  WHERE index IS NOT NULL AND (NOT is_new OR (SELECT count(*) FROM change_reader) + nth_new <= $4)
  ORDER BY name
  ON CONFLICT (name) DO UPDATE SET index = excluded.index, contact_at = excluded.contact_at`

type Parts = Pick<Database, 'pool' | 'prisma'> & { readonly log: BaseLogger }

export class PostgresChangeReaders implements ChangeReaders {
  private readonly parts: Parts
  private pending = new Map<string, ReaderContact>()
  private timer: NodeJS.Timeout | undefined
  private known: readonly ChangeReader[] = []
  private readonly listed = new Remembered(() => this.read(), LIST_AGE_MS_MAX)

  constructor(parts: Parts) {
    this.parts = parts
  }

  note(contact: ReaderContact): void {
    const { index = this.pending.get(contact.name)?.index } = contact
    this.pending.set(contact.name, { ...contact, index })
    this.timer ??= setTimeout(() => void this.write(), WRITE_INTERVAL_MS).unref()
  }

  /** While the database is unreachable, the list as last read. */
  async list(now: number): Promise<readonly ChangeReader[]> {
    const readers = await this.listed.get()
    return readers.filter(({ contactAt }) => contactAt > now - READER_KEPT_MS)
  }

  /** Writes pending positions. A failure is only logged, because the readers poll again. */
  async write(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    const contacts = [...this.pending.values()]
    this.pending = new Map()
    if (contacts.length === 0) return
    const values = [
      contacts.map(({ name }) => name),
      contacts.map(({ index }) => index ?? null),
      contacts.map(({ now }) => now),
      READERS_MAX,
    ]
    try {
      await withAclErrors(() => this.parts.pool.query({ name: 'change-readers', text: WRITE, values }))
    } catch (error) {
      this.parts.log.warn({ err: error }, 'could not record how far other datacenters have read')
    }
  }

  private async read(): Promise<readonly ChangeReader[]> {
    try {
      const rows = await this.parts.prisma.changeReader.findMany({ orderBy: { name: 'asc' } })
      this.known = rows.map(({ name, index, contactAt }) => ({
        name,
        index: Number(index),
        contactAt: contactAt.getTime(),
      }))
    } catch (error) {
      this.parts.log.debug({ err: error }, 'could not read how far other datacenters have read')
    }
    return this.known
  }
}
