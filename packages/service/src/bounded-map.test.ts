/** DOS-05: every cache of the service is a BoundedMap. */
import { expect, test } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

/** From this size on, evictions happen in bulk. */
const LARGE_SIZE = 2_000

function keysOf(map: BoundedMap<string, string>, keys: string): string {
  return [...keys].filter((key) => map.get(key) !== undefined).join('')
}

test('DOS-05: values up to the bound stay, and another one evicts the oldest', () => {
  const map = new BoundedMap<string, string>(3)
  for (const key of 'abc') expect(map.set(key, key, 1)).toBe(key)
  expect([map.size, map.weight, keysOf(map, 'abc')]).toEqual([3, 3, 'abc'])
  const full = new BoundedMap<string, string>(3)
  for (const key of 'abcd') full.set(key, key, 1)
  expect([full.size, full.weight, keysOf(full, 'abcd')]).toEqual([3, 3, 'bcd'])
})

test('DOS-05: a heavy value evicts as many others as necessary', () => {
  const map = new BoundedMap<string, string>(10)
  for (const key of 'abcde') map.set(key, key, 2)
  map.set('f', 'f', 7)
  expect([map.weight, keysOf(map, 'abcdef')]).toEqual([9, 'ef'])
})

test('a value that was used in the meantime gets one second chance', () => {
  const evicted: string[] = []
  const map = new BoundedMap<string, string>(3, { onEvict: (value) => evicted.push(value) })
  for (const key of 'abc') map.set(key, key, 1)
  map.get('a')
  for (const key of 'def') map.set(key, key, 1)
  expect(evicted.join('')).toBe('bca')
})

test('a slot counts as used if its holder marks it', () => {
  const map = new BoundedMap<string, string>(2)
  const slot = map.place('a', 'a', 1)
  map.set('b', 'b', 1)
  if (slot) slot.isUsed = true
  map.set('c', 'c', 1)
  expect(keysOf(map, 'abc')).toBe('ac')
})

test('if all were used, the oldest is evicted', () => {
  const map = new BoundedMap<string, string>(3)
  for (const key of 'abc') map.set(key, key, 1)
  keysOf(map, 'abc')
  map.set('d', 'd', 1)
  expect([map.size, keysOf(map, 'abcd')]).toEqual([3, 'bcd'])
})

test('DOS-05: a replaced or deleted value no longer counts', () => {
  const map = new BoundedMap<string, string>(10)
  for (const weight of [9, 3, 10]) map.set('a', `${weight}`, weight)
  expect([map.size, map.weight, map.get('a')]).toEqual([1, 10, '10'])
  expect([map.delete('a'), map.delete('a')]).toEqual([true, false])
  expect([map.size, map.weight]).toEqual([0, 0])
  map.set('b', 'b', 10)
  map.clear()
  expect([map.size, map.weight]).toEqual([0, 0])
  map.set('c', 'c', 10)
  expect(keysOf(map, 'abc')).toBe('c')
})

test('DOS-05: a value heavier than the bound is not kept, and removes the previous value of its key', () => {
  const map = new BoundedMap<string, string>(10)
  map.set('a', 'short', 1)
  map.set('b', 'b', 1)
  expect(map.set('a', 'long', 11)).toBe('long')
  expect(map.place('a', 'long', 11)).toBeUndefined()
  expect([map.weight, keysOf(map, 'ab')]).toEqual([1, 'b'])
  expect(new BoundedMap<string, string>(0).place('a', 'a', 1)).toBeUndefined()
})

test('keepsLast: a value heavier than the bound stays until the next one', () => {
  const map = new BoundedMap<string, string>(10, { keepsLast: true })
  map.set('a', 'a', 5)
  map.set('b', 'b', 11)
  expect([map.weight, keysOf(map, 'ab')]).toEqual([11, 'b'])
  map.set('c', 'c', 1)
  expect([map.weight, keysOf(map, 'abc')]).toEqual([1, 'c'])
})

test('onEvict is called with evicted values, but not with deleted or replaced ones', () => {
  const evicted: string[] = []
  const map = new BoundedMap<string, string>(2, { onEvict: (value) => evicted.push(value) })
  map.set('a', 'replaced', 1)
  map.set('a', 'a', 1)
  map.set('b', 'deleted', 1)
  map.delete('b')
  for (const key of 'cd') map.set(key, key, 1)
  expect(evicted).toEqual(['a'])
})

test('a large map evicts a fiftieth at once', () => {
  const [small, large] = [LARGE_SIZE - 1, LARGE_SIZE + 1].map((bound) => {
    const map = new BoundedMap<number, number>(bound)
    for (let i = 0; i < bound; i += 1) map.set(i, i, 1)
    const full = map.size
    map.set(bound, bound, 1)
    return [full, map.size]
  })
  expect(small).toEqual([1_999, 1_999])
  expect(large).toEqual([2_001, 1_960])
})
