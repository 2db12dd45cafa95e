/** The rules of create. Spec 4.2. */
import { AclError, type CreateToken, formatInstant, type UpdateToken } from '@latchkey/contract'
import { tokenHash } from '../hash.ts'
import { normalizeNodeIdentities, normalizeServiceIdentities } from '../identities.ts'
import { checkChosenId } from '../ids.ts'
import { resolvePolicyLinks, resolveRoleLinks, type TokenLinks } from '../links.ts'
import { type Random, randomUuid } from '../ports.ts'
import type { Directory } from '../records/directory.ts'
import type { TokenRecord } from '../records/records.ts'
import { checkLifetime, decideExpiration, expirationMs } from './expiration.ts'

/** Builds the record of a new token. The store checks at the commit whether its ids are free. */
export function createToken(
  request: CreateToken,
  {
    now,
    random,
    directory,
    namespace,
  }: { now: number; random: Random; directory: Directory; namespace: string },
): TokenRecord {
  if (request.AccessorID) checkChosenId(request.AccessorID, 'AccessorID')
  if (request.SecretID) checkChosenId(request.SecretID, 'SecretID')
  if (request.AuthMethod) {
    throw new AclError('field_invalid', 'AuthMethod field is disallowed outside of Login', {
      field: 'AuthMethod',
    })
  }
  const ExpirationTime = decideExpiration(request, now)
  const Local = request.Local ?? false
  return withTokenHash({
    AccessorID: request.AccessorID || randomUuid(random),
    SecretID: request.SecretID || randomUuid(random),
    Description: request.Description ?? '',
    ...decideTokenLinks(request, { namespace, directory, local: Local }),
    Rules: '',
    Type: '',
    Local,
    AuthMethod: '',
    AuthMethodNamespace: '',
    AuthMethodGeneration: 0,
    LoginIdentity: '',
    ExpirationTime,
    CreateTime: formatInstant(now),
    Hash: '',
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: namespace,
  })
}

/** The record with the hash of its content. Decisions: record shapes. */
export function withTokenHash(token: TokenRecord): TokenRecord {
  return { ...token, Hash: tokenHash(token) }
}

/** Resolves and checks the four link lists of a create or update. */
export function decideTokenLinks(
  request: CreateToken | UpdateToken,
  context: { readonly namespace: string; readonly directory: Directory; readonly local: boolean },
): TokenLinks {
  const { namespace, directory, local } = context
  const links = {
    Policies: resolvePolicyLinks(request.Policies, namespace, directory),
    Roles: resolveRoleLinks(request.Roles, namespace, directory),
    ServiceIdentities: normalizeServiceIdentities(request.ServiceIdentities, 'token', local),
    NodeIdentities: normalizeNodeIdentities(request.NodeIdentities, 'token'),
  }
  if (request.Rules) {
    throw new AclError('field_invalid', 'Rules cannot be specified for this token', { field: 'Rules' })
  }
  return links
}

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
