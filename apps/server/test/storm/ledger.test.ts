import { beforeEach, expect, test } from 'vitest'
import { Ledger, type Listed } from './ledger.ts'

const FINE = { lost: [], altered: [], surplus: [] }
const KNOWN = new Set(['builtin'])
const listed = (AccessorID: string, Description: string, SecretID = `s-${AccessorID}`): Listed => ({
  AccessorID,
  SecretID,
  Description,
})

let ledger: Ledger
beforeEach(() => {
  ledger = new Ledger()
})

function write(accessorId: string, state: string | undefined, isAcknowledged = true): void {
  ledger.begin(accessorId, `s-${accessorId}`, state)
  if (isAcknowledged) ledger.acknowledge(accessorId, 1)
}

test('acknowledged tokens that exist are fine; tokens from before belong to no writer', () => {
  write('a', '1')
  write('a', '2')
  write('b', '1')
  write('b', undefined)
  expect(ledger.verify([listed('builtin', ''), listed('a', '2')], KNOWN)).toEqual(FINE)
  expect(ledger.acknowledged).toBe(4)
})

test('a write without an answer may or may not have happened; the list decides', () => {
  for (const found of [[], [listed('a', '1')]]) {
    ledger = new Ledger()
    write('a', '1', false)
    expect(ledger.verify(found, KNOWN)).toEqual(FINE)
    expect(ledger.verify([], KNOWN)).toEqual(found.length === 0 ? FINE : { ...FINE, lost: ['a'] })
  }
})

test('lost: an acknowledged token that is gone', () => {
  write('a', '1')
  expect(ledger.verify([], KNOWN)).toEqual({ ...FINE, lost: ['a'] })
})

test('altered: a lost update, a partial token, a different secret', () => {
  write('a', '1')
  write('a', '2')
  expect(ledger.verify([listed('a', '1')], KNOWN)).toEqual({ ...FINE, altered: ['a'] })
  write('b', '1')
  expect(ledger.verify([listed('a', '1'), listed('b', '')], KNOWN)).toEqual({ ...FINE, altered: ['b'] })
  write('c', '1')
  const found = [listed('a', '1'), listed('b', ''), listed('c', '1', 'other')]
  expect(ledger.verify(found, KNOWN)).toEqual({ ...FINE, altered: ['c'] })
})

test('surplus: a lost delete, a duplicate token, a token that no writer created', () => {
  write('a', '1')
  write('a', undefined)
  write('b', '1')
  expect(
    ledger.verify([listed('a', '1'), listed('b', '1'), listed('b', '1'), listed('x', '')], KNOWN),
  ).toEqual({
    ...FINE,
    surplus: ['b', 'x', 'a'],
  })
})
