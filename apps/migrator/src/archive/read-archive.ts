/** Reads the tokens of a snapshot archive of the legacy service, in constant memory. */
import type { DumpRecord } from '@latchkey/acl'
import { ArchiveContents } from './contents.ts'
import { RecordFramer } from './framer.ts'
import { RECORD } from './record-types.ts'
import { tokenOf } from './tokens.ts'
import { unpackArchive } from './unpack.ts'

/**
 * Yields the token records in groups, as they arrive; each has the offset of its record in `state.bin`, and no line.
 *
 * @returns what else the archive holds, once its checksums were verified.
 * @throws ArchiveError if it is damaged, cut off, or no archive.
 */
export async function* readArchive(
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly DumpRecord[], ArchiveContents> {
  const contents = new ArchiveContents()
  const framer = new RecordFramer()
  const state = unpackArchive(packed)
  let position = 0
  try {
    for (;;) {
      const next = await state.next()
      if (next.done === true) {
        contents.meta = next.value
        framer.end()
        return contents
      }
      const tokens: DumpRecord[] = []
      try {
        for (const record of framer.push(next.value)) {
          const value = tokenOf(record)
          if (value === undefined) contents.add(record)
          else {
            if (record.type === RECORD.legacyToken) contents.legacyRecords += 1
            else contents.newRecords += 1
            tokens.push({ value, position: position++, byte: record.byte, line: 0 })
          }
        }
      } catch (error) {
        // A wrong checksum explains a broken record, and says more.
        while ((await state.next()).done !== true);
        throw error
      }
      yield tokens
    }
  } finally {
    // Closes the file if a record or the caller ended the reading.
    await state.return({ index: undefined, servers: undefined })
  }
}
