// A consumer: a page that keeps the whole SDK.
import * as sdk from '@latchkey/sdk'

globalThis.sdk = sdk
const fetch = async () => new Response('', { status: 409 })
const client = sdk.createClient({ address: 'https://acl.example', fetch })
const error = await client.tokens.create({ Description: 'x' }).catch((reason) => reason)
document.title = String(error.kind)
