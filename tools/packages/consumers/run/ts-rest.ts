// A consumer: the client of ts-rest over the contract, against the server that LATCHKEY_ADDR names.
import { contract } from '@latchkey/contract'
import { initClient } from '@ts-rest/core'

const { LATCHKEY_ADDR: baseUrl = '', LATCHKEY_TOKEN: token = '' } = process.env
const client = initClient(contract, { baseUrl, baseHeaders: { 'X-Service-Token': token } })

const created = await client.tokens.create({ body: { Description: 'typed', ExpirationTTL: '1h' } })
if (created.status !== 200) throw new Error(`create: ${created.status}`)
const AccessorID: string = created.body.AccessorID

const list = await client.tokens.list({ query: { sort: '-CreateIndex' } })
if (list.status !== 200 || list.body[0]?.AccessorID !== AccessorID) throw new Error(`list: ${list.status}`)

const refused = await client.tokens.create({ body: { AccessorID } })
if (refused.status !== 409) throw new Error(`refusal: ${refused.status}`)

const Key = 'web/port'
const written = await client.kv.write({ params: { Key: encodeURIComponent(Key) }, body: '8080' })
const read = await client.kv.read({ params: { Key: encodeURIComponent(Key) } })
const [entry] = read.status === 200 ? read.body : []
if (written.status !== 200 || typeof entry !== 'object' || entry.Key !== Key)
  throw new Error(`key: ${read.status}`)

// @ts-expect-error a field that a create does not take
const misspelt = await client.tokens.create({ body: { Descripton: 'typo' } })
if (misspelt.status !== 400) throw new Error(`misspelt: ${misspelt.status}`)

const deleted = await client.tokens.delete({ params: { AccessorID } })
console.log(deleted.status, deleted.body)
