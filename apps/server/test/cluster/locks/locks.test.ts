import { expect, test } from 'vitest'
import { createTestDatabase } from '../../database.ts'
import { openNode } from '../harness/node.ts'
import { checkLocks, type Hold } from './check-locks.ts'
import { tortureLocks } from './lock-torture.ts'

const hold = (fields: Partial<Hold>): Hold => ({
  ...{ key: 'k', session: 's', index: 1, heldAt: 0, freedAt: 1, isKept: true },
  ...fields,
})

test.each([
  [[hold({}), hold({ session: 't', index: 2, heldAt: 1, freedAt: 2 })], 0],
  [[hold({}), hold({ key: 'l', heldAt: 0.5 })], 0],
  [[hold({ freedAt: 2 }), hold({ session: 't', index: 2, heldAt: 1 })], 1],
  [[hold({}), hold({ session: 't', index: 1, heldAt: 2 })], 1],
  [[hold({ isKept: false })], 1],
])(
  'the lock checker finds two holders at once, an index that does not grow, and a lost lock: %#',
  (holds, problems) => {
    expect(checkLocks(holds)).toHaveLength(problems)
  },
)

test('COH-11: two servers never let two sessions hold a key at once, nor a session lose it', async () => {
  const { url } = await createTestDatabase()
  const nodes = [await openNode({ url }), await openNode({ url })]
  try {
    const gateways = nodes.map(({ gateway }) => gateway)
    const { holds, problems } = await tortureLocks({ gateways, seed: 7, clients: 6, forMs: 1_000 })
    expect(problems).toEqual([])
    expect(holds).toBeGreaterThan(0)
  } finally {
    await Promise.all(nodes.map((node) => node.close()))
  }
})
