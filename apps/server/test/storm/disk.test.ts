/** DUR-07 at a small scale. The long version: `pnpm proofs --scale full --only disk`. */

import { chooseSeed } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { killStorm } from './kill-storm.ts'
import { mountSmallDisk, whyNoSmallDisk } from './small-disk.ts'

const reason = whyNoSmallDisk()
if (reason !== undefined) console.warn(`DUR-07 is skipped: ${reason}`)

test.skipIf(reason !== undefined)(
  'DUR-07: with a full or frozen disk the server refuses writes with 503, answers stale reads, and loses nothing',
  async () => {
    const seed = chooseSeed('DUR-07')
    const disk = mountSmallDisk()
    try {
      const result = await killStorm({
        kills: 4,
        writers: 8,
        seed,
        calmMsMax: 300,
        victims: ['both', 'full-disk', 'both', 'frozen-disk'],
        disk,
      })
      expect(result).toMatchObject({ wrong: [], falls: 0 })
      expect(result.kills).toEqual({ both: 2, 'full-disk': 1, 'frozen-disk': 1 })
      expect(Object.keys(result.refusedWrites)).toEqual(['503'])
      expect(Object.keys(result.staleReads)).toEqual(['200'])
    } finally {
      disk.unmount()
    }
  },
)
