import type { Operation } from '@latchkey/catalog'
import { limits } from '@latchkey/contract'
import { aKey } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { loadKeys } from './apply.ts'

test('stops loading values once they exceed what a transaction may read (decisions: transactions)', async () => {
  const Value = new Uint8Array(limits.TRANSACTION_READ_BYTES_MAX / 8)
  let loaded = 0
  const store = {
    kvEntry: async (_: string, Key: string) => {
      loaded += 1
      return aKey({ Key, Value })
    },
  }
  const get = (key: string) => {
    const rest = { index: 0, session: '', flags: 0n, value: new Uint8Array(0) }
    return { kind: 'key', verb: 'get', namespace: 'default', key, ...rest } satisfies Operation
  }
  const operations = Array.from({ length: 64 }, (_, i) => get(`key-${i}`))
  const load = loadKeys(store as unknown as Parameters<typeof loadKeys>[0], operations)
  await expect(load).rejects.toMatchObject({ code: 'transaction_too_large' })
  expect(loaded).toBe(8)
})
