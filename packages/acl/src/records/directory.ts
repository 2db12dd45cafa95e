/**
 * A snapshot of what every decision leans on: policies, roles, namespaces and system facts.
 * Immutable; a change makes a new snapshot with another {@link Directory.version}.
 */
import type { NamespaceRecord, PolicyRecord, RoleRecord, SystemKey, SystemRecord } from './records.ts'

export interface DirectoryContent {
  readonly policies: readonly PolicyRecord[]
  readonly roles: readonly RoleRecord[]
  readonly namespaces: readonly NamespaceRecord[]
  readonly system: readonly SystemRecord[]
}

export class Directory {
  /** The index at which this snapshot was true; equal versions are equal snapshots. */
  readonly version: number
  private readonly policiesById: ReadonlyMap<string, PolicyRecord>
  private readonly policiesByName: ReadonlyMap<string, PolicyRecord>
  private readonly rolesById: ReadonlyMap<string, RoleRecord>
  private readonly rolesByName: ReadonlyMap<string, RoleRecord>
  private readonly namespacesByName: ReadonlyMap<string, NamespaceRecord>
  private readonly systemByKey: ReadonlyMap<string, SystemRecord>

  constructor(content: DirectoryContent, version: number) {
    this.version = version
    this.policiesById = new Map(sortedById(content.policies).map((policy) => [policy.ID, policy]))
    this.policiesByName = new Map(
      content.policies.map((policy) => [nameKey(policy.Namespace, policy.Name), policy]),
    )
    this.rolesById = new Map(sortedById(content.roles).map((role) => [role.ID, role]))
    this.rolesByName = new Map(content.roles.map((role) => [nameKey(role.Namespace, role.Name), role]))
    this.namespacesByName = new Map(content.namespaces.map((namespace) => [namespace.Name, namespace]))
    this.systemByKey = new Map(content.system.map((record) => [record.Key, record]))
  }

  /** By ID, in any case. */
  policy(id: string): PolicyRecord | undefined {
    return this.policiesById.get(id) ?? this.policiesById.get(id.toLowerCase())
  }

  /** By name, without case. */
  policyByName(namespace: string, name: string): PolicyRecord | undefined {
    return this.policiesByName.get(nameKey(namespace, name))
  }

  /** All policies in order of ID. */
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

  system(key: SystemKey): SystemRecord | undefined {
    return this.systemByKey.get(key)
  }

  content(): DirectoryContent {
    return {
      policies: [...this.policiesById.values()],
      roles: [...this.rolesById.values()],
      namespaces: [...this.namespacesByName.values()],
      system: [...this.systemByKey.values()],
    }
  }
}

export const EMPTY_DIRECTORY = new Directory({ policies: [], roles: [], namespaces: [], system: [] }, 0)

/** Uniqueness of names: per namespace, without case. */
export function nameKey(namespace: string, name: string): string {
  return `${namespace}/${name.toLowerCase()}`
}

function sortedById<T extends { readonly ID: string }>(records: readonly T[]): T[] {
  return [...records].sort((a, b) => (a.ID < b.ID ? -1 : a.ID > b.ID ? 1 : 0))
}
