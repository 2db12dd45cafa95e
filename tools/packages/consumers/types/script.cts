// A consumer in TypeScript: CommonJS.
import sdk = require('@latchkey/sdk')

export const client: sdk.Client = sdk.createClient({ address: 'http://127.0.0.1:1' })
