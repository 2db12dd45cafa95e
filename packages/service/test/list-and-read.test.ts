/** DIF-03: a list shows exactly what the caller may read one by one. */

import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { aWorld } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'

const CALLERS = 200
const PARTS = ['a', 'ab', 'b', 'a b', 'é', '*', 'A']
const ACCESS = ['deny', 'read', 'list', 'write'] as const

test(`DIF-03: for ${CALLERS} callers, lists of keys contain exactly the keys that each may read or list`, {
  timeout: 120_000,
}, async () => {
  const random = new SeededRandom(chooseSeed('DIF-03'))
  const world = await aWorld()
  const keys = [...new Set(Array.from({ length: 40 }, () => randomKey(random)))]
  for (const key of keys) await world.manage('PUT', `/kv/${encodePath(key)}`, { key })
  let shown = 0
  for (let caller = 0; caller < CALLERS; caller += 1) {
    const drawn = Array.from({ length: 1 + random.below(6) }, () => randomRule(random, keys))
    // Drops duplicate rules, which a policy must not have.
    const rules = [...new Map(drawn.map((rule) => [rule.slice(0, rule.indexOf('{')), rule])).values()]
    const token = await world.secretWith(rules.join('\n'))
    const readable: string[] = []
    for (const key of keys) {
      const { status } = await world.ask('GET', `/kv/${encodePath(key)}`, { token })
      if (status === 200) readable.push(key)
    }
    const tree = await world.ask('GET', '/kv/?recurse', { token })
    const entries = tree.status === 200 ? (tree.json as { Key: string }[]) : []
    expect(entries.map(({ Key }) => Key).sort(), rules.join('\n')).toEqual(readable.sort())
    const listed = await world.ask('GET', '/kv/?keys', { token })
    const names = listed.status === 200 ? (listed.json as string[]) : []
    expect(names.sort(), rules.join('\n')).toEqual(readable)
    shown += readable.length
  }
  // The callers must be able to read some but not all keys.
  expect(shown).toBeGreaterThan(CALLERS * keys.length * 0.1)
  expect(shown).toBeLessThan(CALLERS * keys.length * 0.9)
})

function randomKey(random: SeededRandom): string {
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(PARTS)).join('/')
}

/** A rule for an exact key or a prefix, which may end inside a path segment. */
function randomRule(random: SeededRandom, keys: readonly string[]): string {
  const key = random.pick(keys)
  const isExact = random.chance(0.3)
  const segment = isExact ? key : key.slice(0, random.below(key.length + 1))
  return `${isExact ? 'key' : 'key_prefix'} ${JSON.stringify(segment)} { policy = "${random.pick(ACCESS)}" }`
}

function encodePath(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/')
}
