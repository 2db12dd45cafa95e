import { createClient, PermissionDenied } from '@latchkey/sdk'

// Where the service is, and the token of an operator, come from LATCHKEY_ADDR and LATCHKEY_TOKEN.
const client = createClient()

await client.policies.create({ Name: 'web-read', Rules: 'key_prefix "web/" { policy = "read" }' })
const token = await client.tokens.create({
  Description: 'web server',
  Policies: [{ Name: 'web-read' }],
  ExpirationTTL: '1h',
})

const web = client.withToken(token.SecretID)
const [answer] = await web.authorize([{ Resource: 'key', Segment: 'web/port', Access: 'read' }])
console.log(answer.Allow)

try {
  await web.kv.put('web/port', '8080')
} catch (error) {
  if (error instanceof PermissionDenied) console.log(error.missing)
}
