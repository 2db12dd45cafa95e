import { refusalOf } from '@latchkey/testkit/records/refusal'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareVersions, parseServiceVersion, readVersion } from './versions.ts'

const version = (text: string) => parseServiceVersion(text)

test('parses major.minor and major.minor.patch, with a default patch of 0 (decisions: versions)', () => {
  expect(version('1.4')).toEqual({ text: '1.4', major: 1, minor: 4, patch: 0 })
  expect(version('1.8.1')).toEqual({ text: '1.8.1', major: 1, minor: 8, patch: 1 })
})

test('accepts both ends of the range, the patch releases of 1.11 included (decisions: versions)', () => {
  for (const text of ['0.7', '0.7.0', '0.9.4', '1.0', '1.10.12', '1.11', '1.11.0', '1.11.4']) {
    expect(version(text).text).toBe(text)
  }
})

test.each(['0.6', '0.6.4', '0.0', '1.12', '1.12.0', '2.0', '1.100'])(
  'refuses %s, outside of 0.7 to 1.11 (decisions: versions)',
  (text) => {
    expect(() => version(text)).toThrow(expect.objectContaining({ code: 'version_invalid' }))
    expect(readVersion(text)?.text).toBe(text)
  },
)

test.each([
  '',
  '1',
  '1.',
  '1.4.',
  '1.4.0.0',
  'v1.4.0',
  ' 1.4.0',
  '1.4.0\n',
  '1.4.0-beta',
  '01.4',
  '1.04',
  '1.x',
  '-1.4',
  '1,4',
  '１.４',
])('refuses %j and names the accepted form and the field', (text) => {
  expect(readVersion(text)).toBeUndefined()
  const refusal = refusalOf(() => parseServiceVersion(text, 'LATCHKEY_SERVICE_VERSION'))
  expect(refusal.code).toBe('version_invalid')
  expect(refusal.field).toBe('LATCHKEY_SERVICE_VERSION')
  expect(refusal.message).toContain('major.minor.patch')
})

test('truncates a long text', () => {
  expect(refusalOf(() => version('9'.repeat(10_000))).message.length).toBeLessThan(200)
})

test('compares by numbers, not by text (spec 9)', () => {
  const inOrder = [
    '0.7',
    '0.9.4',
    '1.0',
    '1.0.7',
    '1.3.0',
    '1.3.1',
    '1.4',
    '1.6.3',
    '1.7.0',
    '1.8.1',
    '1.10',
    '1.11',
  ].map(version)
  const shuffled = [...inOrder].sort((a, b) => b.text.localeCompare(a.text))
  expect(shuffled.sort(compareVersions)).toEqual(inOrder)
  expect(compareVersions(version('1.11'), version('1.11.0'))).toBe(0)
})

test('is a total order over any three versions', () => {
  const anyVersion = fc
    .tuple(fc.nat(3), fc.nat(12), fc.nat(12))
    .map(([major, minor, patch]) => readVersion(`${major}.${minor}.${patch}`))
    .filter((read) => read !== undefined)
  fc.assert(
    fc.property(anyVersion, anyVersion, anyVersion, (a, b, c) => {
      expect(Math.sign(compareVersions(a, b))).toBe(0 - Math.sign(compareVersions(b, a)))
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) {
        expect(compareVersions(a, c)).toBeLessThanOrEqual(0)
      }
    }),
  )
})
