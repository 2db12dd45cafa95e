/**
 * COH-10, the "new enemy": a right is taken away, and only then content is made that it must never show. Readers who
 * still present it ask all the time, so that some of them are on their way while both happens.
 *
 * In `stale` mode they see the content now and then, which is what that mode allows; and it shows that this test would
 * see it in the other modes.
 */
import type { Policy, Token } from '@latchkey/contract'
import type { SeededRandom } from '@latchkey/testkit/random'
import { type Door, jsonOf } from './door.ts'
import { MANAGEMENT } from './server-group.ts'

export type ReadMode = 'default' | 'consistent' | 'stale'

export interface NewEnemyResult {
  /** Rights that were taken away, and contents made after. */
  readonly rounds: number
  /** Reads that were under way at the time. */
  readonly reads: number
  /** How many of them showed the content. */
  readonly sightings: number
}

const READERS = 6
/** How long readers go on after the content was made, in milliseconds. */
const AFTER_MS = 15

export async function proveNewEnemy(options: {
  readonly doors: readonly Door[]
  readonly random: SeededRandom
  readonly mode: ReadMode
  readonly rounds: number
}): Promise<NewEnemyResult> {
  const { doors, random, mode, rounds } = options
  const manage = async (method: 'PUT' | 'DELETE', path: string, body?: unknown) => {
    const reply = await random.pick(doors).ask({ method, path, token: MANAGEMENT, body })
    if (reply.status !== 200) throw new Error(`${method} ${path} answered ${reply.status}: ${reply.text}`)
    return reply
  }
  const name = `enemy-${mode}-${random.below(2 ** 32)}`
  const rules = (Rules: string) => ({ Name: name, Rules })
  const GRANT = rules('key_prefix "enemy/" { policy = "read" } acl = "read"')
  const policy = jsonOf<Policy>(await manage('PUT', '/acl/policy', GRANT))
  const path = `/acl/policy/${policy.ID}`
  const { SecretID } = jsonOf<Token>(await manage('PUT', '/acl/token', { Policies: [{ ID: policy.ID }] }))
  let [reads, sightings] = [0, 0]

  for (let round = 0; round < rounds; round += 1) {
    await manage('PUT', path, { ID: policy.ID, ...GRANT })
    const content = `${name}-${round}`
    let isOver = false
    const read = async (reader: number) => {
      while (!isOver) {
        const asked = reader % 2 === 0 ? `/kv/enemy/${content}?${mode}` : `/acl/tokens?${mode}`
        const reply = await random.pick(doors).ask({ method: 'GET', path: asked, token: SecretID })
        reads += 1
        if (reply.status === 200 && (reader % 2 === 0 || reply.text.includes(content))) sightings += 1
      }
    }
    const readers = Array.from({ length: READERS }, (_, reader) => read(reader))
    await manage('PUT', path, { ID: policy.ID, ...rules('') })
    const made = await Promise.all([
      manage('PUT', `/kv/enemy/${content}`, content),
      manage('PUT', '/acl/token', { Description: content }),
    ])
    await new Promise((resolve) => setTimeout(resolve, AFTER_MS))
    isOver = true
    await Promise.all(readers)
    await manage('DELETE', `/acl/token/${jsonOf<Token>(made[1]).AccessorID}`)
  }
  return { rounds, reads, sightings }
}
