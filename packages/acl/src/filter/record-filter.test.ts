/** Filters of lists. Decisions: filters. */
import { limits } from '@latchkey/contract'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { compileFilter, type ShapeOf } from './record-filter.ts'

interface Instance {
  readonly Name: string
  readonly Port: number
  readonly IsNative?: boolean
  readonly Tags: readonly string[]
  readonly Meta: Readonly<Record<string, string>> | null
  readonly Addresses?: Readonly<Record<string, { readonly Address: string; readonly Port: number }>>
  readonly Weights: { readonly Passing: number }
  readonly Checks: readonly { readonly Status: string; readonly Tags: readonly string[] }[]
  readonly ModifyIndex: number
}

const SHAPE = {
  Name: 'text',
  Port: 'number',
  IsNative: 'bool',
  Tags: 'list',
  Meta: { map: 'text' },
  Addresses: { map: { object: { Address: 'text', Port: 'number' } } },
  Weights: { object: { Passing: 'number' } },
  Checks: { objects: { Status: 'text', Tags: 'list' } },
} as const satisfies ShapeOf<Instance>

const WEB: Instance = {
  Name: 'web-1',
  Port: 80,
  IsNative: true,
  Tags: ['canary', 'v2'],
  Meta: { env: 'prod', 'odd key': 'x' },
  Addresses: { lan: { Address: '10.0.0.1', Port: 8080 } },
  Weights: { Passing: 3 },
  Checks: [
    { Status: 'passing', Tags: ['a'] },
    { Status: 'critical', Tags: [] },
  ],
  ModifyIndex: 7,
}
const BARE: Instance = {
  Name: '',
  Port: 0,
  Tags: [],
  Meta: null,
  Weights: { Passing: 1 },
  Checks: [],
  ModifyIndex: 8,
}

function namesOf(filter: string | undefined): readonly string[] {
  return [WEB, BARE]
    .filter((record) => compileFilter<Instance>(filter, SHAPE)?.matches(record) ?? true)
    .map(({ Name }) => Name || 'bare')
}

describe('a comparison selects', () => {
  const [both, web, bare, none] = [['web-1', 'bare'], ['web-1'], ['bare'], []] as const
  test.each([
    ['Name == "web-1"', web],
    ['Name != `web-1`', bare],
    ['Name == ""', bare],
    ['Name == "WEB-1"', none],
    ['web in Name', web],
    ['Name not contains web', bare],
    ['Name matches "^web-[0-9]+$"', web],
    ['Name not matches "^web"', bare],
    ['Port == 80', web],
    ['Port == "080"', web],
    ['Port != 80', bare],
    ['IsNative == T', web],
    ['IsNative == false', bare],
    ['canary in Tags', web],
    ['Tags contains Canary', none],
    ['canary not in Tags', bare],
    ['Tags is empty', bare],
    ['Meta.env == prod', web],
    ['Meta["odd key"] == x', web],
    ['Meta.env != dev', both],
    ['Meta.none == ""', none],
    ['Meta.none != ""', both],
    ['Meta.none not matches x', both],
    ['Meta.toString != ""', both],
    ['env in Meta', web],
    ['constructor in Meta', none],
    ['Meta is empty', bare],
    ['Meta is not empty', web],
    ['Addresses.lan.Port == 8080', web],
    ['Addresses.wan.Address != "1.2.3.4"', both],
    ['Weights.Passing == 3', web],
    ['Checks.Status == passing', web],
    ['Checks.Status != passing', web],
    ['not Checks.Status == passing', bare],
    ['a in Checks.Tags', web],
    ['Checks is empty', bare],
    ['Name == x or Port == 80 and Tags contains v2', web],
    ['', both],
  ] as const)('%s: %j', (filter, expected) => {
    expect(namesOf(filter)).toEqual(expected)
  })

  test('without a filter every record is selected', () => {
    expect(namesOf(undefined)).toEqual(['web-1', 'bare'])
  })
})

test.each([
  ['Bogus == x', 'Selector "Bogus" is not valid'],
  ['ModifyIndex == 7', 'Selector "ModifyIndex" is not valid'],
  ['Name == x and toString == x', 'Selector "toString" is not valid'],
  ['Name.x == y', 'Selector "Name.x" is not valid'],
  ['Checks.Bogus == y', 'Selector "Checks.Bogus" is not valid'],
  ['Addresses.lan.Bogus == y', 'Selector "Addresses.lan.Bogus" is not valid'],
  ['Port contains 8', 'Invalid match operator "In" for selector "Port"'],
  ['Port not matches 8', 'Invalid match operator "Not Matches" for selector "Port"'],
  ['Tags != x', 'Invalid match operator "Not Equal" for selector "Tags"'],
  ['Name is not empty', 'Invalid match operator "Is Not Empty" for selector "Name"'],
  ['Weights is empty', 'Invalid match operator "Is Empty" for selector "Weights"'],
  ['x in Checks', 'Invalid match operator "In" for selector "Checks"'],
  ['Port == abc', 'Failed to coerce value "abc" for selector "Port": '],
  ['Port == 8.5', 'Failed to coerce value "8.5" for selector "Port": '],
  ['Port == "8e1"', 'Failed to coerce value "8e1" for selector "Port": '],
  ['Port == "0x50"', 'Failed to coerce value "0x50" for selector "Port": '],
  ['Port == "0b1010000"', 'Failed to coerce value "0b1010000" for selector "Port": '],
  ['Port == " 80"', 'Failed to coerce value " 80" for selector "Port": '],
  ['Port == ""', 'Failed to coerce value "" for selector "Port": '],
  ['Port == 9007199254740993', 'Failed to coerce value "9007199254740993" for selector "Port": '],
  ['IsNative == yes', 'Failed to coerce value "yes" for selector "IsNative": '],
  ['Name matches "("', 'Failed to compile regular expression "(": '],
  ['Name == web-1', 'line 1, column 12: found "-1"'],
  ['Name = x', 'line 1, column 6: found "= x", expected "=="'],
])('filter_invalid: %s: %s', (filter, problem) => {
  const { code, field, message } = refusalOf(() => namesOf(filter))
  expect({ code, field }).toEqual({ code: 'filter_invalid', field: 'filter' })
  expect(message).toContain(`Failed to create boolean expression evaluator: ${problem}`)
})

describe('bounds', () => {
  const max = limits.FILTER_PATTERN_STEPS_MAX

  test('the regular expressions of a filter are bounded together', () => {
    const filter = (steps: number) =>
      `Name matches "${'x'.repeat(max - 10)}" or Name matches "${'x'.repeat(steps)}"`
    expect(namesOf(filter(10))).toEqual([])
    expect(refusalOf(() => namesOf(filter(11))).code).toBe('filter_invalid')
  })

  test('field_too_long: more than 4 KiB', () => {
    const { code, field } = refusalOf(() => namesOf(`Name == "${'x'.repeat(limits.SELECTOR_BYTES_MAX)}"`))
    expect({ code, field }).toEqual({ code: 'field_too_long', field: 'filter' })
  })
})
