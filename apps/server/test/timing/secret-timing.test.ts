/** TIM-01 at a small scale. The long version, over HTTP: `pnpm proofs --scale full --only secret-timing`. */

import { SeededRandom, seedOfRun } from '@latchkey/testkit/random'
import { afterAll, describe, expect, test } from 'vitest'
import { type Node, type NodeOptions, openNode } from '../cluster/node.ts'
import { withOverrides } from '../cluster/seeded-bugs.ts'
import { createTestDatabase } from '../database.ts'
import { makeAlikeSecrets, measureSecretTiming } from './secret-timing.ts'

const TOKENS = 1_000
const ROUNDS = 1_000
const { url, drop } = await createTestDatabase()
const seed = seedOfRun()
const random = new SeededRandom(seed)
const nodes: Node[] = []
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  await drop()
})

async function aNode(wrap?: NodeOptions['wrap']): Promise<Node['ask']> {
  const node = await openNode({ url, ...(wrap ? { wrap } : {}) })
  nodes.push(node)
  return node.ask
}

describe(`seed ${seed}`, () => {
  test('TIM-01: the time of a refusal does not tell how much of a secret was right', async () => {
    const ask = await aNode()
    const secrets = await makeAlikeSecrets(ask, TOKENS)
    const figures = await measureSecretTiming({ ask, random, rounds: ROUNDS, secrets })
    console.log(`TIM-01: ${JSON.stringify(figures.kinds)}`)
    expect(figures.telling).toEqual([])
  })

  test('TIM-01: a comparison that ends at the first difference is found', async () => {
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
    const figures = await measureSecretTiming({ ask, random, rounds: ROUNDS, secrets })
    console.log(`TIM-01, seeded: ${JSON.stringify(figures.kinds)}`)
    expect(figures.telling).toEqual(
      expect.arrayContaining(['shares 8 characters', 'shares 24 characters', 'shares 30 characters']),
    )
    expect(figures.telling).not.toContain('random again')
  })
})

/** How often each known secret is compared, as if there were so many more: seen behind the noise of any machine. */
const COMPARISONS = 10

/** The mistake: each secret that is known is compared with the presented one. */
function hasSameCharacters(left: string, right: string): boolean {
  for (let i = 0; i < left.length; i += 1) {
    if (left.charCodeAt(i) !== right.charCodeAt(i)) return false
  }
  return left.length === right.length
}
