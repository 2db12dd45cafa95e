/** The namespace of a request. Spec 4.9. */
import { DEFAULT_NAMESPACE, isNamespaceName } from '@latchkey/acl'
import { AclError, type AnyRoute, ownText, shorten } from '@latchkey/contract'
import { type Caller, isAtHome, requireRight } from '../caller/caller.ts'
import type { Context } from '../handler.ts'

interface RequestedNamespace {
  readonly header: { readonly name: string; readonly value: string } | undefined
  readonly query: NamespaceQuery
  /** Has `ns` for routes without such an option. */
  readonly urlParams: URLSearchParams
  readonly route: AnyRoute
}

export interface NamespaceQuery {
  readonly ns?: string | undefined
  readonly 'authmethod-ns'?: string | undefined
}

/**
 * The namespace that the header or `ns` names; `undefined` if neither does. For records that have a namespace, the standard
 * edition refuses both, the header first. In the extended edition, everything without a namespace counts as part of
 * `default`, so its routes refuse any other. Decisions: namespaces.
 * @throws AclError `namespace_unsupported`, `query_invalid`.
 */
export function requestedNamespace(
  requested: RequestedNamespace,
  edition: 'standard' | 'extended',
): string | undefined {
  const { header, route } = requested
  const isKnown = route.namespaced || route.inDefault
  if (route.right === 'self' || (edition === 'standard' && !isKnown)) return undefined
  const query: NamespaceQuery = route.namespaced
    ? requested.query
    : { ns: requested.urlParams.get('ns') || undefined }
  const { ns, 'authmethod-ns': methodNamespace } = query
  if (edition === 'standard') {
    if (header) throw unsupported(`Invalid header: "${header.name}"`, header.name)
    for (const option of ['ns', 'authmethod-ns'] as const) {
      if (query[option] !== undefined) throw unsupported(`Invalid query parameter: "${option}"`, option)
    }
    return undefined
  }
  const name = ns ?? header?.value
  if (!route.namespaced) {
    if (name !== undefined) requireDefault(name, route, ns === undefined ? (header?.name ?? 'ns') : 'ns')
    return undefined
  }
  if (name !== undefined && !(name === '*' && route.path.endsWith('s')))
    checkName(name, ns === undefined ? (header?.name ?? 'ns') : 'ns')
  if (methodNamespace !== undefined) checkName(methodNamespace, 'authmethod-ns')
  return name === undefined ? undefined : ownText(name)
}

/**
 * Refuses every namespace except `default`, the only one. A read may also name all with `*`.
 * @throws AclError `query_invalid`.
 */
function requireDefault(name: string, route: AnyRoute, field: string): void {
  if (name === DEFAULT_NAMESPACE || (name === '*' && route.method === 'GET')) return
  const problem = `Invalid namespace ${JSON.stringify(shorten(name))}: this endpoint only supports "default"`
  throw new AclError('query_invalid', problem, { field })
}

function checkName(name: string, field: string): void {
  if (isNamespaceName(name)) return
  throw new AclError('query_invalid', `Invalid namespace ${JSON.stringify(shorten(name))}`, { field })
}

/** Spec 4.9, without the body: the header or `ns`, then the caller's token, then `default`. */
export function resolveNamespace(requested: string | undefined, caller: Caller): string {
  return requested ?? (caller.presented ? caller.token.Namespace : DEFAULT_NAMESPACE)
}

/** Whether a list shows a namespace: with `ns=*`, every one that the caller may read. Spec 4.8. */
export function isListed(call: Context, namespace: string): boolean {
  return namespace === call.namespace || (call.allNamespaces && isAtHome(call.caller, namespace))
}

/**
 * A create, update or clone call in the namespace of its record, where the caller needs the right. The body's field takes
 * precedence, so a record can be sent back as read. Spec 4.9.1.
 * @throws AclError `namespace_unsupported`, `not_found` for a missing namespace, `privilege_missing`.
 */
export function inBodyNamespace(call: Context, field: string | undefined): Context {
  const namespace = namespaceOf(call, field)
  // Checked first, so that a caller without the right does not learn which namespaces exist.
  requireRight(call.caller, namespace, { resource: 'acl', access: 'write' })
  return { ...call, namespace: requireExisting(call, namespace) }
}

/**
 * The namespace that a body names, or the namespace of the call. Spec 4.9.1.
 * @throws AclError `namespace_unsupported`, `field_invalid`.
 */
export function namespaceOf(call: Context, field: string | undefined): string {
  if (field === undefined || field === '') return call.namespace
  if (call.service.edition === 'standard') throw unsupported('Invalid field: "Namespace"', 'Namespace')
  if (!isNamespaceName(field)) {
    throw new AclError('field_invalid', `Invalid Namespace ${JSON.stringify(shorten(field))}`, {
      field: 'Namespace',
    })
  }
  return field
}

export function requireExisting({ directory }: Pick<Context, 'directory'>, name: string): string {
  if (name === DEFAULT_NAMESPACE || directory.namespace(name)) return name
  throw new AclError('not_found', `Requested namespace does not exist: ${JSON.stringify(name)}`, {
    field: 'Namespace',
  })
}

function unsupported(what: string, field: string): AclError {
  return new AclError('namespace_unsupported', `${what} - Namespaces are a feature of the extended edition`, {
    field,
  })
}
