/** The rules of Permissions. They are validated and stored; only a proxy enforces them. Decisions: intentions. */
import type { IntentionPermission } from '@latchkey/contract'
import { actionOf, invalid } from './intention-fields.ts'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE'])

/**
 * Permissions as stored: methods in upper case.
 *
 * @param field path of the permissions in the body.
 * @throws AclError `field_invalid`.
 */
export function checkPermissions(
  permissions: readonly IntentionPermission[],
  field: string,
): readonly IntentionPermission[] {
  return permissions.map((permission, i) => {
    const place = `${field}[${i}]`
    actionOf(permission.Action, `${place}.Action`)
    const { HTTP } = permission
    if (HTTP === undefined) throw invalid(`${place}.HTTP`, 'is required')
    const Methods = HTTP.Methods?.map((method) => method.toUpperCase())
    checkHttp(HTTP, `${place}.HTTP`)
    checkMethods(Methods ?? [], `${place}.HTTP.Methods`)
    return Methods === undefined ? permission : { ...permission, HTTP: { ...HTTP, Methods } }
  })
}

type Http = NonNullable<IntentionPermission['HTTP']>

function checkHttp(http: Http, field: string): void {
  const { PathExact, PathPrefix, PathRegex, Header = [], Methods = [] } = http
  const paths = [PathExact, PathPrefix, PathRegex].filter((path) => path !== undefined && path !== '')
  if (paths.length > 1)
    throw invalid(field, 'should only contain at most one of PathExact, PathPrefix, or PathRegex')
  if (paths.length === 0 && Header.length === 0 && Methods.length === 0)
    throw invalid(field, 'should not be empty')
  for (const [name, path] of [
    ['PathExact', PathExact],
    ['PathPrefix', PathPrefix],
  ] as const) {
    if (path && !path.startsWith('/'))
      throw invalid(`${field}.${name}`, `doesn't start with '/': ${JSON.stringify(path)}`)
  }
  for (const [i, header] of Header.entries()) checkHeader(header, `${field}.Header[${i}]`)
}

function checkHeader(header: NonNullable<Http['Header']>[number], field: string): void {
  if (!header.Name) throw invalid(field, 'missing required Name field')
  const { Present, Exact, Prefix, Suffix, Regex } = header
  if ([Present, Exact, Prefix, Suffix, Regex].filter(Boolean).length > 1) {
    throw invalid(field, 'should only contain one of Present, Exact, Prefix, Suffix, or Regex')
  }
}

function checkMethods(methods: readonly string[], field: string): void {
  const seen = new Set<string>()
  for (const method of methods) {
    if (!METHODS.has(method)) throw invalid(field, `contains an invalid method ${JSON.stringify(method)}`)
    if (seen.has(method)) throw invalid(field, `contains ${JSON.stringify(method)} more than once`)
    seen.add(method)
  }
}
