import { expect, test } from 'vitest'
import { formatInstant, parseInstant, ZERO_TIME } from './schemas.ts'

const READ: readonly (readonly [string, string])[] = [
  ['2026-11-21T03:39:00Z', '2026-11-21T03:39:00.000Z'],
  ['2026-11-21T03:39:00.25Z', '2026-11-21T03:39:00.250Z'],
  ['2026-11-21t03:39:00z', '2026-11-21T03:39:00.000Z'],
  ['2026-11-21T05:39:00+02:00', '2026-11-21T03:39:00.000Z'],
  ['2026-11-20T22:09:00-05:30', '2026-11-21T03:39:00.000Z'],
  ['2026-11-21T03:39:00-00:00', '2026-11-21T03:39:00.000Z'],
  ['2026-11-21T03:39:00.123456789Z', '2026-11-21T03:39:00.123Z'],
  ['2026-11-21T03:39:00.9999Z', '2026-11-21T03:39:00.999Z'],
  ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
  ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
]

test.each(READ)('reads %s to the millisecond (decisions: record shapes)', (text, iso) => {
  const instant = parseInstant(text)
  expect(instant === undefined ? undefined : new Date(instant).toISOString()).toBe(iso)
})

test.each([
  '',
  'now',
  '2026-11-21',
  '2026-11-21T03:39:00',
  '2026-11-21 03:39:00Z',
  '2026-11-21T03:39Z',
  '2026-11-21T03:39:00.Z',
  '2026-11-21T03:39:00,5Z',
  '2026-11-21T03:39:00+0200',
  '2026-11-21T03:39:00+02',
  '2026-11-21T03:39:00 Z',
  ' 2026-11-21T03:39:00Z',
  '2026-11-21T03:39:00Z\n',
  '26-11-21T03:39:00Z',
  '+002026-11-21T03:39:00Z',
  '2026-00-21T03:39:00Z',
  '2026-13-21T03:39:00Z',
  '2026-11-00T03:39:00Z',
  '2026-11-31T03:39:00Z',
  '2023-02-29T12:00:00Z',
  '1900-02-29T12:00:00Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T03:60:00Z',
  '2026-11-21T03:39:60Z',
  '2026-11-21T03:39:00+24:00',
  '2026-11-21T03:39:00+02:60',
  '1795231140',
])('refuses %j: not an instant with a zone', (text) => {
  expect(parseInstant(text)).toBeUndefined()
})

const WRITTEN: readonly (readonly [string, string])[] = [
  ['2026-11-21T03:39:00.000Z', '2026-11-21T03:39:00Z'],
  ['2026-11-21T03:39:00.500Z', '2026-11-21T03:39:00.5Z'],
  ['2026-11-21T03:39:00.250Z', '2026-11-21T03:39:00.25Z'],
  ['2026-11-21T03:39:10.120Z', '2026-11-21T03:39:10.12Z'],
  ['2026-11-21T03:39:00.001Z', '2026-11-21T03:39:00.001Z'],
  ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00Z'],
]

test.each(WRITTEN)('writes %s as %s: UTC, trailing zeros trimmed', (iso, text) => {
  expect(formatInstant(Date.parse(iso))).toBe(text)
})

test('round-trips instants, including the zero time of year 1', () => {
  const zero = parseInstant(ZERO_TIME)
  expect(zero === undefined ? undefined : formatInstant(zero)).toBe(ZERO_TIME)
  for (let instant = 0; instant < 4e12; instant += 41_234_567_891) {
    expect(parseInstant(formatInstant(instant))).toBe(instant)
  }
})
