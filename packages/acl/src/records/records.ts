/**
 * Records as the rules see them: the wire's spelling and shapes, with the few things that never travel.
 * Records are values: a change makes a new one, so an object that is the same has not changed.
 */
import type { NodeIdentity, ServiceIdentity } from '@latchkey/contract'

/** A link as stored: the ID alone. The current name is looked up for every answer, so renames break nothing. */
export interface StoredLink {
  readonly ID: string
}

export interface TokenRecord {
  /** Empty on a legacy token that has not been given one yet. Spec 9.2.3. */
  readonly AccessorID: string
  readonly SecretID: string
  readonly Description: string
  readonly Policies: readonly StoredLink[]
  readonly Roles: readonly StoredLink[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
  /** Legacy rules of an unconverted legacy token. */
  readonly Rules: string
  /** Kind of a legacy token; `''` on all others. Never answered by the new APIs. */
  readonly Type: '' | 'client' | 'management'
  readonly Local: boolean
  readonly AuthMethod: string
  /** RFC 3339, or `undefined` for no expiration. */
  readonly ExpirationTime: string | undefined
  readonly CreateTime: string
  readonly Hash: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

export interface PolicyRecord {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Rules: string
  /** `undefined` where none were ever given: everywhere. */
  readonly Datacenters: readonly string[] | undefined
  readonly Hash: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

export interface RoleRecord {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Policies: readonly StoredLink[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
  readonly Hash: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

export interface KvRecord {
  readonly Key: string
  /** 64 bits without a sign. */
  readonly Flags: bigint
  readonly Value: Uint8Array
  readonly LockIndex: number
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

/** A namespace of the extended edition. Spec 4.9. */
export interface NamespaceRecord {
  readonly Name: string
  readonly Description: string
  /** Links that every token of the namespace has on top of its own. */
  readonly PolicyDefaults: readonly StoredLink[]
  readonly RoleDefaults: readonly StoredLink[]
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** One fact of the service itself, such as that bootstrap was done. The value is JSON. */
export interface SystemRecord {
  readonly Key: SystemKey
  readonly Value: unknown
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** `bootstrap`: done, with the index a reset must name. `acl-mode`: legacy or enabled. `migration`: the last batch. */
export type SystemKey = 'bootstrap' | 'acl-mode' | 'migration' | 'service-version'

/** The namespace that always exists. Spec 4.9.5. */
export const DEFAULT_NAMESPACE = 'default'
