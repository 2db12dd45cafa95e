/**
 * Other spellings of a scenario file, turned into those of the schema before it is checked. The work is done on the
 * syntax tree, so that every error still knows its line.
 *
 * - `datacenters`, `servers` and `agents` may be maps by name instead of lists: `dc1: { servers: … }`.
 * - A number of servers or agents stands for that many: `servers: 3` is s1, s2, s3 (with the datacenter's name in front).
 * - `version: 1.10` is the version 1.10 and not the number 1.1; ids may look like numbers.
 * - `id` and `name` of servers, agents and datacenters mean the same; events may say `type` or `action` for `kind`.
 * - `legacyTokens` may stand with the primary datacenter, and is also spelled `tokens`; `kill`, `stop`, `upgrade` … mean the events of {@link EVENT_SPELLINGS}.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, Pair, Scalar, visit, YAMLMap, YAMLSeq } from 'yaml'

const EVENT_SPELLINGS: Readonly<Record<string, string>> = {
  kill: 'crash',
  upgrade: 'restart',
  downgrade: 'restart',
  'force-leaved': 'force-leave',
  election: 'elect',
  create: 'create-tokens',
  edit: 'edit-tokens',
  'update-tokens': 'edit-tokens',
  delete: 'delete-tokens',
  'destroy-tokens': 'delete-tokens',
  convert: 'convert-tokens',
}

const VERSION_KEYS = new Set(['version', 'from', 'agent'])
const TEXT_KEYS = new Set(['id', 'name', 'server', 'datacenter', 'primary', 'source', 'destination'])

/** Rewrites the tree in place. A tree that is no scenario at all is left as it is, for the schema to refuse. */
export function normalizeSpellings(doc: Document): void {
  visit(doc, {
    Pair(_, pair) {
      const key = isScalar(pair.key) ? String(pair.key.value) : ''
      // `from` of a workload is a time: the schema takes seconds as a text of digits too.
      if (VERSION_KEYS.has(key)) keepSource(pair.value)
      if (key === 'agents' && isSeq(pair.value)) for (const item of pair.value.items) keepSource(item)
      if (TEXT_KEYS.has(key)) keepSource(pair.value)
      if (key === 'between' && isSeq(pair.value)) for (const item of pair.value.items) keepSource(item)
    },
  })
  const root = doc.contents
  if (!isMap(root)) return
  rename(root, 'tokens', 'legacyTokens')
  mapToSeq(root, 'datacenters', 'name')
  for (const datacenter of itemsOf(doc, root, 'datacenters')) {
    rename(datacenter, 'id', 'name')
    rename(datacenter, 'tokens', 'legacyTokens')
    const name = String(datacenter.get('name') ?? '')
    normalizeMembers(doc, datacenter, 'servers', `${name}-s`)
    normalizeMembers(doc, datacenter, 'agents', `${name}-a`)
  }
  liftTokens(doc, root)
  normalizeMembers(doc, root, 'servers', 's')
  normalizeMembers(doc, root, 'agents', 'a')
  for (const event of itemsOf(doc, root, 'events')) {
    rename(event, 'type', 'kind', () => !event.has('kind') && !isTokenType(event))
    rename(event, 'action', 'kind')
    const kind = event.get('kind', true)
    if (isScalar(kind) && typeof kind.value === 'string')
      kind.value = EVENT_SPELLINGS[kind.value] ?? kind.value
  }
  for (const workload of itemsOf(doc, root, 'workloads')) rename(workload, 'type', 'kind')
}

/** Legacy tokens may stand with the primary datacenter, where they live. */
function liftTokens(doc: Document, root: YAMLMap): void {
  const datacenters = itemsOf(doc, root, 'datacenters')
  const primary =
    datacenters.find((each) => each.get('primary') === true || each.get('name') === root.get('primary')) ??
    datacenters[0]
  const at = primary?.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === 'legacyTokens') ?? -1
  if (at === -1 || root.has('legacyTokens')) return
  root.items.push(...(primary?.items.splice(at, 1) ?? []))
}

/** `type: client` on an event says which tokens, not which event. */
function isTokenType(event: YAMLMap): boolean {
  return ['client', 'management'].includes(String(event.get('type')))
}

function normalizeMembers(doc: Document, owner: YAMLMap, key: string, prefix: string): void {
  expandNumber(owner, key, prefix)
  mapToSeq(owner, key, 'id')
  for (const member of itemsOf(doc, owner, key)) rename(member, 'name', 'id')
}

/** A scalar that looks like a number becomes the text that stands in the file. */
function keepSource(node: unknown): void {
  if (isScalar(node) && typeof node.value === 'number' && node.source !== undefined) node.value = node.source
}

function rename(map: YAMLMap, from: string, to: string, applies: () => boolean = () => true): void {
  if (map.has(to) || !map.has(from) || !applies()) return
  for (const pair of map.items) if (isScalar(pair.key) && pair.key.value === from) pair.key.value = to
}

/** `{ a: {…}, b: {…} }` becomes `[{ <idKey>: a, … }, { <idKey>: b, … }]`, each node keeping its place. */
function mapToSeq(owner: YAMLMap, key: string, idKey: string): void {
  const map = owner.get(key, true)
  if (!isMap(map)) return
  const seq = new YAMLSeq()
  if (map.range) seq.range = map.range
  for (const { key: id, value } of map.items) {
    const item = new YAMLMap()
    if (isMap(value)) item.items.push(...value.items)
    item.items.unshift(new Pair(scalarOf(idKey, id), scalarOf(isScalar(id) ? String(id.value) : '', id)))
    if (isScalar(id) && id.range) item.range = id.range
    // Something that is no map is an error of the file: the schema refuses it under the key `value`.
    if (!isMap(value) && !(isScalar(value) && value.value === null)) {
      item.items.push(new Pair(scalarOf('value', id), value))
    }
    seq.items.push(item)
  }
  owner.set(key, seq)
}

/** `servers: 3` becomes three servers with generated ids. */
function expandNumber(owner: YAMLMap, key: string, prefix: string): void {
  const node = owner.get(key, true)
  if (!isScalar(node) || typeof node.value !== 'number' || !Number.isInteger(node.value)) return
  if (node.value < 1 || node.value > 1_000) return
  const seq = new YAMLSeq()
  if (node.range) seq.range = node.range
  for (let i = 1; i <= node.value; i++) {
    const item = new YAMLMap()
    item.items.push(new Pair(scalarOf('id', node), scalarOf(`${prefix}${i}`, node)))
    if (node.range) item.range = node.range
    seq.items.push(item)
  }
  owner.set(key, seq)
}

/** A scalar that points to the place of another node. */
function scalarOf(value: string, at: unknown): Scalar<string> {
  const scalar = new Scalar(value)
  if (isScalar(at) && at.range) scalar.range = at.range
  return scalar
}

function itemsOf(doc: Document, owner: YAMLMap, key: string): YAMLMap[] {
  const seq = owner.get(key, true)
  if (!isSeq(seq)) return []
  return seq.items.map((item) => (isAlias(item) ? item.resolve(doc) : item)).filter((item) => isMap(item))
}
