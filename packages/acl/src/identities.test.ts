import { refusalOf } from '@latchkey/testkit/records/refusal'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { isIdentityName, normalizeNodeIdentities, normalizeServiceIdentities } from './identities.ts'

describe('the name rule (spec 2.4, 2.5)', () => {
  test.each(['a', '0', 'ab', 'a-b', 'a_b', 'a--b', 'a-_-b', '0a0', 'a'.repeat(256)])('%s passes', (name) => {
    expect(isIdentityName(name)).toBe(true)
  })

  test.each([
    '',
    'A',
    'aB',
    '-a',
    'a-',
    '_a',
    'a_',
    '-',
    'a.b',
    'a b',
    'a/b',
    'a\n',
    'a"b',
    '\u0024{a}',
    'a*',
    'a\u0000b',
    'ä',
    'а',
    'ａ',
    'a\u202eb',
    'a'.repeat(257),
  ])('INJ-03: %j is name_invalid, for services and nodes alike', (name) => {
    expect(isIdentityName(name)).toBe(false)
    if (name === '') return
    expect(refusalOf(() => normalizeServiceIdentities([{ ServiceName: name }], 'token'))).toMatchObject({
      code: 'name_invalid',
      field: 'ServiceIdentities[0].ServiceName',
    })
    const node = { NodeName: name, Datacenter: 'dc1' }
    const refusal = refusalOf(() =>
      normalizeNodeIdentities([{ NodeName: 'a', Datacenter: 'd' }, node], 'role'),
    )
    expect(refusal).toMatchObject({ code: 'name_invalid', field: 'NodeIdentities[1].NodeName' })
    expect(refusal.message.length).toBeLessThan(400)
  })

  test('the pattern is linear: a name of 256 characters that fails at its end (DOS-06)', () => {
    expect(isIdentityName(`${'a_'.repeat(127)}a!`)).toBe(false)
  })
})

describe('service identities (spec 2.4)', () => {
  test('are sorted by name; their datacenters keep the given order', () => {
    const given = [
      { ServiceName: 'web', Datacenters: ['dc3', 'dc1'] },
      { ServiceName: 'api' },
      { ServiceName: 'a-1' },
    ]
    expect(normalizeServiceIdentities(given, 'token')).toEqual([
      { ServiceName: 'a-1' },
      { ServiceName: 'api' },
      { ServiceName: 'web', Datacenters: ['dc3', 'dc1'] },
    ])
  })

  test.each([
    [
      'the union of their datacenters',
      [
        ['dc2', 'dc1'],
        ['dc3', 'dc1'],
      ],
      ['dc1', 'dc2', 'dc3'],
    ],
    ['everywhere, if the first is', [undefined, ['dc1']], undefined],
    ['everywhere, if the last is', [['dc1'], undefined], undefined],
    ['everywhere, if one list between is empty', [['dc1'], [], ['dc2']], undefined],
    ['distinct datacenters', [['dc1', 'dc1'], ['dc1']], ['dc1']],
  ])('equal names merge to %s', (_name, lists, merged) => {
    const given = lists.map((Datacenters) => ({
      ServiceName: 'web',
      ...(Datacenters ? { Datacenters } : {}),
    }))
    expect(normalizeServiceIdentities(given, 'token')).toEqual([
      { ServiceName: 'web', ...(merged ? { Datacenters: merged } : {}) },
    ])
  })
})

describe('node identities (spec 2.5)', () => {
  test('field_required: name, then datacenter, then the name rule', () => {
    const fieldOf = (NodeName: string, Datacenter: string) =>
      refusalOf(() => normalizeNodeIdentities([{ NodeName, Datacenter }], 'token'))
    expect(fieldOf('', '')).toMatchObject({ code: 'field_required', field: 'NodeIdentities[0].NodeName' })
    expect(fieldOf('NO', '')).toMatchObject({ code: 'field_required', field: 'NodeIdentities[0].Datacenter' })
    expect(fieldOf('NO', 'dc1')).toMatchObject({ code: 'name_invalid' })
  })

  test('are sorted by name and datacenter; duplicates collapse', () => {
    const node = (NodeName: string, Datacenter: string) => ({ NodeName, Datacenter })
    const given = [
      node('n2', 'dc1'),
      node('n1', 'dc2'),
      node('n1', 'dc1'),
      node('n2', 'dc1'),
      node('n1', 'dc2'),
    ]
    expect(normalizeNodeIdentities(given, 'token')).toEqual([
      node('n1', 'dc1'),
      node('n1', 'dc2'),
      node('n2', 'dc1'),
    ])
  })
})

const names = fc.constantFrom('a', 'b', 'a-1', 'web')
const datacenters = fc.constantFrom('dc1', 'dc2', 'DC1', '')
const services = fc.array(
  fc.record(
    { ServiceName: names, Datacenters: fc.array(datacenters, { maxLength: 3 }) },
    { requiredKeys: ['ServiceName'] },
  ),
  { maxLength: 8 },
)
const nodes = fc.array(fc.record({ NodeName: names, Datacenter: fc.constantFrom('dc1', 'dc2', 'DC1') }), {
  maxLength: 8,
})

test('normalization is idempotent and independent of the order of identities', () => {
  fc.assert(
    fc.property(services, nodes, fc.nat(), (given, givenNodes, offset) => {
      const rotated = <T>(list: readonly T[]): T[] => {
        const at = list.length === 0 ? 0 : offset % list.length
        return [...list.slice(at), ...list.slice(0, at)].reverse()
      }
      const normal = normalizeServiceIdentities(given, 'token')
      expect(normalizeServiceIdentities(normal, 'token')).toEqual(normal)
      expect(normalizeServiceIdentities(rotated(given), 'token')).toEqual(normal)
      const normalNodes = normalizeNodeIdentities(givenNodes, 'token')
      expect(normalizeNodeIdentities(normalNodes, 'token')).toEqual(normalNodes)
      expect(normalizeNodeIdentities(rotated(givenNodes), 'token')).toEqual(normalNodes)
    }),
  )
})

test('DOS-05: merging many identities of one name takes time linear in their datacenters (spec 2.4)', () => {
  const perIdentity = 20
  const identities = Array.from({ length: 200 }, (_, i) => ({
    ServiceName: 'web',
    Datacenters: Array.from({ length: perIdentity }, (_, j) => `dc-${i}-${j}`),
  }))
  const add = vi.spyOn(Set.prototype, 'add')
  const [merged] = normalizeServiceIdentities(identities, 'token')
  const added = add.mock.calls.length
  add.mockRestore()
  expect(merged?.Datacenters?.length).toBe(identities.length * perIdentity)
  expect(added).toBeLessThanOrEqual(2 * identities.length * perIdentity)
})
