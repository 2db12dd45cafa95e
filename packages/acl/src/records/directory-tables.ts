/** The tables of the directory: their records, and their keys in stores. */
import {
  destinationKey,
  type IntentionDestinationRecord,
  type IntentionRecord,
  intentionKey,
} from './intention-records.ts'
import type { AuthMethodRecord, BindingRuleRecord } from './login-records.ts'
import type { NamespaceRecord, PolicyRecord, RoleRecord } from './records.ts'
import type { SystemRecord } from './system-records.ts'

export interface DirectoryRecords {
  readonly policies: PolicyRecord
  readonly roles: RoleRecord
  readonly namespaces: NamespaceRecord
  readonly authMethods: AuthMethodRecord
  readonly bindingRules: BindingRuleRecord
  readonly intentions: IntentionRecord
  readonly intentionDestinations: IntentionDestinationRecord
  readonly system: SystemRecord
}
export type DirectoryTable = keyof DirectoryRecords

/** All records of a directory. */
export type DirectoryContent = { readonly [T in DirectoryTable]: readonly DirectoryRecords[T][] }

/** The records of a store by table and {@link directoryKey}. */
export type DirectoryMaps = { readonly [T in DirectoryTable]: Map<string, DirectoryRecords[T]> }

const KEYS: { readonly [T in DirectoryTable]: (record: DirectoryRecords[T]) => string } = {
  policies: ({ ID }) => ID,
  roles: ({ ID }) => ID,
  namespaces: ({ Name }) => Name,
  authMethods: authMethodKey,
  bindingRules: ({ ID }) => ID,
  intentions: intentionKey,
  intentionDestinations: destinationKey,
  system: ({ Key }) => Key,
}

export const DIRECTORY_TABLES = Object.keys(KEYS) as readonly DirectoryTable[]

export function isDirectoryTable(name: string): name is DirectoryTable {
  return Object.hasOwn(KEYS, name)
}

/** The key of a record in its table: equal keys are the same record. */
export function directoryKey<T extends DirectoryTable>(table: T, record: DirectoryRecords[T]): string {
  return KEYS[table](record)
}

export function emptyDirectoryMaps(): DirectoryMaps {
  return Object.fromEntries(DIRECTORY_TABLES.map((table) => [table, new Map()])) as unknown as DirectoryMaps
}

export function contentOf(
  maps: { readonly [T in DirectoryTable]: ReadonlyMap<string, DirectoryRecords[T]> },
): DirectoryContent {
  const lists = DIRECTORY_TABLES.map((table) => [table, [...maps[table].values()]])
  return Object.fromEntries(lists) as unknown as DirectoryContent
}

/** The key by which a name is unique: per namespace, case-insensitive. */
export function nameKey(namespace: string, name: string): string {
  return `${namespace}/${name.toLowerCase()}`
}

/** The key of an auth method, whose name is unique in its namespace regardless of case. */
export function authMethodKey({ Namespace, Name }: Pick<AuthMethodRecord, 'Namespace' | 'Name'>): string {
  return nameKey(Namespace, Name)
}
