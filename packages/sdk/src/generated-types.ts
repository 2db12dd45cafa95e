// biome-ignore-all format: generated

/**
 * What travels, as TypeScript. Generated from the schemas of the contract by `pnpm --filter @latchkey/sdk generate`; to
 * change a type, change its schema.
 */

export interface Token {
  AccessorID: string
  /** The real value for a caller with acl:write, else "<hidden>". */
  SecretID: string
  Description: string
  Policies?: {
    ID: string
    Name: string
  }[]
  Roles?: {
    ID: string
    Name: string
  }[]
  ServiceIdentities?: ServiceIdentity[]
  NodeIdentities?: NodeIdentity[]
  /** Only on a legacy token that was not converted. */
  Rules?: string
  Local: boolean
  AuthMethod?: string
  ExpirationTime?: string
  CreateTime: string
  Hash: string
  CreateIndex: number
  ModifyIndex: number
  /** Extended edition only. */
  Namespace?: string
}

export interface ServiceIdentity {
  ServiceName: string
  Datacenters?: string[]
}

export interface NodeIdentity {
  NodeName: string
  Datacenter: string
}

export interface ExpandedToken {
  AccessorID: string
  /** The real value for a caller with acl:write, else "<hidden>". */
  SecretID: string
  Description: string
  Policies?: {
    ID: string
    Name: string
  }[]
  Roles?: {
    ID: string
    Name: string
  }[]
  ServiceIdentities?: ServiceIdentity[]
  NodeIdentities?: NodeIdentity[]
  /** Only on a legacy token that was not converted. */
  Rules?: string
  Local: boolean
  AuthMethod?: string
  ExpirationTime?: string
  CreateTime: string
  Hash: string
  CreateIndex: number
  ModifyIndex: number
  /** Extended edition only. */
  Namespace?: string
  ExpandedPolicies: Policy[] | null
  ExpandedRoles: Role[] | null
  NamespaceDefaultPolicyIDs: string[] | null
  NamespaceDefaultRoleIDs: string[] | null
  AgentACLDefaultPolicy: string
  AgentACLDownPolicy: string
  ResolvedByAgent: string
}

export interface Policy {
  ID: string
  Name: string
  Description: string
  Rules: string
  Datacenters?: string[]
  Hash: string
  CreateIndex: number
  ModifyIndex: number
  Namespace?: string
}

export interface Role {
  ID: string
  Name: string
  Description: string
  Policies?: {
    ID: string
    Name: string
  }[]
  ServiceIdentities?: ServiceIdentity[]
  NodeIdentities?: NodeIdentity[]
  Hash: string
  CreateIndex: number
  ModifyIndex: number
  Namespace?: string
}

export interface TokenListEntry {
  AccessorID: string
  /** The real value for a caller with acl:write, else "<hidden>". */
  SecretID: string
  Description: string
  Policies?: {
    ID: string
    Name: string
  }[]
  Roles?: {
    ID: string
    Name: string
  }[]
  ServiceIdentities?: ServiceIdentity[]
  NodeIdentities?: NodeIdentity[]
  Local: boolean
  AuthMethod?: string
  ExpirationTime?: string
  CreateTime: string
  Hash: string
  CreateIndex: number
  ModifyIndex: number
  /** Extended edition only. */
  Namespace?: string
  Legacy?: true
}

export interface LintFinding {
  Code: string
  Severity: 'error' | 'warning' | 'info'
  Message: string
  Line: number
  Column: number
}

export interface WhatIfChange {
  AccessorID: string
  Description: string
  Gains: {
    Resource: string
    Segment?: string
    Access: string
  }[]
  Losses: {
    Resource: string
    Segment?: string
    Access: string
  }[]
}

export interface PolicyListEntry {
  ID: string
  Name: string
  Description: string
  Datacenters: string[] | null
  Hash: string
  CreateIndex: number
  ModifyIndex: number
  Namespace?: string
}

export interface Namespace {
  Name: string
  Description: string
  ACLs: {
    PolicyDefaults: {
      ID: string
      Name: string
    }[]
    RoleDefaults: {
      ID: string
      Name: string
    }[]
  }
  CreateIndex: number
  ModifyIndex: number
}

