// A consumer: a page that keeps the whole SDK, and calls the server of its query or, without one, an answer of its own.
import * as sdk from '@latchkey/sdk'
import * as login from '@latchkey/sdk/browser'

globalThis.sdk = { ...sdk, ...login }
const query = new URLSearchParams(location.search)
document.title = await (query.has('address') ? callServer() : callItself()).catch((error) => error.kind)

async function callItself() {
  const fetch = async () => new Response('', { status: 409 })
  const client = sdk.createClient({ address: 'https://acl.example', fetch })
  const error = await client.tokens.create({ Description: 'x' }).catch((reason) => reason)
  return String(error.kind)
}

/** Writes, reads, waits with an index that only a shown header carries, and is refused. */
async function callServer() {
  const client = sdk.createClient({ address: query.get('address'), token: query.get('token') })
  const { AccessorID } = await client.tokens.create({ Description: 'made on a page' })
  const watched = []
  for await (const { value } of client.tokens.watch(AccessorID)) {
    watched.push(value.Description)
    if (watched.length === 1) await client.tokens.update(AccessorID, { Description: 'changed' })
    else break
  }
  if (watched.at(-1) !== 'changed') return `watched ${watched}`
  await client.tokens.delete(AccessorID)
  const refused = await client.tokens.read(AccessorID).catch((error) => error)
  return `made, read, watched: ${refused.status}`
}
