/** Which sessions a commit ends. Stores apply the rule within the commit, so that no two sessions ever hold one key. */
import { type Catalog, catalogKey } from '../catalog/catalog.ts'
import type { CatalogChange } from '../catalog/commit-rules.ts'
import { CRITICAL, checkKey } from '../records/catalog-records.ts'
import type { SessionRecord } from '../records/session-records.ts'

/**
 * The sessions that a commit ends: those that it deletes, those of which a check turns critical or goes, and those of a node
 * that goes. Each once.
 *
 * @param changes of one commit, in order: of several changes of a record, the last counts.
 * @param before has the deleted sessions, those of deleted nodes, and those that depend on the changed checks.
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
