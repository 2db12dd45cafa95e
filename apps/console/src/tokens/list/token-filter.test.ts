import { expect, test } from 'vitest'
import type { TokenRow } from './token-feed.ts'
import * as filter from './token-filter.ts'

const NOW = Date.parse('2026-11-23T08:00:00Z')

function aRow(Description: string, over: Partial<TokenRow> = {}): TokenRow {
  const searched = Description.toLowerCase()
  return {
    ...{ AccessorID: Description, Description, Local: false, searched },
    ...{ CreateTime: '', CreateIndex: 1, ModifyIndex: 1 },
    expiresAt: over.ExpirationTime === undefined ? undefined : Date.parse(over.ExpirationTime),
    ...over,
  }
}

const Policies = [{ ID: '1', Name: 'shop-web' }]
const shop = aRow('Web shop', { Policies, ExpirationTime: '2026-11-23T08:30:00Z' })
const Roles = [{ ID: '2', Name: 'deploys' }]
const ci = aRow('CI', { Roles, ExpirationTime: '2026-11-23T20:00:00Z', CreateIndex: 2 })
const node = aRow('Node', { NodeIdentities: [{ NodeName: 'db-3', Datacenter: 'dc1' }], CreateIndex: 3 })
const gone = aRow('Gone', { ExpirationTime: '2026-11-23T08:00:00Z' })
const ALL = [node, ci, shop, gone]

const shown = (search: Parameters<typeof filter.filterTokens>[1]) =>
  filter.filterTokens(ALL, search, NOW).map(({ Description }) => Description)

test('an expired token is left out, and all words of the search must match', () => {
  expect(shown({})).toEqual(['Node', 'CI', 'Web shop'])
  expect(shown({ q: 'shop WEB' })).toEqual(['Web shop'])
})

test('filters by link, identity and expiry', () => {
  expect(shown({ policy: 'shop-web' })).toEqual(['Web shop'])
  expect(shown({ role: 'deploys' })).toEqual(['CI'])
  expect(shown({ identity: 'db-3' })).toEqual(['Node'])
  expect(shown({ expiry: 'hour' })).toEqual(['Web shop'])
  expect(shown({ expiry: 'day' })).toEqual(['CI', 'Web shop'])
  expect(shown({ expiry: 'never' })).toEqual(['Node'])
  expect(filter.valuesOf(ALL, 'identity')).toEqual(['db-3'])
})

test('sorts by expiry, with tokens that never expire last', () => {
  const sorted = filter.sortTokens([node, ci, shop], filter.readSorting('expires'))
  expect(sorted.map(({ Description }) => Description)).toEqual(['Web shop', 'CI', 'Node'])
})

test('reads the search of a URL, and drops what it does not recognise', () => {
  expect(filter.readTokenSearch({ q: 'a', expiry: 'year', policy: ['a'], other: 'x' })).toEqual({ q: 'a' })
  expect(filter.isFiltered(filter.readTokenSearch({ sort: 'token' }))).toBe(false)
})
