/** Records for tests with plain defaults. */

import type {
  AuthMethodRecord,
  BindingRuleRecord,
  IntentionRecord,
  JwtConfig,
  KvRecord,
  LoginState,
  NamespaceRecord,
  PolicyRecord,
  RoleRecord,
  TokenRecord,
} from '@latchkey/acl'
import { BLANK_TOKEN, DEFAULT_NAMESPACE, loginStateHash } from '@latchkey/acl'

/** A UUID that ends in a number. */
export function anId(number: number): string {
  return `10000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}

let lastId = 0

/** Returns a different token on each call. */
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

/** A method of type jwt that maps only `team` as text and `groups` as a list, unless `Config` is given. */
export function aMethod(
  fields: Partial<Omit<AuthMethodRecord, 'Type' | 'Config'>> & { readonly Config?: JwtConfig } = {},
): AuthMethodRecord {
  lastId += 1
  return {
    Name: `method-${lastId}`,
    Type: 'jwt',
    DisplayName: '',
    Description: '',
    MaxTokenTTL: undefined,
    TokenLocality: '',
    MaxLiveTokens: undefined,
    IdleTTL: undefined,
    IdleSince: undefined,
    Config: { ClaimMappings: { team: 'team' }, ListClaimMappings: { groups: 'groups' } },
    EmptyConfig: {},
    NamespaceRules: [],
    Generation: 1,
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: DEFAULT_NAMESPACE,
    ...fields,
  }
}

/** An exact intention with an ID that allows. */
export function anIntention(fields: Partial<IntentionRecord> = {}): IntentionRecord {
  lastId += 1
  return {
    SourceNS: DEFAULT_NAMESPACE,
    SourceName: `source-${lastId}`,
    DestinationNS: DEFAULT_NAMESPACE,
    DestinationName: `destination-${lastId}`,
    SourceType: 'consul',
    Action: 'allow',
    Permissions: [],
    Description: '',
    LegacyID: `00000000-0000-4000-9000-${String(lastId).padStart(12, '0')}`,
    LegacyMeta: {},
    LegacyCreateTime: '2026-01-01T00:00:00.000Z',
    LegacyUpdateTime: '2026-01-01T00:00:00.000Z',
    Hash: 'hash',
    CreateIndex: 0,
    ModifyIndex: 0,
    ...fields,
  }
}

/** A token of a method with generation 1. */
export function aLoginState(fields: Partial<LoginState> = {}): LoginState {
  lastId += 1
  return {
    stateHash: loginStateHash(`state-${lastId}`),
    namespace: DEFAULT_NAMESPACE,
    authMethod: 'people',
    generation: 1,
    redirectUri: 'http://localhost:8550/oidc/callback',
    nonce: `nonce-${lastId}`,
    pkceVerifier: `verifier-${lastId}`,
    expiresAt: Date.parse('2026-01-31T12:10:00Z'),
    ...fields,
  }
}

/** A binding rule that gives every login the service `web`. */
export function aBindingRule(fields: Partial<BindingRuleRecord> = {}): BindingRuleRecord {
  lastId += 1
  return {
    ID: anId(0x400_0000 + lastId),
    Description: '',
    AuthMethod: 'method',
    Selector: '',
    BindType: 'service',
    BindName: 'web',
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: DEFAULT_NAMESPACE,
    ...fields,
  }
}
