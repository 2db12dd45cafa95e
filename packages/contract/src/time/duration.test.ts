import { growthOf, LINEAR_GROWTH_MAX } from '@latchkey/testkit/growth'
import { describe, expect, test } from 'vitest'
import { DurationSyntaxError, formatDurationMs, parseDurationMs, parseDurationNs } from './duration.ts'

const READ: readonly (readonly [string, number])[] = [
  ['0', 0],
  ['+0', 0],
  ['0s', 0],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['1.s', 1_000],
  ['100ms', 100],
  ['1us', 0.001],
  ['1µs', 0.001],
  ['1μs', 0.001],
  ['1ns', 0.000001],
  ['-2ms', -2],
  ['+1m', 60_000],
  ['1m1m', 120_000],
  ['1s1h', 3_601_000],
  ['59.999s', 59_999],
  ['24h0m0.000000001s', 86_400_000.000001],
  ['2540400h10m10s', 9_145_440_610_000],
  ['9223372036854775807ns', 2 ** 63 / 1e6],
]

test.each(READ)('reads %s as %d ms, as Go does (decisions: record shapes)', (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms)
})

test('reads "-0s" as 0', () => {
  expect(parseDurationMs('-0s')).toBeCloseTo(0)
})

const REFUSED: readonly (readonly [string, string])[] = [
  ['', 'invalid duration ""'],
  ['-', 'invalid duration "-"'],
  ['+', 'invalid duration "+"'],
  ['.', 'invalid duration "."'],
  ['.s', 'invalid duration ".s"'],
  ['abc', 'invalid duration "abc"'],
  ['60', 'missing unit in duration "60"'],
  ['1h30', 'missing unit in duration "1h30"'],
  ['1d', 'unknown unit "d" in duration "1d"'],
  ['1w', 'unknown unit "w" in duration "1w"'],
  ['1e3s', 'unknown unit "e" in duration "1e3s"'],
  ['1hh', 'unknown unit "hh" in duration "1hh"'],
  ['1H', 'missing unit in duration "1H"'],
  ['1 s', 'missing unit in duration "1 s"'],
  [' 1s', 'invalid duration " 1s"'],
  ['1s ', 'invalid duration "1s "'],
  ['--1s', 'invalid duration "--1s"'],
  ['1h-1m', 'invalid duration "1h-1m"'],
  ['1,5s', 'missing unit in duration "1,5s"'],
  ['٣s', 'invalid duration "٣s"'],
  ['Infinitys', 'invalid duration "Infinitys"'],
  ['3000000h', 'invalid duration "3000000h"'],
  ['9223372036854777856ns', 'invalid duration "9223372036854777856ns"'],
  [`${'9'.repeat(400)}s`, `invalid duration "${'9'.repeat(400)}s"`],
]

test.each(REFUSED)('refuses %j and says why', (text, message) => {
  expect(() => parseDurationNs(text)).toThrow(new DurationSyntaxError(message))
})

describe('writing', () => {
  const WRITTEN: readonly (readonly [number, string])[] = [
    [0, '0s'],
    [-0, '0s'],
    [0.000001, '1ns'],
    [0.0005, '500ns'],
    [0.000999, '999ns'],
    [0.001, '1µs'],
    [0.0015, '1.5µs'],
    [0.5, '500µs'],
    [1, '1ms'],
    [999.5, '999.5ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [59_999, '59.999s'],
    [59_999.999999, '59.999999999s'],
    [60_000, '1m0s'],
    [86_400_000, '24h0m0s'],
    [86_400_000.000001, '24h0m0.000000001s'],
    [90_061_001, '25h1m1.001s'],
    [-60_000, '-1m0s'],
  ]
  test.each(WRITTEN)('%d ms is %s, as Go writes it', (ms, text) => {
    expect(formatDurationMs(ms)).toBe(text)
  })

  test('round-trips over the whole range of a lifetime', () => {
    for (let ms = -1_000; ms < 200_000_000; ms += 7_919_311.5) {
      expect(parseDurationMs(formatDurationMs(ms))).toBeCloseTo(ms, 5)
    }
  })
})

test('parses a very long duration in linear time', () => {
  const valid = growthOf(400_000, (size) => '1ns'.repeat(size), parseDurationMs)
  const invalid = growthOf(
    400_000,
    (size) => '1.'.repeat(size),
    (text) => {
      expect(() => parseDurationMs(text)).toThrow(DurationSyntaxError)
    },
  )
  expect(Math.max(valid, invalid)).toBeLessThan(LINEAR_GROWTH_MAX)
})
