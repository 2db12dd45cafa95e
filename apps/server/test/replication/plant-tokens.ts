/** Tokens of a large primary, written through the store, without HTTP. */
import { randomBytes, randomUUID } from 'node:crypto'
import { BLANK_TOKEN } from '@latchkey/acl'
import type { Change } from '@latchkey/service'
import type { Logger } from 'pino'
import { connectDatabase } from '../../src/database/connect.ts'
import type { KeyRing } from '../../src/secrets/key-ring.ts'
import { openStore } from '../../src/storage/open-store.ts'

/** Writes per commit, and commits in flight: as fast as the store accepts them. */
const COMMIT_SIZE = 250
const COMMITS_AT_ONCE = 4

/** Writes global tokens into a migrated database that no server uses. @returns the secret of one of them. */
export async function plantTokens({
  url,
  ring,
  count,
  log,
}: {
  readonly url: string
  readonly ring: KeyRing
  readonly count: number
  readonly log: Logger
}): Promise<string> {
  const database = connectDatabase({ url, log })
  const member = { datacenter: 'dc1', node: 'plant', version: '1.11.0' }
  const store = await openStore({ database, url, ring, log, member, cacheBytes: 0 })
  const known = token(count, randomUUID())
  try {
    const policyId = randomUUID()
    await store.commit([policy(policyId), known])
    let left = count - 1
    const worker = async () => {
      while (left > 0) {
        const size = Math.min(COMMIT_SIZE, left)
        left -= size
        await store.commit(Array.from({ length: size }, (_, i) => token(left + i, policyId)))
      }
    }
    await Promise.all(Array.from({ length: COMMITS_AT_ONCE }, worker))
  } finally {
    await store.close()
    await database.close()
  }
  return known.record.SecretID
}

function policy(ID: string): Change {
  const record = {
    ...{ ID, Name: `common-${ID}`, Description: '', Rules: 'key_prefix "common/" { policy = "read" }' },
    ...{ Datacenters: undefined, Hash: '', CreateIndex: 0, ModifyIndex: 0, Namespace: 'default' },
  }
  return { table: 'policies', op: 'put', record, expect: 0 }
}

function token(i: number, policyId: string) {
  const record = {
    ...BLANK_TOKEN,
    AccessorID: randomUUID(),
    SecretID: randomUUID(),
    Description: `planted token ${i}`,
    Policies: [{ ID: policyId }],
    CreateTime: new Date().toISOString(),
    Hash: randomBytes(32).toString('base64'),
  }
  return { table: 'tokens', op: 'put', record, expect: 0 } as const satisfies Change
}
