import { expect, test } from 'vitest'
import * as limits from './limits.ts'

/** The spec defines these; the other limits are our own and may change. */
test('the bounds of the spec (spec 8)', () => {
  expect(limits).toMatchObject({
    EXPIRATION_MS_MIN: 60 * 1_000,
    EXPIRATION_MS_MAX: 24 * 60 * 60 * 1_000,
    IDENTITY_NAME_LENGTH_MAX: 256,
  })
})

test('our own bounds: sizes, waits, descriptions and links', () => {
  expect(limits).toMatchObject({
    BODY_BYTES_MAX: 1024 * 1024,
    KV_VALUE_BYTES_MAX: 512 * 1024,
    WAIT_MS_DEFAULT: 5 * 60_000,
    WAIT_MS_MAX: 10 * 60_000,
    WAIT_JITTER_DIVISOR: 16,
    DESCRIPTION_BYTES_MAX: 4 * 1024,
    LINKS_MAX: 1_000,
    AUTHORIZE_CHECKS_MAX: 64,
  })
})

test('every bound is a positive integer with a name that ends in its kind', () => {
  for (const [name, value] of Object.entries(limits)) {
    expect(Number.isSafeInteger(value) && value > 0, name).toBe(true)
    expect(name).toMatch(/_(MAX|MIN|DEFAULT|DIVISOR)$/)
  }
})
