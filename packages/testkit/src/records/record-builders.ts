/** Records for tests: what matters is given, the rest is plain. */

import {
  BLANK_TOKEN,
  DEFAULT_NAMESPACE,
  type KvRecord,
  type NamespaceRecord,
  type PolicyRecord,
  type RoleRecord,
  type TokenRecord,
} from '@latchkey/acl'

/** A UUID that ends in a number. */
export function anId(number: number): string {
  return `10000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}

let lastId = 0

/** Each call gives another token. */
export function aToken(fields: Partial<TokenRecord> = {}): TokenRecord {
  lastId += 2
  return {
    ...BLANK_TOKEN,
    AccessorID: anId(0x100_0000 + lastId),
    SecretID: anId(0x100_0001 + lastId),
    CreateTime: '2026-01-31T12:00:00Z',
    Hash: 'hash',
    ...fields,
  }
}

export function aPolicy(fields: Partial<PolicyRecord> = {}): PolicyRecord {
  lastId += 1
  return {
    ID: anId(0x200_0000 + lastId),
    Name: `policy-${lastId}`,
    Description: '',
    Rules: 'acl = "read"',
    Datacenters: undefined,
    Hash: 'hash',
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: DEFAULT_NAMESPACE,
    ...fields,
  }
}

export function aRole(fields: Partial<RoleRecord> = {}): RoleRecord {
  lastId += 1
  return {
    ID: anId(0x300_0000 + lastId),
    Name: `role-${lastId}`,
    Description: '',
    Policies: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    Hash: 'hash',
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: DEFAULT_NAMESPACE,
    ...fields,
  }
}

export function aNamespace(fields: Partial<NamespaceRecord> = {}): NamespaceRecord {
  lastId += 1
  return {
    Name: `namespace-${lastId}`,
    Description: '',
    PolicyDefaults: [],
    RoleDefaults: [],
    CreateIndex: 0,
    ModifyIndex: 0,
    ...fields,
  }
}

export function aKey(fields: Partial<KvRecord> = {}): KvRecord {
  lastId += 1
  return {
    Key: `key-${lastId}`,
    Flags: 0n,
    Value: new Uint8Array(0),
    LockIndex: 0,
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: DEFAULT_NAMESPACE,
    ...fields,
  }
}
