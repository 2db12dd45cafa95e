import { randomUuid } from '@latchkey/acl'
import { SeededRandom } from '@latchkey/testkit/random'
import { anId } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { AccessorSet } from './accessor-set.ts'

test('contains what was added and not deleted since, like a set of strings', () => {
  const random = new SeededRandom(7)
  const ids = [
    ...Array.from({ length: 5_000 }, () => randomUuid(random)),
    ...Array.from({ length: 5_000 }, (_, i) => anId(i)),
    '00000000-0000-0000-0000-000000000000',
    'no-uuid',
    '',
  ]
  const set = new AccessorSet()
  const expected = new Set<string>()
  for (const [i, id] of ids.entries()) {
    if (i % 3 === 0) continue
    set.add(id)
    expected.add(id)
  }
  for (const [i, id] of ids.entries()) {
    if (i % 5 !== 0) continue
    set.delete(id)
    expected.delete(id)
  }
  for (const id of ids.slice(0, 10)) {
    set.add(id)
    expected.add(id)
  }
  expect(ids.filter((id) => set.has(id) !== expected.has(id))).toEqual([])
})
