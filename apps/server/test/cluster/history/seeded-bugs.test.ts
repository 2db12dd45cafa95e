/** COH-01: the checkers find seeded bugs. */

import { SeededRandom, seedOfRun } from '@latchkey/testkit/random'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../database.ts'
import { type Node, openNode } from '../harness/node.ts'
import { MANAGEMENT } from '../harness/server-group.ts'
import { checkHistory } from './check-history.ts'
import { describeViolation, type Violation } from './history.ts'
import { liveHistory } from './random-history.ts'
import { SEEDED_BUGS, type SeededBug } from './seeded-bugs.ts'

const NODES = 3
/** Maximum histories to find a bug. */
const HISTORIES_MAX = 40
/** Histories of correct stores; the proof `linearizability` runs ten thousand on processes. */
const RIGHT_HISTORIES = 6

const { url } = await createTestDatabase()
const seed = seedOfRun()

interface Found {
  readonly violation: Violation
  readonly seed: number
}

async function look(wrap: SeededBug['wrap'], histories: number): Promise<Found | undefined> {
  const random = new SeededRandom(seed)
  const nodes: Node[] = []
  try {
    for (let node = 0; node < NODES; node += 1) {
      nodes.push(await openNode({ url, wrap: (store) => wrap(store, node) }))
    }
    for (let n = 0; n < histories; n += 1) {
      const gateways = nodes.map(({ gateway }) => gateway)
      const history = await liveHistory({ gateways, token: MANAGEMENT, seed: random.below(2 ** 32) })
      const violation = checkHistory(history)
      if (violation) return { violation, seed: history.seed }
    }
    return undefined
  } finally {
    await Promise.all(nodes.map((node) => node.close()))
  }
}

describe(`seed ${seed}`, () => {
  test('COH-01: three nodes with correct stores violate nothing', async () => {
    const found = await look((store) => store, RIGHT_HISTORIES)
    expect(found && describeViolation(found.violation, found.seed)).toBeUndefined()
  })

  test.for(SEEDED_BUGS)('COH-01: found: $name', async ({ wrap }) => {
    expect(await look(wrap, HISTORIES_MAX)).toBeDefined()
  })
})
