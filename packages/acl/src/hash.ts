/** The Hash field of records: base64 of BLAKE2b-256 over fields joined without separators. Decisions: hash and indexes. */
import { blake2b } from '@noble/hashes/blake2.js'
import type { PolicyRecord, RoleRecord, TokenRecord } from './records/records.ts'

const HASH_BYTES = 32

/** What of a token its hash covers: not ids, times, expiry or AuthMethod. */
export type HashedToken = Pick<
  TokenRecord,
  'Description' | 'Type' | 'Rules' | 'Local' | 'Policies' | 'Roles' | 'ServiceIdentities' | 'NodeIdentities'
>
export type HashedPolicy = Pick<PolicyRecord, 'Name' | 'Description' | 'Rules' | 'Datacenters'>
export type HashedRole = Pick<
  RoleRecord,
  'Name' | 'Description' | 'Policies' | 'ServiceIdentities' | 'NodeIdentities'
>

/** @param token in its stored form: links and identities without duplicates and in their stored order. */
export function tokenHash(token: HashedToken): string {
  return hashOf([
    token.Description,
    token.Type,
    token.Rules,
    token.Local ? 'local' : 'global',
    ...token.Policies.map((link) => link.ID),
    ...token.Roles.map((link) => link.ID),
    ...identityFields(token),
  ])
}

export function policyHash(policy: HashedPolicy): string {
  return hashOf([policy.Name, policy.Description, policy.Rules, ...(policy.Datacenters ?? [])])
}

export function roleHash(role: HashedRole): string {
  return hashOf([
    role.Name,
    role.Description,
    ...role.Policies.map((link) => link.ID),
    ...identityFields(role),
  ])
}

function identityFields(record: Pick<HashedRole, 'ServiceIdentities' | 'NodeIdentities'>): string[] {
  return [
    ...record.ServiceIdentities.flatMap((identity) => [
      identity.ServiceName,
      ...(identity.Datacenters ?? []),
    ]),
    ...record.NodeIdentities.flatMap((identity) => [identity.NodeName, identity.Datacenter]),
  ]
}

function hashOf(fields: readonly string[]): string {
  const digest = blake2b(new TextEncoder().encode(fields.join('')), { dkLen: HASH_BYTES })
  return btoa(String.fromCharCode(...digest))
}
