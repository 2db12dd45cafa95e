/**
 * The table of EXP-02: requested expirations and their outcomes, as on the wire, for every implementation of the rules.
 */
import type { AclErrorCode } from '@latchkey/contract'

export interface ExpirationCase {
  readonly name: string
  /** When the token is created. */
  readonly now: string
  readonly body: Readonly<Record<string, unknown>>
  /** ExpirationTime in the answer, `undefined` for none, or the refusal. */
  readonly expected: string | undefined | { readonly code: AclErrorCode; readonly field: string }
}

/** A leap day, near noon. */
const NOW = '2028-02-29T11:59:30.25Z'

const refusedTtl = { code: 'expiration_out_of_bounds', field: 'ExpirationTTL' } as const
const refusedTime = { code: 'expiration_out_of_bounds', field: 'ExpirationTime' } as const
const noDuration = { code: 'field_type', field: 'ExpirationTTL' } as const
const noTime = { code: 'field_type', field: 'ExpirationTime' } as const
const conflict = { code: 'expiration_conflict', field: 'ExpirationTTL' } as const

const ttl = (
  ExpirationTTL: unknown,
  expected: ExpirationCase['expected'],
  now: string = NOW,
): ExpirationCase => ({
  name: `ExpirationTTL ${JSON.stringify(ExpirationTTL)} at ${now}`,
  now,
  body: { ExpirationTTL },
  expected,
})

const time = (
  ExpirationTime: unknown,
  expected: ExpirationCase['expected'],
  now: string = NOW,
): ExpirationCase => ({
  name: `ExpirationTime ${JSON.stringify(ExpirationTime)} at ${now}`,
  now,
  body: { ExpirationTime },
  expected,
})

const both = (
  ExpirationTime: unknown,
  ExpirationTTL: unknown,
  expected: ExpirationCase['expected'],
): ExpirationCase => ({
  name: `ExpirationTime ${JSON.stringify(ExpirationTime)} with ExpirationTTL ${JSON.stringify(ExpirationTTL)}`,
  now: NOW,
  body: { ExpirationTime, ExpirationTTL },
  expected,
})

const IN_A_MINUTE = '2028-02-29T12:00:30.25Z'
const IN_A_DAY = '2028-03-01T11:59:30.25Z'

