import {
  AclError,
  createTokenSchema,
  decodeValue,
  formatInstant,
  type Json,
  parseInstant,
} from '@latchkey/contract'
import { EXPIRATION_CASES, type ExpirationCase } from '@latchkey/testkit/records/expiration-cases'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { decideExpiration, expirationMs, isExpired } from './expiration.ts'

function outcomeOf({ now, body }: ExpirationCase): ExpirationCase['expected'] {
  try {
    const request = decodeValue(createTokenSchema, body as Json)
    return decideExpiration(request, parseInstant(now) ?? expect.fail(`no instant: ${now}`))
  } catch (error) {
    if (!(error instanceof AclError)) throw error
    return { code: error.code, field: error.details.field ?? '' }
  }
}

test.each(EXPIRATION_CASES)('EXP-02: $name (spec 4.2.1, 4.2.2, 8)', (aCase) => {
  expect(outcomeOf(aCase)).toEqual(aCase.expected)
})

test('EXP-02: the table has at least 60 distinct cases', () => {
  expect(EXPIRATION_CASES.length).toBeGreaterThanOrEqual(60)
  expect(new Set(EXPIRATION_CASES.map(({ name }) => name)).size).toBe(EXPIRATION_CASES.length)
})

describe('the refusal', () => {
  const NOW = Date.UTC(2028, 1, 29)
  const messageOf = (request: Parameters<typeof decideExpiration>[0]) =>
    refusalOf(() => decideExpiration(request, NOW)).message

  test('names the bound and the value in Go duration syntax', () => {
    expect(messageOf({ ExpirationTTL: 59_999.999999 })).toBe(
      'Token Expiration TTL cannot be less than 1m0s in the future (was 59.999999999s)',
    )
    expect(messageOf({ ExpirationTTL: 90_000_000 })).toBe(
      'Token Expiration TTL cannot be more than 24h0m0s in the future (was 25h0m0s)',
    )
    expect(messageOf({ ExpirationTTL: -60_000 })).toBe("Token Expiration TTL '-1m0s' should be > 0")
    expect(messageOf({ ExpirationTime: NOW + 59_000 })).toBe(
      'ExpirationTime cannot be less than 1m0s in the future (was 59s)',
    )
    expect(messageOf({ ExpirationTime: NOW - 1 })).toBe('ExpirationTime cannot be before CreateTime')
  })
})

describe('expired (spec 3; EXP-03)', () => {
  const at = Date.UTC(2028, 1, 29, 12)
  const token = aToken({ ExpirationTime: formatInstant(at) })

  test.each([
    [-1_000, false],
    [-1, false],
    [0, true],
    [1, true],
    [1_000, true],
  ])('%d ms after its ExpirationTime: %s', (ms, expired) => {
    expect(isExpired(token, at + ms)).toBe(expired)
  })

  test('a token without ExpirationTime never expires', () => {
    const forever = aToken()
    expect(expirationMs(forever)).toBeUndefined()
    expect(isExpired(forever, Number.MAX_SAFE_INTEGER)).toBe(false)
  })
})
