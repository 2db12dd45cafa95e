/** The caches of reads, each within its limit, and how text is stored. */
import type { TokenRecord } from '@latchkey/acl'
import type { Topic } from '@latchkey/service'
import { aKey, aToken } from '@latchkey/testkit/records/record-builders'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KvCache, TokenCache } from './caches.ts'
import { readBytes, readText, storeBytes, storeText } from './stored-text.ts'

describe('stored text', () => {
  test('any string is restored unchanged, and encoded as one that PostgreSQL can store', () => {
    const anyUnits = fc.array(fc.nat(0xffff), { maxLength: 12 }).map((units) => String.fromCharCode(...units))
    const odd = fc.string({
      unit: fc.constantFrom('\u0000', '\u001a', '\ud800', '\udc00', '0', 'a', '\ud83d\ude00'),
    })
    const property = fc.property(fc.oneof(anyUnits, odd), (text) => {
      const stored = storeText(text)
      expect(readText(stored)).toBe(text)
      expect(stored.isWellFormed() && !stored.includes('\u0000')).toBe(true)
    })
    fc.assert(property, { numRuns: 5_000 })
  })

  test('plain text and bytes are stored unchanged', () => {
    expect(storeText('plain "text" ü 😀\n')).toBe('plain "text" ü 😀\n')
    expect([...readBytes(storeBytes(Uint8Array.of(0, 127, 255)))]).toEqual([0, 127, 255])
  })
})

describe('the token cache', () => {
  const put = (cache: TokenCache, token: TokenRecord) => cache.add(token, hashOf(token))
  const hashOf = (token: TokenRecord) => `hash of ${token.SecretID}`

  test('stays within its bound, and evicts tokens that were not used recently', () => {
    const cache = new TokenCache(10_000)
    const tokens = Array.from({ length: 20 }, () => aToken())
    const [first] = tokens
    for (const token of tokens) {
      put(cache, token)
      expect(cache.bySecretId(first?.SecretID ?? '')?.record).toBe(first)
      expect(cache.usedBytes).toBeLessThanOrEqual(10_000)
    }
    expect(cache.size).toBeGreaterThan(5)
    expect(cache.size).toBeLessThanOrEqual(10)
  })

  test('knows the hash of a secret only for the cached version with the same ids', () => {
    const cache = new TokenCache(100_000)
    const token = aToken({ ModifyIndex: 7 })
    put(cache, token)
    expect(cache.secretHashOf({ ...token, Description: 'edited' }, 7)).toBe(hashOf(token))
    expect(cache.secretHashOf(token, 8)).toBeUndefined()
    expect(cache.secretHashOf({ ...token, AccessorID: aToken().AccessorID }, 7)).toBeUndefined()
    expect(cache.secretHashOf(aToken({ ModifyIndex: 7 }), 7)).toBeUndefined()
  })

  test('drops a token by accessor or by hash, with all keys that lead to it', () => {
    for (const keys of [
      (t: TokenRecord) => ({ accessorKey: t.AccessorID, secretHash: undefined }),
      (t: TokenRecord) => ({ accessorKey: undefined, secretHash: hashOf(t) }),
    ]) {
      const cache = new TokenCache(100_000)
      const token = aToken()
      put(cache, token)
      cache.invalidate(keys(token))
      expect(cache.bySecretId(token.SecretID)).toBeUndefined()
      expect(cache.byAccessorKey(token.AccessorID)).toBeUndefined()
      expect(cache.sameAs(hashOf(token), token.ModifyIndex)).toBeUndefined()
      expect(cache.secretHashOf(token, token.ModifyIndex)).toBeUndefined()
      expect(cache.usedBytes).toBe(0)
    }
  })

  test('DOS-05: a million unknown secrets stay within the bound', () => {
    const cache = new TokenCache(50_000)
    for (let i = 0; i < 1_000_000; i += 1) cache.addAbsentSecret(`s${i}`, `h${i}`)
    expect(cache.usedBytes).toBeLessThanOrEqual(50_000)
    expect(cache.bySecretId('s999999')).toMatchObject({ record: undefined })
    expect(cache.bySecretId('s1')).toBeUndefined()
  })

  test('with a bound of 0 it keeps nothing', () => {
    const cache = new TokenCache(0)
    put(cache, aToken())
    expect(cache.size).toBe(0)
  })
})

describe('the cache of keys', () => {
  const topicOf = (key: string): Topic => `kv:${key}`

  test('DOS-05: stays within its bound, whether values, keys or misses fill it', () => {
    const fill: Readonly<Record<string, (i: number) => readonly [string, number | undefined]>> = {
      values: (i) => [`${i}`, 1_000],
      keys: (i) => [`${i}`.padEnd(300, 'x'), 0],
      misses: (i) => [`${i}`, undefined],
    }
    const kept = Object.entries(fill).map(([, entry]) => {
      const cache = new KvCache(100_000)
      for (let i = 0; i < 1_000; i += 1) {
        const [key, bytes] = entry(i)
        cache.keep(
          topicOf(key),
          bytes === undefined ? undefined : aKey({ Key: key, Value: new Uint8Array(bytes) }),
        )
        expect(cache.usedBytes).toBeLessThanOrEqual(100_000)
      }
      return Array.from({ length: 1_000 }, (_, i) => cache.get(topicOf(entry(i)[0]))).filter(
        (found) => found !== undefined,
      ).length
    })
    // A value of a kilobyte, or a key of 300 characters, takes twice the memory of a miss.
    expect(kept).toEqual([58, 52, 138])
  })

  test('remembers the last record of a key, or its absence, until it is forgotten', () => {
    const cache = new KvCache(100_000)
    expect(cache.get(topicOf('a'))).toBeUndefined()
    cache.keep(topicOf('a'), undefined)
    expect(cache.get(topicOf('a'))).toEqual({ record: undefined })
    const record = aKey({ Key: 'a' })
    cache.keep(topicOf('a'), record)
    expect(cache.get(topicOf('a'))?.record).toBe(record)
    cache.forget(topicOf('a'))
    expect([cache.get(topicOf('a')), cache.usedBytes]).toEqual([undefined, 0])
  })
})
