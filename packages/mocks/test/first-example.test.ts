import { createMockService } from '@latchkey/mocks'
import { createClient, Unavailable } from '@latchkey/sdk'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const service = createMockService({
  seed: {
    policies: [{ Name: 'web', Rules: 'service "web" { policy = "write" }' }],
    tokens: [{ Description: 'deploys', Policies: [{ Name: 'web' }], ExpirationTTL: '1h' }],
  },
})
const server = setupServer(...service.handlers)
const client = createClient({ address: service.baseUrl, token: service.managementToken })

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
beforeEach(() => service.reset())
afterAll(() => server.close())

test('the mock is the service: an hour later the token is gone', async () => {
  const find = async () => (await client.tokens.list()).find((token) => token.Description === 'deploys')
  expect((await find())?.Policies).toMatchObject([{ Name: 'web' }])
  service.clock.advance('1h')
  expect(await find()).toBeUndefined()
})

test('what the application does when the service fails', async () => {
  service.failNext('tokens.create', 503)
  await expect(client.tokens.create({}, { retries: 0 })).rejects.toThrow(Unavailable)
})
