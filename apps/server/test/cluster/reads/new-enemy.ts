/**
 * COH-10, the "new enemy": a right is revoked, and only then is content created that it must never show. Readers that still
 * present the revoked right read continuously, so that some reads are in flight during both.
 *
 * In `stale` mode some of them see the content, as that mode allows, which shows that the test can detect it.
 */
import type { Policy, Token } from '@latchkey/contract'
import type { SeededRandom } from '@latchkey/testkit/random'
import { type Gateway, jsonOf } from '../harness/gateway.ts'
import { MANAGEMENT } from '../harness/server-group.ts'

type ReadMode = 'default' | 'consistent' | 'stale'

interface NewEnemyResult {
  /** Revoked rights, each followed by new content. */
  readonly rounds: number
  /** Reads in flight during a revocation. */
  readonly reads: number
  /** How many of them showed the content. */
  readonly sightings: number
}

const READERS = 6
/** How long readers continue after the content was created, in milliseconds. */
const AFTER_MS = 15

export async function proveNewEnemy(options: {
  readonly gateways: readonly Gateway[]
  readonly random: SeededRandom
  readonly mode: ReadMode
  readonly rounds: number
}): Promise<NewEnemyResult> {
  const { gateways, random, mode, rounds } = options
  const manage = async (method: 'PUT' | 'DELETE', path: string, body?: unknown) => {
    const reply = await random.pick(gateways).ask({ method, path, token: MANAGEMENT, body })
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
        const reply = await random.pick(gateways).ask({ method: 'GET', path: asked, token: SecretID })
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
