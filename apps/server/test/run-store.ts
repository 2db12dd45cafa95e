/**
 * A process with a store, to pause and to kill. Opens the store of the database whose URL is the first argument, with the
 * key in the second, and prints `open`. Then it answers each input line, `<operation> <secret>`, with a line of JSON:
 * `read` reads a token in default mode, `create` creates one. Both report whether the process held a lease before the
 * operation, and whether it believed that it was alone.
 */
import { createInterface } from 'node:readline'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { pino } from 'pino'
import { connectDatabase } from '../src/database/connect.ts'
import { parseEncryptionKeys } from '../src/secrets/encryption-keys.ts'
import { createKeyRing } from '../src/secrets/key-ring.ts'
import { openStore } from '../src/storage/open-store.ts'

const [url, key] = process.argv.slice(2)
if (url === undefined || key === undefined) throw new TypeError('usage: node run-store.ts <url> <id:key>')
const log = pino({ level: 'silent' })
const store = await openStore({
  database: connectDatabase({ url, log }),
  url,
  ring: createKeyRing(parseEncryptionKeys(key)),
  log,
  member: { datacenter: 'dc1', node: 'other', version: '1.11.0' },
})
console.log('open')

for await (const line of createInterface(process.stdin)) {
  const [operation, SecretID = ''] = line.split(' ')
  const { isAlone, hasLease } = store.status()
  try {
    if (operation === 'read') {
      await store.refresh('default')
      const found = (await store.tokenBySecret(SecretID)) !== undefined
      console.log(JSON.stringify({ found, isAlone, hasLease }))
    } else {
      const record = aToken({ SecretID, AccessorID: SecretID.replace(/^./, 'f') })
      const index = await store.commit([{ table: 'tokens', op: 'put', record, expect: 0 }])
      console.log(JSON.stringify({ index, isAlone }))
    }
  } catch (error) {
    console.log(JSON.stringify({ error: String(error), isAlone }))
  }
}
process.exit()
