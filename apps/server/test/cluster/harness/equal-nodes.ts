/** Two nodes whose answers can be compared byte by byte: both get the same ids and the same time. */

import { SeededRandom } from '@latchkey/testkit/random'
import { type Node, type NodeOptions, openNode } from './node.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

/**
 * @param urls databases of the node with caches and of the node without.
 * @param wrap replaces the store of the node with caches.
 */
export async function openEqualNodes(
  urls: readonly [string, string],
  seed: number,
  wrap?: NodeOptions['wrap'],
): Promise<{ readonly cached: Node; readonly uncached: Node }> {
  const clock = { now: () => NOW }
  const cached = await openNode({
    url: urls[0],
    random: new SeededRandom(seed),
    clock,
    ...(wrap ? { wrap } : {}),
  })
  const uncached = await openNode({ url: urls[1], random: new SeededRandom(seed), clock, isCaching: false })
  return { cached, uncached }
}
