/** Which sessions a commit ends. Stores apply this rule within the commit, so a key is never held by two sessions. */
import { type Catalog, catalogKey } from '../catalog.ts'
import type { CatalogChange } from '../commit-rules.ts'
import { CRITICAL, checkKey } from '../records/catalog-records.ts'
import type { SessionRecord } from '../records/session-records.ts'

/**
 * The sessions that a commit ends, each once: deleted sessions, sessions with a check that becomes critical or is
 * removed, and sessions of a removed node.
 *
 * @param changes the changes of one commit, in order. The last change of a record is decisive.
 * @param before contains the deleted sessions, the sessions of deleted nodes, and the sessions that depend on changed
 * checks.
 */
export function endedSessions(
  changes: readonly CatalogChange[],
  before: Pick<Catalog, 'sessions'>,
): readonly SessionRecord[] {
  const last = new Map(
    changes.map((change) => [`${change.table} ${catalogKey(change.table, change.record)}`, change]),
  )
  const ended = new Map<string, SessionRecord>()
  for (const change of last.values())
    for (const session of endedBy(change, before)) ended.set(session.ID, session)
  return [...ended.values()]
}

function endedBy(change: CatalogChange, { sessions }: Pick<Catalog, 'sessions'>): readonly SessionRecord[] {
  const { table, op, record } = change
  if (table === 'checks') {
    return op === 'delete' || record.Status === CRITICAL ? sessions.withCheck(checkKey(record)) : []
  }
  if (op === 'put') return []
  if (table === 'nodes') return sessions.on(record.Node)
  const session = table === 'sessions' ? sessions.get(record.ID) : undefined
  return session ? [session] : []
}
