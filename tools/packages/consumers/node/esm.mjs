// A consumer: Node, ES modules.
import { createClient, NotFound } from '@latchkey/sdk'
import { loginThroughBrowser } from '@latchkey/sdk/node'

const client = createClient({
  address: 'http://127.0.0.1:1',
  env: false,
  fetch: async () => new Response('', { status: 404, headers: { 'X-Service-Index': '7' } }),
})
const error = await client.tokens.self().catch((reason) => reason)
const isWhole = error instanceof NotFound && typeof loginThroughBrowser === 'function'
console.log(isWhole && error.kind)
