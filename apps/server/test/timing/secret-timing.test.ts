/** TIM-01 at a small scale. The long version, over HTTP: `pnpm proofs --scale full --only secret-timing`. */

import { SeededRandom, seedOfRun } from '@latchkey/testkit/random'
import { afterAll, describe, expect, test } from 'vitest'
import { type Node, type NodeOptions, openNode } from '../cluster/harness/node.ts'
import { withOverrides } from '../cluster/history/seeded-bugs.ts'
import { createTestDatabase } from '../database.ts'
import { makeAlikeSecrets, measureSecretTiming } from './secret-timing.ts'

const TOKENS = 1_000
const ROUNDS = 1_000
const SEEDED_ROUNDS = 500
const { url } = await createTestDatabase()
const seed = seedOfRun()
const random = new SeededRandom(seed)
const nodes: Node[] = []
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
})

async function aNode(wrap?: NodeOptions['wrap']): Promise<Node['ask']> {
  const node = await openNode({ url, ...(wrap ? { wrap } : {}) })
  nodes.push(node)
  return node.ask
}

describe(`seed ${seed}`, () => {
  test('TIM-01: the time of a refusal does not reveal how much of a secret was correct', async () => {
    const ask = await aNode()
    const secrets = await makeAlikeSecrets(ask, TOKENS)
    // Differences by chance or from other load do not recur; a leak does.
    let recurring: readonly string[] | undefined
    for (let i = 0; i < 4 && recurring?.length !== 0; i += 1) {
      const figures = await measureSecretTiming({ ask, random, rounds: ROUNDS, secrets })
      recurring = (recurring ?? figures.telling).filter((kind) => figures.telling.includes(kind))
    }
    expect(recurring).toEqual([])
  }, 900_000)

  test('TIM-01: a comparison that stops at the first difference is detected', async () => {
    const secrets = await makeAlikeSecrets(await aNode(), TOKENS)
    const ask = await aNode((store) =>
      withOverrides(store, {
        tokenBySecret: async (secretId) =>
          Array.from({ length: COMPARISONS }, () =>
            secrets.some((known) => hasSameCharacters(known, secretId)),
          ).includes(true)
            ? store.tokenBySecret(secretId)
            : undefined,
      }),
    )
    const leaks = ['shares 8 characters', 'shares 24 characters', 'shares 30 characters']
    const runs: (readonly string[])[] = []
    // Other load may hide it from one measurement, but not from several.
    while (runs.length < 6 && !leaks.every((kind) => runs.some((telling) => telling.includes(kind)))) {
      const figures = await measureSecretTiming({ ask, random, rounds: SEEDED_ROUNDS, secrets })
      runs.push(figures.telling)
    }
    expect([...new Set(runs.flat())]).toEqual(expect.arrayContaining(leaks))
    expect(runs.every((telling) => telling.includes('random again'))).toBe(false)
  }, 900_000)
})

/** How often each known secret is compared, to make the effect visible above the noise of any machine. */
const COMPARISONS = 10

/** The seeded fault: each known secret is compared with the presented one. */
function hasSameCharacters(left: string, right: string): boolean {
  for (let i = 0; i < left.length; i += 1) {
    if (left.charCodeAt(i) !== right.charCodeAt(i)) return false
  }
  return left.length === right.length
}
