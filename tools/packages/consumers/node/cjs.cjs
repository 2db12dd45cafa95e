// A consumer: Node, CommonJS. Node 22.12 and later can require ES modules.
const { createClient, NotFound } = require('@latchkey/sdk')

const client = createClient({
  address: 'http://127.0.0.1:1',
  env: false,
  fetch: async () => new Response('', { status: 404, headers: { 'X-Service-Index': '7' } }),
})
client.tokens.self().catch((error) => console.log(error instanceof NotFound && error.kind))
