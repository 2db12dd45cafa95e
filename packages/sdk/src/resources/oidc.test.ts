import { expect, test } from 'vitest'
import { clientOf } from '../../test/client.ts'
import { aToken } from '../../test/records.ts'
import { json, problem, startServer } from '../../test/test-server.ts'
import { Unavailable } from '../index.ts'

const BEGINNING = { method: 'people', redirectUri: 'http://localhost/back', clientNonce: 'nonce' }
const CALLBACK = { method: 'people', state: 'a-state', code: 'a-code', clientNonce: 'nonce' }

test('a login in a browser is begun and completed, and the configured token is sent with neither', async () => {
  const AuthURL = 'https://login.example.com/authorize'
  const token = aToken({ AuthMethod: 'people' })
  await using server = await startServer((response, request) =>
    json(request.url.includes('auth-url') ? { AuthURL } : token)(response, request),
  )
  const { oidc } = clientOf(server)
  expect(await oidc.authUrl({ ...BEGINNING, meta: { job: '7' }, namespace: 'team' })).toEqual({ AuthURL })
  expect(await oidc.callback({ ...CALLBACK, iss: 'https://login.example.com' })).toEqual(token)
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/acl/oidc/auth-url?ns=team',
    'POST /v1/acl/oidc/callback',
  ])
  expect(server.requests.map(({ headers }) => headers['x-service-token'])).toEqual([undefined, undefined])
  expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([
    { AuthMethod: 'people', RedirectURI: 'http://localhost/back', ClientNonce: 'nonce', Meta: { job: '7' } },
    {
      AuthMethod: 'people',
      State: 'a-state',
      Code: 'a-code',
      Iss: 'https://login.example.com',
      ClientNonce: 'nonce',
    },
  ])
})

test('a beginning is repeated; a callback, which uses up its state, is not, and its error has no secret', async () => {
  await using server = await startServer(
    problem(503, 'provider_unavailable', { detail: 'a-state a-code nonce' }),
  )
  const { oidc } = clientOf(server, { retries: 1 })
  await expect(oidc.authUrl(BEGINNING)).rejects.toThrow(Unavailable)
  expect(server.requests).toHaveLength(2)
  const error = await oidc.callback(CALLBACK).catch((error: unknown) => error)
  expect(server.requests).toHaveLength(3)
  expect(error).toMatchObject({ code: 'provider_unavailable', maybeApplied: true })
  expect(String(error)).not.toMatch(/a-state|a-code|nonce/)
})
