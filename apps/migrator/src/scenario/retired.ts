/** Refuses former spellings of scenario files, naming their replacements. */
import type { Path, Problem } from './source.ts'

type Fields = Readonly<Record<string, unknown>>

const EVENT_KINDS: Readonly<Record<string, string>> = {
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

const ACLS: Readonly<Record<string, string>> = {
  on: 'true',
  enabled: 'true',
  off: 'false',
  disabled: 'false',
}

/** Every retired spelling in a file, before validation against the schema. */
export function retiredSpellings(file: unknown): Problem[] {
  if (!isFields(file)) return []
  return [
    ...renamed(file, [], 'tokens', 'legacyTokens'),
    ...mapInsteadOfList(file, [], 'datacenters', 'name'),
    ...itemsOf(file, [], 'datacenters').flatMap(([datacenter, path]) => [
      ...renamed(datacenter, path, 'id', 'name'),
      ...misplacedTokens(datacenter, path),
      ...inMembers(datacenter, path),
    ]),
    ...inMembers(file, []),
    ...itemsOf(file, [], 'events').flatMap(([event, path]) => inEvent(event, path)),
    ...itemsOf(file, [], 'workloads').flatMap(([workload, path]) => renamed(workload, path, 'type', 'kind')),
  ]
}

function inMembers(owner: Fields, path: Path): Problem[] {
  return ['servers', 'agents'].flatMap((list) => [
    ...mapInsteadOfList(owner, path, list, 'id'),
    ...itemsOf(owner, path, list).flatMap(([member, memberPath]) => [
      ...renamed(member, memberPath, 'name', 'id'),
      ...replacedValue(member, memberPath, 'acls', ACLS),
    ]),
  ])
}

function inEvent(event: Fields, path: Path): Problem[] {
  return [
    ...renamed(event, path, 'action', 'kind'),
    // Beside a `kind`, `type` is the type of the tokens.
    ...('kind' in event ? [] : renamed(event, path, 'type', 'kind')),
    ...replacedValue(event, path, 'kind', EVENT_KINDS),
    ...replacedValue(event, path, 'acls', ACLS),
  ]
}

function renamed(fields: Fields, path: Path, from: string, to: string): Problem[] {
  return from in fields ? [{ path: [...path, from], message: `this field is called ${to}` }] : []
}

function replacedValue(
  fields: Fields,
  path: Path,
  field: string,
  replacements: Readonly<Record<string, string>>,
): Problem[] {
  const value = fields[field]
  if (typeof value !== 'string' || !Object.hasOwn(replacements, value)) return []
  return [{ path: [...path, field], message: `write ${replacements[value]} instead of ${value}` }]
}

function misplacedTokens(datacenter: Fields, path: Path): Problem[] {
  return ['legacyTokens', 'tokens']
    .filter((field) => field in datacenter)
    .map((field) => ({
      path: [...path, field],
      message: 'write legacyTokens at the top of the file; they are always those of the primary',
    }))
}

function mapInsteadOfList(owner: Fields, path: Path, list: string, id: string): Problem[] {
  if (!isFields(owner[list])) return []
  return [{ path: [...path, list], message: `write a list instead of a map: - { ${id}: … }` }]
}

function itemsOf(owner: Fields, path: Path, list: string): [Fields, Path][] {
  const items = owner[list]
  if (!Array.isArray(items)) return []
  return items.flatMap((item, i): [Fields, Path][] => (isFields(item) ? [[item, [...path, list, i]]] : []))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
