/** Random ids: from the platform's cryptographic source, or from a seed for repeatable runs. */
import { type Random, SeededRandom } from '@latchkey/acl'

export function createRandom(seed: number | undefined): Random {
  if (seed === undefined) return { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) }
  return new SeededRandom(seed)
}
