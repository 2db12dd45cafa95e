/** COH-07: a node answers every request with the same bytes with and without caches, whatever changes in between. */

import type { SeededRandom } from '@latchkey/testkit/random'
import type { Request } from '../harness/gateway.ts'
import type { Node, NodeReply } from '../harness/node.ts'
import { randomTraffic } from './traffic.ts'

interface CacheEqualityResult {
  readonly requests: number
  readonly writes: number
  /** Answers by status: a proof that saw only refusals would prove little. */
  readonly statuses: Readonly<Record<string, number>>
  /** Requests that were answered differently, with both answers. */
  readonly differences: readonly string[]
}

/** Concurrent reads between two writes. */
const READS_MAX = 40
const DIFFERENCES_MAX = 5

/**
 * @param options.isShared both nodes share one database, and each write goes to one of them; otherwise each has its own
 *   database and gets all writes.
 */
export async function proveCacheEquality(options: {
  readonly cached: Node
  readonly uncached: Node
  readonly isShared: boolean
  readonly random: SeededRandom
  readonly requests: number
}): Promise<CacheEqualityResult> {
  const { cached, uncached, isShared, random } = options
  const traffic = randomTraffic(random)
  const statuses: Record<string, number> = {}
  const differences: string[] = []
  let [requests, writes] = [0, 0]

  const askBoth = async (request: Request): Promise<NodeReply> => {
    const [one, other] = await Promise.all([cached.ask(request), uncached.ask(request)])
    requests += 1
    statuses[one.status] = (statuses[one.status] ?? 0) + 1
    const [a, b] = [JSON.stringify(one), JSON.stringify(other)]
    if (a !== b) differences.push(`${JSON.stringify(request)}\n  cached   ${a}\n  uncached ${b}`)
    return one
  }
  while (requests < options.requests && differences.length < DIFFERENCES_MAX) {
    const write = traffic.write()
    const reply = isShared ? await random.pick([cached, uncached]).ask(write) : await askBoth(write)
    if (reply.status === 200) traffic.learn(write, reply.text)
    writes += 1
    await Promise.all(Array.from({ length: 1 + random.below(READS_MAX) }, () => askBoth(traffic.read())))
  }
  return { requests, writes, statuses, differences }
}
