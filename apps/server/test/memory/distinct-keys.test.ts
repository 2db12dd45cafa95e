/**
 * DOS-05: the memory that caches really retain under distinct keys. Each attack runs in a separate process, whose limited
 * heap ends it if the cache retains more than it counts.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ATTACKS, type AttackName, CACHE_BYTES, type Held } from './attacks.ts'

const HEAP_MIB = 64
const SCRIPT = join(import.meta.dirname, 'attacks.ts')
const run = promisify(execFile)

async function holdAfter(attack: AttackName): Promise<Held> {
  const flags = ['--expose-gc', `--max-old-space-size=${HEAP_MIB}`]
  const { stdout } = await run(process.execPath, [...flags, SCRIPT, attack])
  return JSON.parse(stdout)
}

describe(`DOS-05: in a heap of ${HEAP_MIB} MiB`, () => {
  test.each(Object.keys(ATTACKS) as AttackName[])(
    '%s take no more memory than their bound and than they report',
    async (attack) => {
      const { heldBytes, accountedBytes = CACHE_BYTES } = await holdAfter(attack)
      // Other activity on the heap distorts the measurement of a small cache.
      expect(heldBytes).toBeLessThan(accountedBytes * 1.25 + 262_144)
      expect(heldBytes).toBeLessThan(CACHE_BYTES * 1.25)
    },
  )
})