export const EXPIRATION_CASES: readonly ExpirationCase[] = [
  { name: 'neither', now: NOW, body: {}, expected: undefined },

  // The shortest lifetime, inclusive.
  ttl('60s', IN_A_MINUTE),
  ttl('1m', IN_A_MINUTE),
  ttl('1m0s', IN_A_MINUTE),
  ttl('+1m', IN_A_MINUTE),
  ttl('60000ms', IN_A_MINUTE),
  ttl('60000000us', IN_A_MINUTE),
  ttl('.5m30s', IN_A_MINUTE),
  ttl(60_000_000_000, IN_A_MINUTE),
  ttl(60_000_000_001, IN_A_MINUTE),
  ttl('60.0005s', IN_A_MINUTE),
  ttl('60.001s', '2028-02-29T12:00:30.251Z'),
  ttl('59.999s', refusedTtl),
  ttl('59.999999999s', refusedTtl),
  ttl('59s999ms', refusedTtl),
  ttl(59_999_999_999, refusedTtl),
  ttl('1ns', refusedTtl),
  ttl('1ms', refusedTtl),
  ttl(60_000, refusedTtl),
  ttl(0.5, refusedTtl),
  ttl('0.5ns', refusedTtl),
  ttl('60.0000000001s', IN_A_MINUTE),

  // The longest lifetime, inclusive.
  ttl('24h', IN_A_DAY),
  ttl('1440m', IN_A_DAY),
  ttl('86400s', IN_A_DAY),
  ttl('23h60m', IN_A_DAY),
  ttl(86_400_000_000_000, IN_A_DAY),
  ttl('23h59m59.999s', '2028-03-01T11:59:30.249Z'),
  ttl('86400.001s', refusedTtl),
  ttl('24h1ms', refusedTtl),
  ttl('24h0m0.000000001s', refusedTtl),
  ttl(86_400_000_000_001, refusedTtl),
  ttl('24h0m0.0000000005s', refusedTtl),
  ttl('25h', refusedTtl),
  ttl('2540400h', refusedTtl),
  ttl(1e300, refusedTtl),

  // Zero, negative, and not a duration.
  ttl('0s', undefined),
  ttl('0', undefined),
  ttl('-0s', undefined),
  ttl(0, undefined),
  ttl(null, undefined),
  ttl('-1ns', refusedTtl),
  ttl('-60s', refusedTtl),
  ttl(-1, refusedTtl),
  ttl('', noDuration),
  ttl('60', noDuration),
  ttl('1d', noDuration),
  ttl('one minute', noDuration),
  ttl(true, noDuration),
  ttl({}, noDuration),

  // Instants, to the millisecond.
  time(IN_A_MINUTE, IN_A_MINUTE),
  time('2028-02-29T12:00:30.250Z', IN_A_MINUTE),
  time('2028-02-29T12:00:30.2509Z', IN_A_MINUTE),
  time('2028-02-29T12:00:30.251Z', '2028-02-29T12:00:30.251Z'),
  time('2028-02-29T12:00:31Z', '2028-02-29T12:00:31Z'),
  time('2028-02-29T12:00:30.249Z', refusedTime),
  time('2028-02-29T12:00:30.2499Z', refusedTime),
  time('2028-02-29T12:00:30Z', refusedTime),
  time(IN_A_DAY, IN_A_DAY),
  time('2028-03-01T11:59:30.2509Z', IN_A_DAY),
  time('2028-03-01T11:59:30.249Z', '2028-03-01T11:59:30.249Z'),
  time('2028-03-01T11:59:30.251Z', refusedTime),
  time('2028-03-01T11:59:31Z', refusedTime),
  time(NOW, refusedTime),
  time('2028-02-29T11:59:30.249Z', refusedTime),
  time('2028-02-28T12:00:30.25Z', refusedTime),
  time('0000-01-01T00:00:00Z', refusedTime),
  time('9999-12-31T23:59:59.999Z', refusedTime),
  time('9999-12-31T23:59:59.999-23:59', refusedTime),

  // Zones.
  time('2028-02-29T14:00:30.25+02:00', IN_A_MINUTE),
  time('2028-02-29T00:30:30.25-11:30', IN_A_MINUTE),
  time('2028-03-01T01:59:30.25+13:59', '2028-02-29T12:00:30.25Z'),
  time('2028-03-01T11:59:30.25-00:01', refusedTime),
  time('2028-02-29T12:00:30.25+00:01', refusedTime),
  time('2028-02-29T12:00:30.25', noTime),
  time('2028-02-29 12:00:30Z', noTime),
  time('2028-02-30T12:00:00Z', noTime),
  time('2027-02-29T12:00:00Z', noTime),
  time('2028-02-29T12:00:60Z', noTime),
  time(1_835_438_430_250, noTime),

  // No expiration.
  time('', undefined),
  time(null, undefined),
  time('0001-01-01T00:00:00Z', undefined),
  time('0001-01-01T01:00:00+01:00', undefined),

  // Calendars: a day is 24 hours across leap days, ends of years and clock changes.
  ttl('24h', '2028-02-29T12:00:00Z', '2028-02-28T12:00:00Z'),
  ttl('24h', '2027-03-01T12:00:00Z', '2027-02-28T12:00:00Z'),
  ttl('24h', '2100-03-01T12:00:00Z', '2100-02-28T12:00:00Z'),
  ttl('24h', '2027-01-01T23:59:59.999Z', '2026-12-31T23:59:59.999Z'),
  ttl('1m', '2017-01-01T00:00:29Z', '2016-12-31T23:59:29Z'),
  time('2028-03-26T12:00:00+02:00', '2028-03-26T10:00:00Z', '2028-03-25T11:00:00Z'),
  time('2028-10-29T12:00:00+01:00', refusedTime, '2028-10-28T10:00:00Z'),
  time('2028-10-29T11:00:00+01:00', '2028-10-29T10:00:00Z', '2028-10-28T10:00:00Z'),
  time('9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:58:59.999Z'),

  // Both fields.
  both(IN_A_MINUTE, '1m', conflict),
  both(IN_A_MINUTE, 60_000_000_000, conflict),
  both(IN_A_MINUTE, '1ns', conflict),
  both('2027-01-01T00:00:00Z', '25h', conflict),
  both(IN_A_MINUTE, '-1m', refusedTtl),
  both(IN_A_MINUTE, '0s', IN_A_MINUTE),
  both(IN_A_MINUTE, null, IN_A_MINUTE),
  both('', '1m', IN_A_MINUTE),
  both(null, '1m', IN_A_MINUTE),
  both('0001-01-01T00:00:00Z', '1m', IN_A_MINUTE),
]