export interface BootstrapToken {
  AccessorID: string
  /** The real value for a caller with acl:write, else "<hidden>". */
  SecretID: string
  Description: string
  Policies?: {
    ID: string
    Name: string
  }[]
  Roles?: {
    ID: string
    Name: string
  }[]
  ServiceIdentities?: ServiceIdentity[]
  NodeIdentities?: NodeIdentity[]
  /** Only on a legacy token that was not converted. */
  Rules?: string
  Local: boolean
  AuthMethod?: string
  ExpirationTime?: string
  CreateTime: string
  Hash: string
  CreateIndex: number
  ModifyIndex: number
  /** Extended edition only. */
  Namespace?: string
  ID: string
}

export interface ReplicationStatus {
  Enabled: boolean
  Running: boolean
  SourceDatacenter: string
  ReplicationType: string
  ReplicatedIndex: number
  ReplicatedRoleIndex: number
  ReplicatedTokenIndex: number
  LastSuccess: string
  LastError: string
  LastErrorMessage?: string
  Mode?: 'legacy' | 'enabled'
}

export interface AuthorizeAnswer {
  Resource: string
  Segment?: string
  Access: string
  Allow: boolean
  Explanation?: Explanation
}

export interface Explanation {
  Rule?: {
    PolicyID: string
    PolicyName: string
    Kind: string
    Segment: string
    Level: string
    Line: number
  }
  /** How the token has the rule, outermost first. */
  Path: string[]
  Missing?: {
    Resource: string
    Segment?: string
    Access: string
  }
}

export interface TokenReference {
  AccessorID: string
  Description: string
  Namespace?: string
}

export interface MigrationStatus {
  State: 'waiting' | 'running' | 'done'
  Done: number
  Total: number
  Batches: number
  TokensPerSecond: number
  EstimatedSeconds: number
  StartedAt?: string
  LastBatchAt?: string
  LastError?: string
  WaitsFor?: string[]
}

export interface LegacyTokenID {
  ID: string
}

export interface LegacyToken {
  ID: string
  Name: string
  Type: 'client' | 'management'
  Rules: string
  CreateIndex: number
  ModifyIndex: number
}

export interface ImportResult {
  Imported: number
  Unchanged: number
  Problems: {
    Position: number
    Code: string
    Message: string
    Severity: 'error' | 'warning'
  }[]
}

export interface KVEntry {
  LockIndex: number
  Key: string
  Flags: number
  Value: string | null
  CreateIndex: number
  ModifyIndex: number
  Namespace?: string
}

export interface AgentSelf {
  Config: Record<string, unknown>
  DebugConfig?: Record<string, unknown>
  Stats: Record<string, Record<string, string>>
  Member: Member
  Meta: Record<string, string>
}

export interface Member {
  ID: string
  Name: string
  Addr: string
  Port: number
  Tags: Record<string, string>
  /** 1 alive, 3 left, 4 failed. */
  Status: number
  Datacenter: string
  Version: string
}

export interface AgentMetrics {
  Timestamp: string
  Gauges: GaugeSample[]
  Points: unknown[]
  Counters: ValueSample[]
  Samples: ValueSample[]
}

export interface GaugeSample {
  Name: string
  Value: number
  Labels: Record<string, string>
}

export interface ValueSample {
  Name: string
  Count: number
  Rate: number
  Sum: number
  Min: number
  Max: number
  Mean: number
  Stddev: number
  Labels: Record<string, string>
}

export interface VersionChange {
  Gate: string
  Change: 'added' | 'removed'
  At: string
  Kind: string
  SpecRow: string
  Sentence: string
  ClientSees: string
  BreaksClients: boolean
  DecidedBy: 'agent' | 'server' | 'both'
}

export interface PolicyLink {
  ID?: string | undefined
  Name?: string | undefined
}

export interface RoleLink {
  ID?: string | undefined
  Name?: string | undefined
}

/** RFC 3339 with a zone, kept to the millisecond. */
export type Instant = string

/** Go notation such as "90s" or "1h30m", or a number of nanoseconds. */
export type Duration = string | number

/** The body of create. Spec 4.2. An id that is absent is made by the SDK, an empty one by the service. */
export interface TokenCreate {
  /** From service version 1.5.0. */
  AccessorID?: string | undefined
  /** From service version 1.5.0. */
  SecretID?: string | undefined
  Description?: string | undefined
  Policies?: readonly PolicyLink[] | undefined
  /** From service version 1.5.0. */
  Roles?: readonly RoleLink[] | undefined
  /** From service version 1.5.0. */
  ServiceIdentities?: readonly ServiceIdentity[] | undefined
  /** From service version 1.8.1. */
  NodeIdentities?: readonly NodeIdentity[] | undefined
  Local?: boolean | undefined
  /** From service version 1.5.0. */
  ExpirationTime?: Instant | undefined
  /** From service version 1.5.0. */
  ExpirationTTL?: Duration | undefined
  Namespace?: string | undefined
}

