/** Converts a stored record to a reply: current link names, redaction, order of keys. Spec 4.3, 4.8, 4.10. */
import { REDACTED_SECRET_ID, type Token, type TokenListEntry } from '@latchkey/contract'
import { expandPolicyLinks, expandRoleLinks } from '../links.ts'
import type { Directory } from '../records/directory.ts'
import type { TokenRecord } from '../records/records.ts'

export interface ShowContext {
  readonly directory: Directory
  /** Whether the caller sees the secret: it has acl:write, or reads its own token. Spec 4.3, 5.3. */
  readonly showSecret: boolean
  /** True only in the extended edition. Spec 4.9. */
  readonly showNamespace: boolean
}

/** A token in the answer of a read. Order of keys: decisions, record shapes. */
export function showToken(token: TokenRecord, context: ShowContext): Token {
  return {
    ...start(token, context),
    ...(token.Rules === '' ? {} : { Rules: token.Rules }),
    ...end(token, context),
  }
}

/** A token in a list: without its rules, but marked if it has rules. */
export function showTokenListEntry(token: TokenRecord, context: ShowContext): TokenListEntry {
  return { ...start(token, context), ...end(token, context), ...(token.Rules === '' ? {} : { Legacy: true }) }
}

function start(token: TokenRecord, { directory, showSecret }: ShowContext) {
  const Policies = expandPolicyLinks(token.Policies, directory)
  const Roles = expandRoleLinks(token.Roles, directory)
  return {
    AccessorID: token.AccessorID,
    SecretID: showSecret ? token.SecretID : REDACTED_SECRET_ID,
    Description: token.Description,
    ...(Policies.length === 0 ? {} : { Policies }),
    ...(Roles.length === 0 ? {} : { Roles }),
    ...(token.ServiceIdentities.length === 0 ? {} : { ServiceIdentities: [...token.ServiceIdentities] }),
    ...(token.NodeIdentities.length === 0 ? {} : { NodeIdentities: [...token.NodeIdentities] }),
  }
}

function end(token: TokenRecord, { showNamespace }: ShowContext) {
  return {
    Local: token.Local,
    ...(token.AuthMethod === '' ? {} : { AuthMethod: token.AuthMethod }),
    ...(showNamespace && token.AuthMethodNamespace !== ''
      ? { AuthMethodNamespace: token.AuthMethodNamespace }
      : {}),
    ...(token.ExpirationTime === undefined ? {} : { ExpirationTime: token.ExpirationTime }),
    CreateTime: token.CreateTime,
    Hash: token.Hash,
    CreateIndex: token.CreateIndex,
    ModifyIndex: token.ModifyIndex,
    ...(showNamespace ? { Namespace: token.Namespace } : {}),
  }
}
