import { randomFillSync } from 'node:crypto'
import type { Random } from '@latchkey/acl'

const POOL_BYTES = 4_096

/** The platform's cryptographic source, read in large portions: a separate call per id would double its cost. */
export function createRandom(): Random {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  return {
    bytes(count) {
      if (count > POOL_BYTES) return randomFillSync(new Uint8Array(count))
      if (used + count > POOL_BYTES) {
        randomFillSync(pool)
        used = 0
      }
      const drawn = pool.slice(used, used + count)
      // Issued bytes may be a secret, so none stay in the pool.
      pool.fill(0, used, used + count)
      used += count
      return drawn
    },
  }
}
