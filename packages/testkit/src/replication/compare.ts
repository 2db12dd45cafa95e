/** Compares snapshots of a primary and its secondary. */
import type { ReplicationRecord } from '@latchkey/acl'
import { CATALOG_TABLES } from '@latchkey/catalog'
import type { MemorySnapshot } from '@latchkey/service'

/** A violation that a comparison found. */
export class ModelBroken extends Error {
  override readonly name = 'ModelBroken'
}

const OWN_TABLES = [
  'kv',
  'authMethods',
  'bindingRules',
  'intentions',
  'intentionDestinations',
  ...CATALOG_TABLES,
] as const
const GLOBAL_TABLES = ['namespaces', 'policies', 'roles'] as const

/**
 * Requires that a secondary's own records are the same as before.
 *
 * @throws ModelBroken
 */
export function checkOwn(now: MemorySnapshot, before: MemorySnapshot): void {
  for (const table of OWN_TABLES) {
    const records = [...now[table].values()]
    const known = [...before[table].values()]
    if (records.length !== known.length || records.some((record, i) => record !== known[i])) {
      throw new ModelBroken(`the ${table} of the secondary changed`)
    }
  }
  const localOf = ({ tokens }: MemorySnapshot) => [...tokens.values()].filter(({ Local }) => Local)
  const known = new Set(localOf(before))
  const local = localOf(now)
  if (local.length !== known.size || local.some((token) => !known.has(token))) {
    throw new ModelBroken('Local tokens of the secondary changed')
  }
}

/**
 * Requires that a secondary's global records equal its primary's at the index of its cursor, except those that the cursor names.
 *
 * @throws ModelBroken
 */
export function checkGlobals(record: ReplicationRecord, now: MemorySnapshot, then: MemorySnapshot): void {
  const expected = globalsOf(then)
  const actual = globalsOf(now)
  for (const { accessorId, heldBy } of record.skipped) {
    expected.delete(`tokens/${accessorId}`)
    if (actual.has(`tokens/${accessorId}`)) throw new ModelBroken('a token that was kept aside is stored')
    if (heldBy === undefined) throw new ModelBroken('a good token was kept aside')
  }
  for (const name of record.keptNamespaces ?? []) {
    if (expected.has(`namespaces/${name}`)) throw new ModelBroken('a namespace is kept that is there')
    actual.delete(`namespaces/${name}`)
  }
  for (const key of new Set([...expected.keys(), ...actual.keys()])) {
    if (expected.get(key) === actual.get(key)) continue
    throw new ModelBroken(`at ${record.index}, ${key} is ${actual.get(key)} instead of ${expected.get(key)}`)
  }
}

const texts = new WeakMap<object, string>()
const OTHER_FIELDS = new Set(['CreateIndex', 'ModifyIndex', 'AuthMethodGeneration'])

/** The records that datacenters share, by table and key. */
function globalsOf(snapshot: MemorySnapshot): Map<string, string> {
  const globals = new Map<string, string>()
  for (const table of GLOBAL_TABLES) {
    for (const [key, record] of snapshot[table]) globals.set(`${table}/${key}`, textOf(record))
  }
  for (const token of snapshot.tokens.values()) {
    if (!token.Local) globals.set(`tokens/${token.AccessorID}`, textOf(token))
  }
  return globals
}

function textOf(record: object): string {
  const known = texts.get(record)
  if (known !== undefined) return known
  const entries = Object.entries(record).filter(
    ([name, value]) => !OTHER_FIELDS.has(name) && value !== undefined,
  )
  const text = JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
  texts.set(record, text)
  return text
}
