import { blake2b } from '@noble/hashes/blake2.js'
import { afterEach, expect, test } from 'vitest'
import { type Blake2b, digestOf, useBlake2b } from './blake2b.ts'

const original: Blake2b = (bytes) => blake2b(bytes, { dkLen: 32 })
afterEach(() => useBlake2b(original))

test('digests come from the implementation of the process, and are the same', () => {
  const before = digestOf('é')
  let calls = 0
  useBlake2b((bytes) => {
    calls += 1
    return original(bytes)
  })
  calls = 0
  expect(digestOf('é')).toEqual(before)
  expect(calls).toBe(1)
})

test.each<readonly [string, Blake2b]>([
  ['another length', (bytes) => blake2b(bytes, { dkLen: 64 })],
  ['another function', (bytes) => blake2b(bytes, { dkLen: 32, key: Uint8Array.of(1) })],
  ['other digests of long texts', (bytes) => original(bytes.subarray(0, 256))],
])('an implementation with %s is refused', (_what, other) => {
  const before = digestOf('a')
  expect(() => useBlake2b(other)).toThrow(TypeError)
  expect(digestOf('a')).toEqual(before)
})
