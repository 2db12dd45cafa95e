import { AclError, type CreateToken, type UpdateToken } from '@latchkey/contract'
import { normalizeNodeIdentities, normalizeServiceIdentities } from '../identities.ts'
import { resolvePolicyLinks, resolveRoleLinks, type TokenLinks } from '../links.ts'
import type { Directory } from '../records/directory.ts'

/**
 * Resolves and checks the four link lists of a create or update.
 *
 * @throws AclError `link_unknown`, `field_required`, `field_invalid`, `name_invalid`.
 */
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
