/** The sessions of a datacenter in memory, as a part of the catalog. */
import { Groups, OrderedMap } from '../ordered-map.ts'
import { nodeKey } from '../records/catalog-records.ts'
import { type SessionRecord, sessionCheckKeys } from '../records/session-records.ts'

export class SessionIndex {
  private readonly records = new OrderedMap<SessionRecord>()
  private readonly byNode = new Groups<SessionRecord>()
  private readonly byCheck = new Groups<SessionRecord>()

  /** @param id in any case. */
  get(id: string): SessionRecord | undefined {
    return this.records.get(id.toLowerCase())
  }

  /** All sessions, in order of ID. */
  values(): readonly SessionRecord[] {
    return this.records.values()
  }

  /** Sessions of a node, in order of ID. */
  on(node: string): readonly SessionRecord[] {
    return this.byNode.of(nodeKey(node))
  }

  /** Sessions that depend on a check. @param key `checkKey` */
  withCheck(key: string): readonly SessionRecord[] {
    return this.byCheck.of(key)
  }

  put(record: SessionRecord): void {
    this.remove(record.ID)
    this.records.set(record.ID, record)
    this.byNode.move(record.ID, undefined, nodeKey(record.Node), record)
    for (const key of sessionCheckKeys(record)) this.byCheck.move(record.ID, undefined, key, record)
  }

  remove(id: string): void {
    const record = this.records.get(id)
    if (!record) return
    this.records.delete(id)
    this.byNode.move(id, nodeKey(record.Node), undefined, undefined)
    for (const key of sessionCheckKeys(record)) this.byCheck.move(id, key, undefined, undefined)
  }
}
