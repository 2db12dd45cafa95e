import { claimsOf, loginDescription } from '@latchkey/acl'
import type { Answer, Call } from '../handler.ts'
import { logIn } from './log-in.ts'
import { incompatible, inLane, requireFields, requireLoginMethod } from './login-method.ts'

/** Exchanges a credential of an identity provider for a token. */
export async function loginHandler(call: Call<'login.login'>): Promise<Answer<'login.login'>> {
  const { service, body } = call
  requireFields(body, ['AuthMethod', 'BearerToken'])
  // Checks the bounds of Meta before a provider is queried.
  loginDescription(body.Meta ?? {})
  const method = await requireLoginMethod(call, body)
  if (method.Type === 'oidc') throw incompatible('ClaimsFromJWT', method)
  const verify = () => service.identity.verifier.verify(method, body.BearerToken, service.clock.now())
  // A Kubernetes API is queried for each credential, while the keys of other providers are fetched once for many logins.
  const verification = await (method.Type === 'kubernetes' ? inLane(call, method, verify) : verify())
  return logIn(call, { method, claims: claimsOf(verification, method.Name), meta: body.Meta })
}
