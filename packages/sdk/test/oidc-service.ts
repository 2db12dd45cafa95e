/** A service that begins and completes logins through a browser. Its n-th login has the state `state-n`. */
import { aToken } from './records.ts'
import { json, type Reply, startServer } from './test-server.ts'

export const SECRET_ID = 'c0ffee00-5ec2-4e75-8a11-000000000002'

/** @param callback what a callback answers; default: a token with {@link SECRET_ID}. */
export function anOidcService({
  AuthURL = (state: string) => `https://idp.example/authorize?state=${state}`,
  callback = json(aToken({ SecretID: SECRET_ID, AuthMethod: 'people' })),
}: {
  readonly AuthURL?: (state: string) => string
  readonly callback?: Reply
} = {}) {
  let logins = 0
  return startServer((response, request) => {
    if (request.url.startsWith('/v1/acl/oidc/auth-url')) {
      logins += 1
      return json({ AuthURL: AuthURL(`state-${logins}`) })(response, request)
    }
    if (request.url.startsWith('/v1/acl/oidc/callback')) return callback(response, request)
    return json(request.url === '/v1/acl/logout' ? true : aToken())(response, request)
  })
}

/** What was sent: the path below `/v1/acl/` with the body. */
export function sentTo(server: {
  readonly requests: readonly { readonly url: string; readonly body: string }[]
}) {
  return server.requests.map(({ url, body }) => ({
    path: url.replace('/v1/acl/', ''),
    body: body === '' ? undefined : JSON.parse(body),
  }))
}
