import { expect, test } from 'vitest'
import { clientOf } from '../../test/client.ts'
import { problem, startServer } from '../../test/test-server.ts'
import { Unavailable } from '../index.ts'

const BEGINNING = { method: 'people', redirectUri: 'http://localhost/back', clientNonce: 'nonce' }
const CALLBACK = { method: 'people', state: 'a-state', code: 'a-code', clientNonce: 'nonce' }

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
