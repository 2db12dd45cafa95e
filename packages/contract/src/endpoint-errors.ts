/** Which refusals an endpoint may answer: its own, and those that follow from what it takes. Spec 7. */
import type { Endpoint } from './endpoints.ts'
import { ACL_ERRORS, type AclErrorCode } from './errors.ts'

const codesInOrder = Object.keys(ACL_ERRORS) as AclErrorCode[]

/** Any request may meet these: a bad or long request line, a full server, a database that is away, a fault of ours. */
export const COMMON_ERRORS = [
  'path_invalid',
  'query_invalid',
  'url_too_long',
  'too_many_connections',
  'internal',
  'unavailable',
] as const satisfies readonly AclErrorCode[]

/** Whether the endpoint is one of the ACL system, which can be switched off (401) and may be in legacy mode. */
export function isAclEndpoint(endpoint: Endpoint): boolean {
  return endpoint.path.startsWith('/acl/') || endpoint.path.startsWith('/internal/acl/')
}

/**
 * Every code that an endpoint may answer, in the order of the error table (by status).
 * Codes of a path that leads to no endpoint (`endpoint_unknown`, `method_not_allowed`, `endpoint_not_built`) belong to
 * none, and `endpoint_removed` to those of the legacy API, once their gate is closed.
 */
export function errorsOf(endpoint: Endpoint): readonly AclErrorCode[] {
  const codes = new Set<AclErrorCode>([...COMMON_ERRORS, ...(endpoint.errors ?? [])])
  const add = (...more: readonly AclErrorCode[]) => {
    for (const code of more) codes.add(code)
  }
  if (isAclEndpoint(endpoint)) add('acl_disabled')
  if (endpoint.refusedInLegacyMode) add('legacy_mode')
  if (endpoint.right === 'self') add('caller_unknown')
  else if (endpoint.right !== 'none') add('caller_unknown', 'privilege_missing')
  if (endpoint.blocking) add('header_invalid')
  if (endpoint.namespaced && endpoint.right !== 'self') add('namespace_unsupported')
  if (endpoint.body !== undefined) add('body_too_large', 'request_timeout')
  if (endpoint.body === 'text') add('body_malformed')
  if (endpoint.body === 'json') {
    add('body_required', 'body_malformed', 'field_unknown', 'field_type', 'field_too_long')
  }
  return codesInOrder.filter((code) => codes.has(code))
}
