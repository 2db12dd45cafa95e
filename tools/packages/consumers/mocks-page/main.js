// A consumer: a page whose service is the mock.
import { createMockService } from '@latchkey/mocks'
import { createClient } from '@latchkey/sdk'

const service = createMockService()
const client = createClient({
  address: service.baseUrl,
  token: service.managementToken,
  fetch: service.fetch,
})
const { AccessorID } = await client.tokens.create({ Description: 'page', ExpirationTTL: '1h' })
document.title = (await client.tokens.read(AccessorID)).Description
