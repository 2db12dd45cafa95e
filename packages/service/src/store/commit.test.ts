import { AclError } from '@latchkey/contract'
import { putOf } from '@latchkey/testkit/records/changes'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { type Decision, decideAndCommit } from './commit.ts'
import { MemoryStore } from './memory-store.ts'
import { type Change, StoreConflict } from './store.ts'

const aStore = () => new MemoryStore({ after: () => () => {} })
const put = (record = aToken()): Change => putOf('tokens', record, 0)

/** Increments the number in a token's description. */
function increment(store: MemoryStore, secretId: string): () => Promise<Decision<number>> {
  return async () => {
    const existing = await store.tokenBySecret(secretId)
    if (!existing) throw new TypeError('no token')
    const record = { ...existing, Description: String(Number(existing.Description) + 1) }
    return { changes: [putOf('tokens', record, existing.ModifyIndex)], answer: (index) => index }
  }
}

test('the answer gets the index of the commit; without changes nothing is committed', async () => {
  const store = aStore()
  const index = await decideAndCommit(store, () => ({ changes: [put()], answer: (at) => at }))
  expect(index).toBe(1)
  expect(await decideAndCommit(store, () => ({ changes: [], answer: (at) => at }))).toBe(0)
  expect(store.tableIndex('tokens')).toBe(1)
})

test('COH-09: none of 100 concurrent increments is lost or refused', async () => {
  const store = aStore()
  const token = aToken({ Description: '0' })
  await store.commit([put(token)])
  const indexes = await Promise.all(
    Array.from({ length: 100 }, () => decideAndCommit(store, increment(store, token.SecretID))),
  )
  expect((await store.tokenBySecret(token.SecretID))?.Description).toBe('100')
  expect(new Set(indexes).size).toBe(100)
})

test('a write that conflicted with another is not overtaken by later ones', async () => {
  const store = aStore()
  const { SecretID } = aToken()
  await store.commit([put(aToken({ SecretID, Description: '0' }))])
  const tries: string[] = []
  const later: Promise<number>[] = []
  const write = (name: string, beforeTry: () => void = () => {}) =>
    decideAndCommit(store, () => {
      tries.push(name)
      beforeTry()
      return increment(store, SecretID)()
    })
  const first = write('first')
  const second = write('second', () => {
    if (tries.filter((name) => name === 'second').length === 2) later.push(write('third'))
  })
  await Promise.all([first, second])
  await Promise.all(later)
  expect(tries).toEqual(['first', 'second', 'second', 'third', 'third'])
})

test('writes that share some of their records also take turns: each is decided at most twice', async () => {
  const store = aStore()
  const secrets = ['x', 'y', 'z'].map(() => aToken().SecretID)
  await store.commit(secrets.map((SecretID) => put(aToken({ SecretID, Description: '0' }))))
  const tries = Array.from({ length: 30 }, () => 0)
  await Promise.all(
    tries.map((_, writer) =>
      decideAndCommit(store, async () => {
        tries[writer] = (tries[writer] ?? 0) + 1
        const pair = secrets.filter((_, i) => i !== writer % 3)
        const decisions = await Promise.all(pair.map((SecretID) => increment(store, SecretID)()))
        return { changes: decisions.flatMap(({ changes }) => changes), answer: (index) => index }
      }),
    ),
  )
  expect(Math.max(...tries)).toBe(2)
  const tokens = await Promise.all(secrets.map((secret) => store.tokenBySecret(secret)))
  expect(tokens.map((token) => token?.Description)).toEqual(['20', '20', '20'])
})

describe('a conflict', () => {
  test.each([
    ['accessor_in_use', 'id_in_use', 'AccessorID'],
    ['secret_in_use', 'id_in_use', 'SecretID'],
  ] as const)('%s is refused as %s without a retry', async (reason, code, field) => {
    const store = aStore()
    let tries = 0
    store.commit = async () => {
      tries += 1
      throw new StoreConflict(reason)
    }
    const refused = decideAndCommit(store, () => ({ changes: [put()], answer: () => undefined }))
    await expect(refused).rejects.toMatchObject({ code, details: { field } })
    expect(tries).toBe(1)
  })

  test('of a name is decided again, so the rule refuses with its own sentence', async () => {
    const store = aStore()
    store.commit = async () => {
      throw new StoreConflict('name_in_use')
    }
    let tries = 0
    const refused = decideAndCommit(store, () => {
      tries += 1
      if (tries > 1) throw new AclError('name_in_use', 'the sentence of the rule')
      return { changes: [put()], answer: () => undefined }
    })
    await expect(refused).rejects.toThrow('the sentence of the rule')
  })

  test('that persists is 503 unavailable with Retry-After, after 16 decisions on fresh state', async () => {
    const store = aStore()
    let decisions = 0
    const modes: string[] = []
    store.commit = async () => {
      throw new StoreConflict('changed')
    }
    store.refresh = async (mode) => {
      modes.push(mode)
      return { knownLeader: true, lastContactMs: 0 }
    }
    const refused = decideAndCommit(store, () => {
      decisions += 1
      return { changes: [put()], answer: () => undefined }
    })
    await expect(refused).rejects.toMatchObject({
      code: 'unavailable',
      details: { headers: { 'Retry-After': '1' } },
    })
    expect(decisions).toBe(16)
    expect(modes).toEqual(Array.from({ length: 15 }, () => 'consistent'))
  })

  test('a refused decision ends only its own attempt', async () => {
    const store = aStore()
    const token = aToken({ Description: '0' })
    await store.commit([put(token)])
    let isFirst = true
    const refusedSecondTime = async () => {
      if (!isFirst) throw new AclError('not_found', 'gone')
      isFirst = false
      return increment(store, token.SecretID)()
    }
    const outcomes = await Promise.allSettled([
      decideAndCommit(store, increment(store, token.SecretID)),
      decideAndCommit(store, refusedSecondTime),
      decideAndCommit(store, increment(store, token.SecretID)),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await store.tokenBySecret(token.SecretID))?.Description).toBe('2')
  })

  test('rethrows an error of the store', async () => {
    const store = aStore()
    const fault = new Error('disk')
    store.commit = async () => {
      throw fault
    }
    await expect(decideAndCommit(store, () => ({ changes: [put()], answer: () => 0 }))).rejects.toBe(fault)
  })
})
