// A consumer: the SDK against the mocks, mounted in MSW 2.
import { createMockService } from '@latchkey/mocks'
import { createClient } from '@latchkey/sdk'
import { setupServer } from 'msw/node'

const service = createMockService()
const server = setupServer(...service.handlers)
server.listen({ onUnhandledRequest: 'error' })
const client = createClient({ address: service.baseUrl, token: service.managementToken, env: false })
await client.kv.put('/web//port', '8080')
console.log((await client.kv.keys('/')).join())
server.close()
