import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventQueue, PHASE } from './queue.ts'

const phases = Object.values(PHASE)

test('entries are ordered by time, phase and insertion', () => {
  const entry = fc.record({ at: fc.nat(20), phase: fc.constantFrom(...phases) })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 60 }), (entries) => {
      const queue = new EventQueue()
      const seen: number[] = []
      for (const [i, { at, phase }] of entries.entries()) queue.push(at, phase, () => seen.push(i))
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) next.run()
      const expected = entries
        .map((each, i) => ({ ...each, i }))
        .sort((a, b) => a.at - b.at || a.phase - b.phase || a.i - b.i)
        .map(({ i }) => i)
      expect(seen).toEqual(expected)
    }),
  )
})

test('passive entries do not count as something that can change anything', () => {
  const queue = new EventQueue()
  queue.push(1, PHASE.look, () => undefined, { passive: true })
  expect(queue.activeCount).toBe(0)
  queue.push(2, PHASE.work, () => undefined)
  expect(queue.activeCount).toBe(1)
  queue.pop()
  queue.pop()
  expect(queue.activeCount).toBe(0)
})
