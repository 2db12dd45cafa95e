// A consumer: the SDK against the mocks, in Node.
import { createMockService, type SeedToken } from '@latchkey/mocks'
import { createClient, PermissionDenied } from '@latchkey/sdk'

const seeded: SeedToken = { Description: 'seeded', ExpirationTTL: '1h' }
const service = createMockService({ seed: { tokens: [seeded] } })
const client = createClient({
  address: service.baseUrl,
  token: service.managementToken,
  fetch: service.fetch,
  env: false,
})
const list = await client.tokens.list()
if (!list.some((token) => token.Description === 'seeded')) throw new Error('the seed is not listed')
const unknown = client.withToken('11111111-2222-4333-8444-555555555555')
const refusal: unknown = await unknown.tokens.list().catch((error: unknown) => error)
console.log(refusal instanceof PermissionDenied ? refusal.code : 'not refused')
