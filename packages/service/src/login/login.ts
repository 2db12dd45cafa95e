import type { AuthMethodRecord, OidcClient, OidcMethod } from '@latchkey/acl'
import {
  authMethodKey,
  beginLogin,
  claimsOf,
  loginDescription,
  loginStateHash,
  resumeLogin,
} from '@latchkey/acl'
import { AclError, limits, shorten } from '@latchkey/contract'
import { callerUnknown } from '../caller/caller.ts'
import { type Context, type Handler, json } from '../handler.ts'
import { namespaceOf } from '../request/namespace.ts'
import { remove } from '../store/changes.ts'
import { decideAndCommit } from '../store/commit.ts'
import { authMethodUnknown, logIn } from './log-in.ts'

export const loginHandler: Handler<'login.login'> = async (call) => {
  const { service, body } = call
  requireFields(body, ['AuthMethod', 'BearerToken'])
  // Checks the bounds of Meta before a provider is queried.
  loginDescription(body.Meta ?? {})
  const method = await requireLoginMethod(call, body)
  if (method.Type === 'oidc') throw incompatible('ClaimsFromJWT', method)
  const verify = () => service.identity.verifier.verify(method, body.BearerToken, service.clock.now())
  // A Kubernetes API is queried for each credential, while the keys of other providers are fetched once for many logins.
  const verification = await (method.Type === 'kubernetes' ? runLimited(call, method, verify) : verify())
  return logIn(call, { method, claims: claimsOf(verification, method.Name), meta: body.Meta })
}

/** How long a client waits after too many logins. */
const RETRY_AFTER_SECONDS = 60

export const authUrlHandler: Handler<'login.authUrl'> = async (call) => {
  const { body, service } = call
  requireFields(body, ['AuthMethod', 'RedirectURI'])
  const { method, oidc } = await requireOidc(call, body, 'GetAuthCodeURL')
  return runLimited(call, method, async () => {
    const now = service.clock.now()
    const beginning = { redirectUri: body.RedirectURI, clientNonce: body.ClientNonce, meta: body.Meta }
    const { state, kept } = beginLogin(method, beginning, { random: service.random, now })
    const AuthURL = await oidc.authorizationUrl(method, { ...kept, state }, now)
    const bound = { openMax: limits.OPEN_LOGINS_MAX, now }
    if (await service.store.loginStates.put(kept, bound)) return json({ AuthURL })
    throw new AclError(
      'too_many_logins',
      `Auth method ${JSON.stringify(method.Name)} has ${limits.OPEN_LOGINS_MAX} logins that wait for a browser`,
      { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } },
    )
  })
}

/** Completes a login in a browser. The callback consumes its state, even if the callback is otherwise invalid. */
export const callbackHandler: Handler<'login.callback'> = async (call) => {
  const { body, service } = call
  requireFields(body, ['AuthMethod', 'State', 'Code'])
  const { method, oidc } = await requireOidc(call, body, 'ClaimsFromAuthCode')
  // If the lane refuses the request, the state is not consumed.
  const { verification, meta } = await runLimited(call, method, async () => {
    const now = service.clock.now()
    const kept = await service.store.loginStates.take(loginStateHash(body.State))
    const { meta, ...challenge } = resumeLogin(kept, method, { clientNonce: body.ClientNonce, now })
    const callback = { ...challenge, code: body.Code, issuer: body.Iss }
    return { verification: await oidc.exchange(method, callback, now), meta }
  })
  return logIn(call, { method, claims: claimsOf(verification, method.Name), meta })
}

/** Deletes the presented token, which must come from a login. */
export const logoutHandler: Handler<'login.logout'> = (call) => {
  const { store } = call.service
  const { SecretID } = call.caller.token
  return decideAndCommit(store, async () => {
    const record = await store.tokenBySecret(SecretID)
    if (!record) throw callerUnknown()
    if (record.AuthMethod === '') {
      // Only a token from a login can log out. A copy from another datacenter has no generation.
      throw new AclError('privilege_missing', 'Permission denied', { accessorId: record.AccessorID })
    }
    return { changes: [remove('tokens', record)], answer: () => json(true) }
  })
}

interface LoginBody {
  readonly AuthMethod: string
  readonly Namespace?: string | undefined
}

function requireFields<Body>(body: Body, fields: readonly (keyof Body & string)[]): void {
  for (const field of fields) {
    if (body[field] === '')
      throw new AclError('field_required', `Invalid Login request: no ${field} is set`, { field })
  }
}

/** Runs the part of a login that may take long. Only a few logins of one method run it concurrently. */
function runLimited<T>(call: Context, method: AuthMethodRecord, part: () => Promise<T>): Promise<T> {
  return call.loginLimits.methodSemaphore(authMethodKey(method)).run(part, call)
}

/**
 * Finds the auth method, and counts the request against the rate limits of its client and its method.
 * @throws AclError `auth_method_unknown`, `namespace_unsupported`, `field_invalid`, `too_many_logins`.
 */
async function requireLoginMethod(
  call: Context,
  { AuthMethod, Namespace }: LoginBody,
): Promise<AuthMethodRecord> {
  const method = call.service.store.directory().authMethod(namespaceOf(call, Namespace), AuthMethod)
  if (!method) throw authMethodUnknown(call, shorten(AuthMethod))
  await call.loginLimits.count(call.request.client, authMethodKey(method))
  return method
}

/**
 * Finds a method for logins in a browser, and the OpenID client.
 * @param operation name of the operation in the reference's messages.
 * @throws AclError as {@link requireLoginMethod}, `field_invalid` for a method of another type, `endpoint_not_built`.
 */
async function requireOidc(
  call: Context,
  body: LoginBody,
  operation: string,
): Promise<{ readonly method: OidcMethod; readonly oidc: OidcClient }> {
  const { oidc } = call.service.identity
  if (oidc === undefined) throw new AclError('endpoint_not_built', 'This server asks no OpenID providers')
  const method = await requireLoginMethod(call, body)
  if (method.Type !== 'oidc') throw incompatible(operation, method)
  return { method, oidc }
}

function incompatible(operation: string, { Type }: AuthMethodRecord): AclError {
  return new AclError('field_invalid', `${operation} is incompatible with type "${Type}"`, {
    field: 'AuthMethod',
  })
}
