/** The auth method that a login names. */
import { type AuthMethodRecord, authMethodKey, type OidcClient, type OidcMethod } from '@latchkey/acl'
import { AclError, shorten } from '@latchkey/contract'
import type { Context } from '../handler.ts'
import { namespaceOf } from '../request/namespace.ts'
import { authMethodUnknown } from './log-in.ts'

interface LoginBody {
  readonly AuthMethod: string
  readonly Namespace?: string | undefined
}

/** @throws AclError `field_required` for the first empty field. */
export function requireFields<Body>(body: Body, fields: readonly (keyof Body & string)[]): void {
  for (const field of fields) {
    if (body[field] === '') {
      throw new AclError('field_required', `Invalid Login request: no ${field} is set`, { field })
    }
  }
}

/** Runs the part of a login that may take long. Only a few logins of one method run it concurrently. */
export function inLane<T>(call: Context, method: AuthMethodRecord, part: () => Promise<T>): Promise<T> {
  return call.loginRates.run(authMethodKey(method), part, call.signal)
}

/**
 * Finds the auth method, and counts the request against the rate limits of its client and its method.
 *
 * @throws AclError `auth_method_unknown`, `namespace_unsupported`, `field_invalid`, `too_many_logins`.
 */
export async function requireLoginMethod(
  call: Context,
  { AuthMethod, Namespace }: LoginBody,
): Promise<AuthMethodRecord> {
  const method = call.service.store.directory().authMethod(namespaceOf(call, Namespace), AuthMethod)
  if (!method) throw authMethodUnknown(call, shorten(AuthMethod))
  await call.loginRates.count(call.request.client, authMethodKey(method))
  return method
}

/**
 * Finds a method for logins in a browser, and the OpenID client.
 *
 * @param operation name of the operation in the reference's messages.
 * @throws AclError as {@link requireLoginMethod}, `field_invalid` for a method of another type, `endpoint_not_built`.
 */
export async function requireOidc(
  call: Context,
  body: LoginBody,
  operation: string,
): Promise<{ readonly method: OidcMethod; readonly oidc: OidcClient }> {
  const { oidc } = call.service.identity
  if (oidc === undefined) {
    throw new AclError('endpoint_not_built', 'This server asks no OpenID providers')
  }
  const method = await requireLoginMethod(call, body)
  if (method.Type !== 'oidc') throw incompatible(operation, method)
  return { method, oidc }
}

/** @returns AclError `field_invalid` for a method whose type does not support this login. */
export function incompatible(operation: string, { Type }: AuthMethodRecord): AclError {
  return new AclError('field_invalid', `${operation} is incompatible with type "${Type}"`, {
    field: 'AuthMethod',
  })
}
