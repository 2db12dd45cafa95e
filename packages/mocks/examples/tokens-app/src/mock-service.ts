/** The service that this example runs against: in the browser behind a service worker, in tests behind `setupServer`. */
import { createMockService, type MockServiceOptions } from '@latchkey/mocks'

/** The secret of a user who may read but not write. */
export const READER_TOKEN = '22222222-3333-4444-8555-666666666666'

export function createExampleService(options: MockServiceOptions = {}) {
  return createMockService({
    seed: {
      policies: [
        { Name: 'token-reader', Rules: 'acl = "read"' },
        { Name: 'web', Rules: 'service "web" { policy = "write" }' },
      ],
      tokens: [
        { Description: 'Looks only', SecretID: READER_TOKEN, Policies: [{ Name: 'token-reader' }] },
        { Description: 'Deploys the web shop', Policies: [{ Name: 'web' }], ExpirationTTL: '24h' },
      ],
    },
    ...options,
  })
}
