import type { Client } from '@latchkey/sdk'
import { CliError, EXIT } from '../frame/cli-error.ts'
import { type Fields, resourceOf } from '../records/find.ts'
import {
  contentOf,
  differingFields,
  FOLDER_KINDS,
  folderKeyOf,
  isPrunable,
  KIND_NAMES,
  type KindName,
  listRecords,
} from './kinds.ts'
import type { WantedRecord } from './read-folder.ts'

interface Place {
  readonly kind: KindName
  readonly namespace: string | undefined
  readonly name: string
}

export type Change = Place &
  (
    | { readonly action: 'create'; readonly after: Fields }
    | {
        readonly action: 'update'
        readonly before: Fields
        readonly after: Fields
        readonly fields: readonly string[]
        readonly record: Fields
      }
    | { readonly action: 'delete'; readonly before: Fields; readonly record: Fields }
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
  // The token of this command. Deleting it would make further changes impossible.
  const selfId = prunes ? (await client.tokens.self()).AccessorID : undefined
  for (const kind of KIND_NAMES) {
    const ofKind = wanted.filter((record) => record.kind === kind)
    for (const namespace of new Set(ofKind.map((record) => record.namespace))) {
      onProgress(`reading ${kind} records …`)
      const group = ofKind.filter((record) => record.namespace === namespace)
      const keys = new Set(group.map(({ key }) => key))
      const records = await listRecords(inNamespace(client, namespace), kind, (record) =>
        keys.has(folderKeyOf(kind, record)),
      )
      const stored = new Map(records.map((record) => [folderKeyOf(kind, record), record]))
      writes.push(...group.flatMap((record) => changeOf(record, stored.get(record.key), problems)))
      const pruned = [...stored].filter(([key, record]) => {
        return prunes && !keys.has(key) && key !== selfId && isPrunable(kind, record)
      })
      deletions.unshift(
        ...pruned.map(([, record]): Change => {
          const before = contentOf(kind, record)
          return { kind, namespace, name: nameOf(kind, before), action: 'delete', before, record }
        }),
      )
    }
  }
  problems.push(...(await danglingLinks(client, wanted)))
  if (problems.length > 0)
    throw new CliError('the folder cannot be applied', { exitCode: EXIT.invalid, hints: problems })
  return { changes: [...writes, ...deletions], unchangedCount: wanted.length - writes.length }
}

export function inNamespace(client: Client, namespace: string | undefined): Client {
  return namespace === undefined ? client : client.withNamespace(namespace)
}

function changeOf(
  { kind, namespace, content, place }: WantedRecord,
  record: Fields | undefined,
  problems: string[],
): Change[] {
  const where = { kind, namespace, name: nameOf(kind, content) }
  if (record === undefined) return [{ ...where, action: 'create', after: content }]
  const before = contentOf(kind, record)
  const fields = differingFields(kind, before, content)
  const fixed = fields.find((field) => FOLDER_KINDS[kind].fixed?.includes(field))
  if (fixed !== undefined) {
    problems.push(
      `${place}: ${fixed} of an existing ${kind} cannot change: delete it first, or restore the field`,
    )
  }
  return fields.length === 0 ? [] : [{ ...where, action: 'update', before, after: content, fields, record }]
}

const LINKS = { Policies: 'policy', Roles: 'role', AuthMethod: 'auth-method' } as const

/** Links to policies, roles and auth methods that neither the folder nor the service has. */
async function danglingLinks(client: Client, wanted: readonly WantedRecord[]): Promise<string[]> {
  const problems: string[] = []
  for (const namespace of new Set(wanted.map((record) => record.namespace))) {
    const inside = wanted.filter((record) => record.namespace === namespace)
    for (const [field, kind] of Object.entries(LINKS)) {
      const linking = inside.filter(({ content }) => linksOf(content[field]).length > 0)
      if (linking.length === 0) continue
      const stored = await resourceOf(inNamespace(client, namespace), kind).list()
      const known = new Set(stored.map(({ Name }) => String(Name).toLowerCase()))
      for (const record of inside) if (record.kind === kind) known.add(record.key)
      for (const { place, content } of linking) {
        const missing = linksOf(content[field]).find((name) => !known.has(name.toLowerCase()))
        if (missing !== undefined)
          problems.push(`${place}: ${field}: there is no "${missing}", here or in the service`)
      }
    }
  }
  return problems
}

/** The names in a list of links, or the one name of a field such as AuthMethod. */
function linksOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.map((link: { readonly Name: string }) => link.Name) : []
}

function nameOf(kind: KindName, content: Fields): string {
  const { Name, AccessorID, Description, AuthMethod, BindType, BindName, Selector } = content
  if (kind === 'token')
    return Description === undefined ? String(AccessorID) : `${AccessorID} (${Description})`
  if (kind === 'binding-rule')
    return `${AuthMethod}: ${BindType} ${BindName}${Selector ? ` if ${Selector}` : ''}`
  return String(Name)
}
