/** The options of regular methods, and what their calls make of them. */
import { PathParameterError } from '../contract.ts'
import type { CallOptions, OwnNames, ReadOptions, WatchOptions } from '../options.ts'
import type { QueryOf } from '../request/call.ts'
import type { AuthMethodUpdate, LegacyTokenRequest } from '../types.ts'
import { randomUuid } from './uuid.ts'

export interface FilterOptions extends CallOptions {
  /** An expression that selects the records to return. */
  readonly filter?: string | undefined
}

export interface RegisterOptions extends CallOptions {
  /** Remove checks of the service that are not in the definition. */
  readonly replaceExistingChecks?: boolean | undefined
}

export interface MaintenanceOptions extends CallOptions {
  /** The reason, for people. */
  readonly reason?: string | undefined
}

/** Selects the roles linked to a policy, by its ID. */
export type RoleFilter = { readonly [Q in QueryOf<'roles.list'>]?: string | undefined }

/** Selects the binding rules of one auth method, by name, ignoring case. */
export type BindingRuleFilter = { readonly [Q in QueryOf<'bindingRules.list'>]?: string | undefined }

/** Two service versions, such as `1.4.0` and `1.11`. The service supplies a default for an absent one. */
export type VersionRange = { readonly [Q in QueryOf<'operations.versions'>]?: string | undefined }

/** Options of {@link Status.changes}. */
export interface ChangesOptions extends ReadOptions {
  /** `Cluster` of the previous answers. A server of another cluster answers `Reset`. */
  readonly cluster?: string | undefined
  /** Where the page begins: `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** If too much has changed, return the changes of the first commits and `More` instead of `Reset`. Default: false. */
  readonly staged?: boolean | undefined
  /** Name of the reader, such as its datacenter. The server keeps changes for a named reader for up to a day. */
  readonly reader?: string | undefined
}

/** Options of {@link Status.promote}. */
export interface PromoteOptions extends CallOptions {
  /** Promote although the primary has answered within the last minute. */
  readonly force?: boolean | undefined
}

export interface EntryCasOptions extends CallOptions {
  /**
   * Apply the change only if the entry still has this ModifyIndex (0: only if it does not exist); otherwise return
   * `false`.
   */
  readonly cas?: number | undefined
}

export interface CoordinateOptions extends ReadOptions {
  /** Only coordinates of this segment. */
  readonly segment?: string | undefined
}

/** A source and a destination, each as `name` or `namespace/name`. */
export interface IntentionNames {
  readonly source: string
  readonly destination: string
}

/** A server, by exactly one of the two. */
export interface Peer {
  /** As the list of peers shows it. */
  readonly id?: string | undefined
  /** Host and port. */
  readonly address?: string | undefined
}

/** Selects intentions by an expression, such as `Action == deny`. */
export interface IntentionFilter {
  readonly filter?: string | undefined
}

/** Selects and sorts nodes. */
export interface NodeFilter {
  /** Sort by distance from this node; `_agent` means the server's node. */
  readonly near?: string | undefined
  /** `key:value` pairs that the node must have. */
  readonly 'node-meta'?: readonly string[] | undefined
  /** An expression that selects the records to return, such as `Meta.rack == r1`. */
  readonly filter?: string | undefined
}

/** Selects and sorts instances. */
export interface InstanceFilter extends NodeFilter {
  /** Tags that an instance must have, ignoring case. */
  readonly tag?: readonly string[] | undefined
}

export interface CheckSelection {
  /** Sort by distance from this node; `_agent` means the server's node. */
  readonly near?: string | undefined
  /** `key:value` pairs that the node must have. */
  readonly nodeMeta?: readonly string[] | undefined
  /** An expression that selects the records to return. */
  readonly filter?: string | undefined
}

/** Options of a list of checks. */
export interface CheckListOptions extends ReadOptions, CheckSelection {}

/** Selects and sorts instances. */
export interface InstanceSelection extends CheckSelection {
  /** Tags that an instance must have. */
  readonly tags?: readonly string[] | undefined
  /** Return only instances whose checks all pass. */
  readonly passing?: boolean | undefined
}

export interface InstanceListOptions extends ReadOptions, InstanceSelection {}
export interface InstanceWatchOptions extends WatchOptions, InstanceSelection {}

