import { expect, test } from 'vitest'
import { anEncryptionKey } from '../../test/encryption-key.ts'
import { assertRingOpens, createKeyRing, KeyRingError } from './key-ring.ts'
import { contextOf, createLookupKey, createSecretBox, rewrapLookupKey } from './secret-box.ts'

const SECRET = '00000000-0000-4000-8000-000000000001'

const [old, fresh] = [anEncryptionKey('old'), anEncryptionKey('fresh')]
const ring = createKeyRing([old])
const wrapped = createLookupKey(ring)
const box = createSecretBox(ring, wrapped)

test('equal secrets have equal 32-byte hashes; other secrets and other databases have different ones', () => {
  expect(box.lookupHash(SECRET)).toEqual(box.lookupHash(SECRET))
  expect(box.lookupHash(SECRET)).toMatch(/^[0-9a-f]{64}$/)
  expect(box.lookupHash(`${SECRET} `)).not.toEqual(box.lookupHash(SECRET))
  expect(createSecretBox(ring, createLookupKey(ring)).lookupHash(SECRET)).not.toEqual(box.lookupHash(SECRET))
})

test('hashes do not change when the keys of the ring change', () => {
  const moved = rewrapLookupKey(createKeyRing([fresh, old]), wrapped)
  expect(moved.keyId).toBe('fresh')
  expect(createSecretBox(createKeyRing([fresh]), moved).lookupHash(SECRET)).toEqual(box.lookupHash(SECRET))
})

test('a secret opens only for its own record', () => {
  const sealed = box.seal(SECRET, 'record 1')
  expect(box.open(sealed, 'record 1')).toBe(SECRET)
  expect(() => box.open(sealed, 'record 2')).toThrow(KeyRingError)
  expect(() => assertRingOpens(ring, [{ sealed, context: contextOf('record 1') }])).not.toThrow()
})

test('a rewrapped secret opens without the old key', () => {
  const both = createKeyRing([fresh, old])
  const rewrapped = createSecretBox(both, wrapped).rewrap(box.seal(SECRET, 'record 1'), 'record 1')
  const alone = createSecretBox(createKeyRing([fresh]), rewrapLookupKey(both, wrapped))
  expect(alone.open(rewrapped, 'record 1')).toBe(SECRET)
})

test('SEC-04: refuses keys that do not belong to the database', () => {
  expect(() => createSecretBox(createKeyRing([anEncryptionKey('old')]), wrapped)).toThrow(
    /old: it differs from the key/,
  )
  expect(() => createSecretBox(createKeyRing([fresh]), wrapped)).toThrow(/old: it is missing/)
})
