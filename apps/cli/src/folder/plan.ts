/** Compares a folder with a service. */
import type { Client } from '@latchkey/sdk'
import { EXIT } from '../exit-codes.ts'
import { CliError } from '../frame/cli-error.ts'
import { type Content, contentOf, differingFields } from './content.ts'
import { FOLDER_KINDS, KIND_NAMES, type KindName } from './kinds.ts'
import type { WantedRecord } from './read-folder.ts'

interface Place {
  readonly kind: KindName
  readonly namespace: string | undefined
  /** The name of the record, for people. */
  readonly name: string
}

export type Change = Place &
  (
    | { readonly action: 'create'; readonly after: Content }
    | {
        readonly action: 'update'
        readonly before: Content
        readonly after: Content
        readonly fields: readonly string[]
        readonly record: object
      }
    | { readonly action: 'delete'; readonly before: Content; readonly record: object }
  )

export interface Plan {
  /** Changes in the order of application: records before the records that link them, then deletions in reverse order. */
  readonly changes: readonly Change[]
  readonly unchangedCount: number
}

interface PlanOptions {
  /** Also delete records that the folder does not have, of the kinds that it has. */
  readonly prunes: boolean
  readonly onProgress: (text: string) => void
}

/** @throws CliError for a change that no update can make, and for a dangling link. */
export async function makePlan(
  client: Client,
  wanted: readonly WantedRecord[],
  { prunes, onProgress }: PlanOptions,
): Promise<Plan> {
  const writes: Change[] = []
  const deletions: Change[] = []
  const problems: string[] = []
  let unchangedCount = 0
  for (const kind of KIND_NAMES) {
    const ofKind = wanted.filter((record) => record.kind === kind)
    for (const namespace of new Set(ofKind.map((record) => record.namespace))) {
      onProgress(`reading ${kind} records …`)
      const group = ofKind.filter((record) => record.namespace === namespace)
      const stored = await readStored(client, kind, namespace, group)
      const compared = compare(group, stored, problems)
      writes.push(...compared.changes)
      unchangedCount += group.length - compared.changes.length
      if (prunes)
        deletions.unshift(...toDelete(kind, namespace, { group, stored, selfId: await selfOf(client) }))
    }
  }
  problems.push(...(await danglingLinks(client, wanted)))
  if (problems.length > 0)
    throw new CliError('the folder cannot be applied', { exitCode: EXIT.invalid, hints: problems })
  return { changes: [...writes, ...deletions], unchangedCount }
}

async function selfOf(client: Client): Promise<string> {
  return (await client.tokens.self()).AccessorID
}

type Stored = ReadonlyMap<string, object>

async function readStored(
  client: Client,
  kind: KindName,
  namespace: string | undefined,
  group: readonly WantedRecord[],
): Promise<Stored> {
  const { list, keyOf } = FOLDER_KINDS[kind]
  const keys = new Set(group.map(({ key }) => key))
  const records = await list(inNamespace(client, namespace), (content) => keys.has(keyOf(content)))
  return new Map(records.map((record) => [keyOf({ ...record }), record]))
}

export function inNamespace(client: Client, namespace: string | undefined): Client {
  return namespace === undefined ? client : client.withNamespace(namespace)
}

function compare(
  group: readonly WantedRecord[],
  stored: Stored,
  problems: string[],
): { readonly changes: Change[] } {
  const changes = group.flatMap((wanted): Change[] => {
    const { kind, namespace, key, content, place } = wanted
    const shape = FOLDER_KINDS[kind]
    const where = { kind, namespace, name: nameOf(kind, content) }
    const record = stored.get(key)
    if (record === undefined) return [{ ...where, action: 'create', after: content }]
    const before = contentOf(record, shape)
    const fields = differingFields(before, content, shape)
    const fixed = fields.find((field) => shape.fixed?.includes(field))
    if (fixed !== undefined) {
      problems.push(
        `${place}: ${fixed} of an existing ${kind} cannot change: delete it first, or restore the field`,
      )
    }
    return fields.length === 0 ? [] : [{ ...where, action: 'update', before, after: content, fields, record }]
  })
  return { changes }
}

interface Pruned {
  readonly group: readonly WantedRecord[]
  readonly stored: Stored
  /** The token of this command. Deleting it would make further changes impossible. */
  readonly selfId: string
}

function toDelete(
  kind: KindName,
  namespace: string | undefined,
  { group, stored, selfId }: Pruned,
): Change[] {
  const shape = FOLDER_KINDS[kind]
  const keys = new Set(group.map(({ key }) => key))
  return [...stored].flatMap(([key, record]): Change[] => {
    if (keys.has(key) || key === selfId || !shape.isPrunable(record)) return []
    const before = contentOf(record, shape)
    return [{ kind, namespace, name: nameOf(kind, before), action: 'delete', before, record }]
  })
}

/** Links to policies, roles and auth methods that neither the folder nor the service has. */
async function danglingLinks(client: Client, wanted: readonly WantedRecord[]): Promise<string[]> {
  const namespaces = new Set(wanted.map(({ namespace }) => namespace))
  const problems: string[] = []
  for (const namespace of namespaces) {
    const inside = wanted.filter((record) => record.namespace === namespace)
    const known = await knownNames(inNamespace(client, namespace), inside)
    for (const { place, content } of inside) {
      for (const [field, names] of Object.entries(known)) {
        const links = linksOf(content[field])
        const missing = links.find((name) => !names.has(name.toLowerCase()))
        if (missing !== undefined)
          problems.push(`${place}: ${field}: there is no "${missing}", here or in the service`)
      }
    }
  }
  return problems
}

async function knownNames(
  client: Client,
  wanted: readonly WantedRecord[],
): Promise<Record<string, Set<string>>> {
  const isLinked = (field: string) => wanted.some(({ content }) => linksOf(content[field]).length > 0)
  const namesOf = async (kind: KindName, list: () => Promise<readonly { readonly Name: string }[]>) => [
    ...(await list()).map(({ Name }) => Name),
    ...wanted.filter((record) => record.kind === kind).map(({ key }) => key),
  ]
  const known: Record<string, Set<string>> = {}
  const add = async (field: string, names: Promise<string[]>) => {
    known[field] = new Set((await names).map((name) => name.toLowerCase()))
  }
  if (isLinked('Policies'))
    await add(
      'Policies',
      namesOf('policy', () => client.policies.list()),
    )
  if (isLinked('Roles'))
    await add(
      'Roles',
      namesOf('role', () => client.roles.list()),
    )
  if (wanted.some(({ kind }) => kind === 'binding-rule')) {
    await add(
      'AuthMethod',
      namesOf('auth-method', () => client.authMethods.list()),
    )
  }
  return known
}

/** The names in a list of links, or the one name of a field such as AuthMethod. */
function linksOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.map((link: { readonly Name: string }) => link.Name) : []
}

function nameOf(kind: KindName, content: Content): string {
  const { Name, AccessorID, Description, AuthMethod, BindType, BindName, Selector } = content
  if (kind === 'token')
    return Description === undefined ? String(AccessorID) : `${AccessorID} (${Description})`
  if (kind === 'binding-rule')
    return `${AuthMethod}: ${BindType} ${BindName}${Selector ? ` if ${Selector}` : ''}`
  return String(Name)
}
