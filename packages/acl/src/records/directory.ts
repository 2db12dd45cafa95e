/**
 * A snapshot of the records on which decisions depend: policies, roles, namespaces, auth methods, binding rules,
 * intentions and system records. Immutable; a change creates a new snapshot with another {@link Directory.version}.
 */

import { IntentionIndex } from './intention-index.ts'
import {
  destinationKey,
  type IntentionDestinationRecord,
  type IntentionRecord,
  intentionKey,
} from './intention-records.ts'
import type { AuthMethodRecord, BindingRuleRecord } from './login-records.ts'
import type { NamespaceRecord, PolicyRecord, RoleRecord } from './records.ts'
import type { SystemKey, SystemRecord } from './system-records.ts'

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
type DirectoryMaps = { readonly [T in DirectoryTable]: Map<string, DirectoryRecords[T]> }

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

export class Directory {
  /** The index of this snapshot; equal versions are equal snapshots. */
  readonly version: number
  private readonly policiesById: ReadonlyMap<string, PolicyRecord>
  private readonly policiesByName: ReadonlyMap<string, PolicyRecord>
  private readonly rolesById: ReadonlyMap<string, RoleRecord>
  private readonly rolesByName: ReadonlyMap<string, RoleRecord>
  private readonly namespacesByName: ReadonlyMap<string, NamespaceRecord>
  private readonly authMethodsByName: ReadonlyMap<string, AuthMethodRecord>
  private readonly bindingRulesById: ReadonlyMap<string, BindingRuleRecord>
  private readonly systemByKey: ReadonlyMap<SystemKey, SystemRecord>
  private readonly intentionContent: Pick<DirectoryContent, 'intentions' | 'intentionDestinations'>
  private intentionIndex: IntentionIndex | undefined

  constructor(content: DirectoryContent, version: number) {
    this.version = version
    this.policiesById = new Map(sortedById(content.policies).map((policy) => [policy.ID, policy]))
    this.policiesByName = new Map(
      content.policies.map((policy) => [nameKey(policy.Namespace, policy.Name), policy]),
    )
    this.rolesById = new Map(sortedById(content.roles).map((role) => [role.ID, role]))
    this.rolesByName = new Map(content.roles.map((role) => [nameKey(role.Namespace, role.Name), role]))
    this.namespacesByName = new Map(content.namespaces.map((namespace) => [namespace.Name, namespace]))
    this.authMethodsByName = new Map(
      sortedByName(content.authMethods).map((method) => [authMethodKey(method), method]),
    )
    this.bindingRulesById = new Map(sortedById(content.bindingRules).map((rule) => [rule.ID, rule]))
    this.systemByKey = new Map(content.system.map((record) => [record.Key, record]))
    const { intentions, intentionDestinations } = content
    this.intentionContent = { intentions, intentionDestinations }
  }

  policy(id: string): PolicyRecord | undefined {
    return this.policiesById.get(id) ?? this.policiesById.get(id.toLowerCase())
  }

  policyByName(namespace: string, name: string): PolicyRecord | undefined {
    return this.policiesByName.get(nameKey(namespace, name))
  }

  /** All policies, in order of ID. */
  policies(): Iterable<PolicyRecord> {
    return this.policiesById.values()
  }

  role(id: string): RoleRecord | undefined {
    return this.rolesById.get(id) ?? this.rolesById.get(id.toLowerCase())
  }

  roleByName(namespace: string, name: string): RoleRecord | undefined {
    return this.rolesByName.get(nameKey(namespace, name))
  }

  roles(): Iterable<RoleRecord> {
    return this.rolesById.values()
  }

  namespace(name: string): NamespaceRecord | undefined {
    return this.namespacesByName.get(name)
  }

  namespaces(): Iterable<NamespaceRecord> {
    return this.namespacesByName.values()
  }

  /** Finds an auth method by name, ignoring case. */
  authMethod(namespace: string, name: string): AuthMethodRecord | undefined {
    return this.authMethodsByName.get(nameKey(namespace, name))
  }

  /** All auth methods, in order of lower-case name. */
  authMethods(): Iterable<AuthMethodRecord> {
    return this.authMethodsByName.values()
  }

  bindingRule(id: string): BindingRuleRecord | undefined {
    return this.bindingRulesById.get(id) ?? this.bindingRulesById.get(id.toLowerCase())
  }

  /** All binding rules in order of ID. */
  bindingRules(): Iterable<BindingRuleRecord> {
    return this.bindingRulesById.values()
  }

  /** The binding rules of an auth method, in order of ID. */
  bindingRulesOf({
    Namespace,
    Name,
  }: Pick<AuthMethodRecord, 'Namespace' | 'Name'>): readonly BindingRuleRecord[] {
    const name = Name.toLowerCase()
    return [...this.bindingRulesById.values()].filter(
      (rule) => rule.Namespace === Namespace && rule.AuthMethod.toLowerCase() === name,
    )
  }

  /** Indexed on first use: most snapshots never need them. */
  intentions(): IntentionIndex {
    const { intentions, intentionDestinations } = this.intentionContent
    this.intentionIndex ??= new IntentionIndex(intentions, intentionDestinations)
    return this.intentionIndex
  }

  system<K extends SystemKey>(key: K): SystemRecord<K> | undefined {
    // The record stored under a key has that key.
    return this.systemByKey.get(key) as SystemRecord<K> | undefined
  }

  content(): DirectoryContent {
    return {
      policies: [...this.policiesById.values()],
      roles: [...this.rolesById.values()],
      namespaces: [...this.namespacesByName.values()],
      authMethods: [...this.authMethodsByName.values()],
      bindingRules: [...this.bindingRulesById.values()],
      ...this.intentionContent,
      system: [...this.systemByKey.values()],
    }
  }
}

export const EMPTY_CONTENT = contentOf(emptyDirectoryMaps())
export const EMPTY_DIRECTORY = new Directory(EMPTY_CONTENT, 0)

function sortedByName(methods: readonly AuthMethodRecord[]): readonly AuthMethodRecord[] {
  const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  return [...methods].sort((a, b) => inOrder(a.Name.toLowerCase(), b.Name.toLowerCase()))
}

function sortedById<T extends { readonly ID: string }>(records: readonly T[]): T[] {
  return [...records].sort((a, b) => (a.ID < b.ID ? -1 : a.ID > b.ID ? 1 : 0))
}