/** The body of update: a record that was read, changed. Links and Description that are left out are cleared. Spec 4.5. */
export interface TokenUpdate {
  /** From service version 1.5.0. */
  AccessorID?: string | undefined
  /** From service version 1.5.0. */
  SecretID?: string | undefined
  Description?: string | undefined
  Policies?: readonly PolicyLink[] | undefined
  /** From service version 1.5.0. */
  Roles?: readonly RoleLink[] | undefined
  /** From service version 1.5.0. */
  ServiceIdentities?: readonly ServiceIdentity[] | undefined
  /** From service version 1.8.1. */
  NodeIdentities?: readonly NodeIdentity[] | undefined
  /** Refused unless empty. */
  Rules?: string | undefined
  Local?: boolean | undefined
  AuthMethod?: string | undefined
  /** From service version 1.5.0. */
  ExpirationTime?: Instant | undefined
  Namespace?: string | undefined
  /** Accepted and ignored. */
  CreateTime?: unknown
  /** Accepted and ignored. */
  Hash?: unknown
  /** Accepted and ignored. */
  CreateIndex?: unknown
  /** Accepted and ignored. */
  ModifyIndex?: unknown
}

/** The body of clone. Spec 4.6. */
export interface TokenClone {
  Description?: string | undefined
  Namespace?: string | undefined
}

/** The body of create. */
export interface PolicyCreate {
  Name: string
  Description?: string | undefined
  Rules?: string | undefined
  Datacenters?: readonly string[] | undefined
  Namespace?: string | undefined
}

/** The body of update: a record that was read, changed. */
export interface PolicyUpdate {
  ID?: string | undefined
  Name: string
  Description?: string | undefined
  Rules?: string | undefined
  Datacenters?: readonly string[] | undefined
  Namespace?: string | undefined
  /** Accepted and ignored. */
  Hash?: unknown
  /** Accepted and ignored. */
  CreateIndex?: unknown
  /** Accepted and ignored. */
  ModifyIndex?: unknown
}

/** The body of create. */
export interface RoleCreate {
  Name: string
  Description?: string | undefined
  Policies?: readonly PolicyLink[] | undefined
  ServiceIdentities?: readonly ServiceIdentity[] | undefined
  NodeIdentities?: readonly NodeIdentity[] | undefined
  Namespace?: string | undefined
}

/** The body of update: a record that was read, changed. */
export interface RoleUpdate {
  ID?: string | undefined
  Name: string
  Description?: string | undefined
  Policies?: readonly PolicyLink[] | undefined
  ServiceIdentities?: readonly ServiceIdentity[] | undefined
  NodeIdentities?: readonly NodeIdentity[] | undefined
  Namespace?: string | undefined
  /** Accepted and ignored. */
  Hash?: unknown
  /** Accepted and ignored. */
  CreateIndex?: unknown
  /** Accepted and ignored. */
  ModifyIndex?: unknown
}

/** The body of create. ACLs are linked to every token in the namespace. */
export interface NamespaceCreate {
  Name: string
  Description?: string | undefined
  ACLs?: {
    PolicyDefaults?: readonly PolicyLink[] | undefined
    RoleDefaults?: readonly RoleLink[] | undefined
  } | undefined
}

/** The body of update: a record that was read, changed. */
export interface NamespaceUpdate {
  Name?: string | undefined
  Description?: string | undefined
  ACLs?: {
    PolicyDefaults?: readonly PolicyLink[] | undefined
    RoleDefaults?: readonly RoleLink[] | undefined
  } | undefined
  /** Accepted and ignored. */
  CreateIndex?: unknown
  /** Accepted and ignored. */
  ModifyIndex?: unknown
}

/** The body of legacy create and update. ID is the secret. */
export interface LegacyTokenRequest {
  ID?: string | undefined
  Name?: string | undefined
  Type?: string | undefined
  Rules?: string | undefined
  /** Accepted and ignored. */
  CreateIndex?: unknown
  /** Accepted and ignored. */
  ModifyIndex?: unknown
}

/** A right that is asked for. */
export interface WhoCanRequest {
  Resource: string
  Segment?: string | undefined
  Access: string
}

/** One question of authorize. */
export interface AuthorizeCheck {
  Resource: string
  Segment?: string | undefined
  Access: string
  /** Accepted and ignored. */
  Allow?: unknown
}
