/** The rules of clone. Spec 4.6; decisions: tokens. */
import { AclError, formatInstant } from '@latchkey/contract'
import { type Random, randomUuid } from '../ports.ts'
import type { Directory } from '../records/directory.ts'
import type { TokenRecord } from '../records/records.ts'
import { withTokenHash } from './create-token.ts'
import { checkLifetime, expirationMs } from './expiration.ts'

/**
 * Builds the record of a clone: links, Local and ExpirationTime of the source; new ids and CreateTime. Omits
 * dangling links. @param description replaces the description of the source unless empty.
 */
export function cloneToken(
  source: TokenRecord,
  description: string | undefined,
  context: { readonly now: number; readonly random: Random; readonly directory: Directory },
): TokenRecord {
  const { now, random, directory } = context
  if (source.AuthMethod !== '') {
    throw new AclError('clone_refused', 'Cannot clone a token created from an auth method')
  }
  if (source.Rules !== '') throw new AclError('clone_refused', 'Cannot clone a legacy ACL with this endpoint')
  const expiresAt = expirationMs(source)
  if (expiresAt !== undefined) checkLifetime(expiresAt - now, 'ExpirationTime')
  // Without a spread of the source, the compiler asks for each new field.
  return withTokenHash({
    AccessorID: randomUuid(random),
    SecretID: randomUuid(random),
    Description: description || source.Description,
    Policies: source.Policies.filter((link) => directory.policy(link.ID)),
    Roles: source.Roles.filter((link) => directory.role(link.ID)),
    ServiceIdentities: source.ServiceIdentities,
    NodeIdentities: source.NodeIdentities,
    Rules: source.Rules,
    Type: '',
    Local: source.Local,
    AuthMethod: source.AuthMethod,
    AuthMethodNamespace: source.AuthMethodNamespace,
    AuthMethodGeneration: source.AuthMethodGeneration,
    LoginIdentity: source.LoginIdentity,
    ExpirationTime: source.ExpirationTime,
    CreateTime: formatInstant(now),
    Hash: '',
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: source.Namespace,
  })
}
