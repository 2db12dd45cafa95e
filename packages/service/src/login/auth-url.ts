import { beginLogin } from '@latchkey/acl'
import { AclError, limits } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { inLane, requireFields, requireOidc } from './login-method.ts'

/** How long a client waits after too many logins. */
const RETRY_AFTER_SECONDS = 60

/** Starts a login in a browser. */
export async function authUrlHandler(call: Call<'login.authUrl'>): Promise<Answer<'login.authUrl'>> {
  const { body, service } = call
  requireFields(body, ['AuthMethod', 'RedirectURI'])
  const { method, oidc } = await requireOidc(call, body, 'GetAuthCodeURL')
  return inLane(call, method, async () => {
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
