import { claimsOf, loginStateHash, resumeLogin } from '@latchkey/acl'
import type { Answer, Call } from '../handler.ts'
import { logIn } from './log-in.ts'
import { inLane, requireFields, requireOidc } from './login-method.ts'

/** Completes a login in a browser. The callback consumes its state, even if the callback is otherwise invalid. */
export async function callbackHandler(call: Call<'login.callback'>): Promise<Answer<'login.callback'>> {
  const { body, service } = call
  requireFields(body, ['AuthMethod', 'State', 'Code'])
  const { method, oidc } = await requireOidc(call, body, 'ClaimsFromAuthCode')
  // If the lane refuses the request, the state is not consumed.
  const { verification, meta } = await inLane(call, method, async () => {
    const now = service.clock.now()
    const kept = await service.store.loginStates.take(loginStateHash(body.State))
    const { meta, ...challenge } = resumeLogin(kept, method, { clientNonce: body.ClientNonce, now })
    const callback = { ...challenge, code: body.Code, issuer: body.Iss }
    return { verification: await oidc.exchange(method, callback, now), meta }
  })
  return logIn(call, { method, claims: claimsOf(verification, method.Name), meta })
}
