/** Where a resource lives. Spec 4.9. */

import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import { AclError, type AnyRoute, ownText, shorten } from '@latchkey/contract'
import { type Caller, isAtHome, requireRight } from '../caller/caller.ts'
import type { Context } from '../handler.ts'

const NAMESPACE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/

export function isNamespaceName(text: string): boolean {
  return NAMESPACE_NAME.test(text)
}

/** What the request itself says, before its body is read. */
export interface RequestedNamespace {
  readonly header: { readonly name: string; readonly value: string } | undefined
  readonly query: NamespaceQuery
  readonly route: AnyRoute
}

/** Options that name a namespace, where the route takes them. */
export interface NamespaceQuery {
  readonly ns?: string | undefined
  readonly 'authmethod-ns'?: string | undefined
}

/**
 * The namespace that header or `ns` ask for; `undefined` where neither does.
 * In the standard edition both are refused on routes that would heed them, header first. Decisions: namespaces.
 *
 * @throws AclError `namespace_unsupported`, `query_invalid`.
 */
export function requestedNamespace(
  requested: RequestedNamespace,
  edition: 'standard' | 'extended',
): string | undefined {
  const { header, query, route } = requested
  if (!route.namespaced || route.right === 'self') return undefined
  const { ns, 'authmethod-ns': methodNamespace } = query
  if (edition === 'standard') {
    if (header) throw unsupported(`Invalid header: "${header.name}"`, header.name)
    for (const option of ['ns', 'authmethod-ns'] as const) {
      if (query[option] !== undefined) throw unsupported(`Invalid query parameter: "${option}"`, option)
    }
    return undefined
  }
  const name = ns ?? header?.value
  if (name !== undefined && !(name === '*' && route.path.endsWith('s'))) {
    checkName(name, ns === undefined ? (header?.name ?? 'ns') : 'ns')
  }
  if (methodNamespace !== undefined) checkName(methodNamespace, 'authmethod-ns')
  return name === undefined ? undefined : ownText(name)
}

/** @throws AclError `query_invalid`. */
function checkName(name: string, field: string): void {
  if (NAMESPACE_NAME.test(name)) return
  throw new AclError('query_invalid', `Invalid namespace ${JSON.stringify(shorten(name))}`, { field })
}

/** Spec 4.9, from the third place on: header or `ns`, the caller's own token, `default`. */
export function resolveNamespace(requested: string | undefined, caller: Caller): string {
  return requested ?? (caller.presented ? caller.token.Namespace : DEFAULT_NAMESPACE)
}

/** Whether a list shows what is in a namespace: with `ns=*` in each where the caller may read. Spec 4.8. */
export function isListed(call: Context, namespace: string): boolean {
  return namespace === call.namespace || (call.allNamespaces && isAtHome(call.caller, namespace))
}

/**
 * A create, update or clone in the namespace of its record, where the body's field takes precedence, and the caller
 * needs its right. Spec 4.9.1. So a record that was read can be sent back from wherever, and one is never moved.
 *
 * @throws AclError `namespace_unsupported`, `not_found` where no such namespace exists, `privilege_missing`.
 */
export function inBodyNamespace(call: Context, field: string | undefined): Context {
  const namespace = bodyNamespace(call, field)
  // First: a caller without the right does not learn which namespaces there are.
  requireRight(call.caller, namespace, { resource: 'acl', access: 'write' })
  return { ...call, namespace: requireExisting(call, namespace) }
}

function bodyNamespace(call: Context, field: string | undefined): string {
  if (field === undefined || field === '') return call.namespace
  if (call.service.edition === 'standard') throw unsupported('Invalid field: "Namespace"', 'Namespace')
  if (!NAMESPACE_NAME.test(field)) {
    throw new AclError('field_invalid', `Invalid Namespace ${JSON.stringify(shorten(field))}`, {
      field: 'Namespace',
    })
  }
  return field
}

/**
 * Nothing is made in a namespace that is not there.
 *
 * @throws AclError `not_found`.
 */
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
