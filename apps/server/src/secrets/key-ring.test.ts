import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { anEncryptionKey } from '../../test/encryption-key.ts'
import { StartError } from '../start-error.ts'
import { parseEncryptionKeys } from './encryption-keys.ts'
import { assertRingOpens, createKeyRing, KeyRingError } from './key-ring.ts'

const SECRET = '00000000-0000-4000-8000-000000000001'

test('opens what it sealed, and never seals the same way twice', () => {
  const ring = createKeyRing([anEncryptionKey('k1')])
  const [one, two] = [ring.seal(Buffer.from(SECRET), 'here'), ring.seal(Buffer.from(SECRET), 'here')]
  expect(ring.open(one, 'here').toString()).toBe(SECRET)
  expect(one.bytes).not.toEqual(two.bytes)
  expect(one.bytes).toHaveLength(12 + SECRET.length + 16)
  expect(Buffer.from(one.bytes).includes(SECRET)).toBe(false)
})

test('does not open bytes that were changed, truncated, or moved to another context', () => {
  const ring = createKeyRing([anEncryptionKey('k1')])
  const sealed = ring.seal(Buffer.from(SECRET), 'row 1')
  for (const index of [0, 12, sealed.bytes.length - 1]) {
    const bytes = Buffer.from(sealed.bytes)
    bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index)
    expect(() => ring.open({ ...sealed, bytes }, 'row 1')).toThrow(KeyRingError)
  }
  for (const length of [0, 11, 27, sealed.bytes.length - 1]) {
    expect(() => ring.open({ ...sealed, bytes: sealed.bytes.subarray(0, length) }, 'row 1')).toThrow(
      KeyRingError,
    )
  }
  expect(() => ring.open(sealed, 'row 2')).toThrow(KeyRingError)
})

test('SEC-04: keys rotate: the new first key seals, the old one still opens, and may be removed after a rewrap', () => {
  const [old, fresh] = [anEncryptionKey('old'), anEncryptionKey('fresh')]
  const sealed = createKeyRing([old]).seal(Buffer.from(SECRET), 'here')
  const both = createKeyRing([fresh, old])
  expect(both.open(sealed, 'here').toString()).toBe(SECRET)
  const rewrapped = both.rewrap(sealed, 'here')
  expect(rewrapped.keyId).toBe('fresh')
  expect(both.rewrap(rewrapped, 'here')).toBe(rewrapped)
  expect(createKeyRing([fresh]).open(rewrapped, 'here').toString()).toBe(SECRET)
})

test('SEC-04: refuses to start with keys that do not open the data, naming their ids only', () => {
  const old = anEncryptionKey('old')
  const samples = [
    { sealed: createKeyRing([old]).seal(Buffer.from(SECRET), 'a'), context: 'a' },
    { sealed: createKeyRing([anEncryptionKey('gone')]).seal(Buffer.from(SECRET), 'b'), context: 'b' },
  ]
  const ring = createKeyRing([anEncryptionKey('old'), anEncryptionKey('spare')])
  expect(() => assertRingOpens(ring, samples)).toThrow(StartError)
  expect(() => assertRingOpens(ring, samples)).toThrow(
    /old: it differs from the key[\s\S]*gone: it is missing[\s\S]*given: old, spare/,
  )
  expect(() => assertRingOpens(createKeyRing([old]), samples.slice(0, 1))).not.toThrow()
})

test('LEAK-01: printing a ring or a key shows no key', () => {
  const bytes = randomBytes(32)
  const keys = parseEncryptionKeys(`k1:${bytes.toString('base64')}`)
  const shown = inspect([keys, createKeyRing(keys)], { depth: 9, showHidden: true }) + JSON.stringify(keys)
  for (const encoding of ['base64', 'hex', 'base64url'] as const)
    expect(shown).not.toContain(bytes.toString(encoding))
})