const INSTANCE_NAMES: OwnNames<InstanceSelection> = {
  near: true,
  nodeMeta: true,
  filter: true,
  tags: true,
  passing: true,
}

export function ofInstances({ near, nodeMeta, filter, tags, passing }: InstanceSelection) {
  const query = { near, 'node-meta': nodeMeta, filter, tag: tags, passing: passing?.toString() }
  return { query, ownNames: INSTANCE_NAMES }
}

export interface AuthMethodWriteOptions extends CallOptions {
  /** `false`: write the method without contacting its provider. Default `true`. */
  readonly check?: boolean | undefined
}

export function checkQuery({ check }: AuthMethodWriteOptions): 'false' | undefined {
  return check === false ? 'false' : undefined
}

/** The secrets in a configuration, which errors must not contain. */
export function secretsOf({ Config }: AuthMethodUpdate): readonly (string | undefined)[] {
  return [Config?.OIDCClientSecret, Config?.ServiceAccountJWT]
}

export interface CasOptions extends CallOptions {
  /**
   * Apply the change only if the key still has this ModifyIndex (0: only if it does not exist); otherwise return
   * `false`. A conditional write with an unknown outcome is not retried.
   */
  readonly cas?: number | undefined
}

export interface PutOptions extends CasOptions {
  /** An unsigned 64-bit number to store with the value; a bigint beyond 2^53. */
  readonly flags?: number | bigint | undefined
}

export interface LockWriteOptions extends CallOptions {
  /** Default: empty. */
  readonly value?: string | Uint8Array | undefined
  /** An unsigned 64-bit number to store with the value; a bigint beyond 2^53. */
  readonly flags?: number | bigint | undefined
}

/** @throws PathParameterError for an empty key, which would address the whole store and is allowed only for trees. */
export function keyOf(key: string): string {
  if (key !== '') return key
  throw new PathParameterError('A key must not be empty', { parameter: 'Key', isMissing: true })
}

/** How to create a record that comes from another service. */
export interface ImportOptions extends CallOptions {
  /** The record keeps the ID in the body, to move it from another service. Needs global management. */
  readonly import?: boolean | undefined
}

/** How to restore an archive. */
export interface RestoreOptions extends CallOptions {
  /**
   * Also restore an archive without an HMAC, such as one that an older version made. Anyone may have changed it, and
   * given themselves any right. Default: false.
   */
  readonly unauthenticated?: boolean
}

/** The call that creates a legacy token, with an ID generated here unless the body has one. */
export function withOwnId(token: LegacyTokenRequest) {
  const ID = token.ID ?? randomUuid()
  return {
    json: { ...token, ID },
    secrets: [ID],
    ...(ID === '' ? {} : ({ repeatable: 'unlessPending' } as const)),
  }
}

/**
 * Selects the tokens of one policy or role (by ID), auth method (by name) or service identity; at most one of these.
 * `filter` has terms `Field==value` joined by ` and `, such as `AuthMethod==oidc and Local==true`. `sort` is
 * `CreateIndex`, or `-CreateIndex` for newest first. Spec 4.8.
 */
export type TokenFilter = {
  readonly [Q in Exclude<QueryOf<'tokens.list'>, 'limit' | 'cursor'>]?: string | undefined
}

/** The start of a browser login. */
export interface AuthUrlOptions extends CallOptions {
  /** Name of the auth method. Not case-sensitive. */
  readonly method: string
  /** Where the browser returns: one of the method's `AllowedRedirectURIs`. */
  readonly redirectUri: string
  /** A secret chosen by the client, which the callback must repeat. */
  readonly clientNonce?: string | undefined
  /** Metadata that is added to the description of the token. */
  readonly meta?: Readonly<Record<string, string>> | undefined
}

/** The parameters with which the browser returned to the redirect URI. */
export interface OidcCallbackOptions extends CallOptions {
  /** The method of the start; its namespace goes into `namespace`. */
  readonly method: string
  /** `state` from the URL to which the browser returned. */
  readonly state: string
  /** `code` from that URL. */
  readonly code: string
  /** `iss` from that URL, if present. */
  readonly iss?: string | undefined
  /** The `clientNonce` of the start, if it had one. */
  readonly clientNonce?: string | undefined
}
