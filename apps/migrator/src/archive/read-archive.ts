/** Reads the tokens of a snapshot archive of the legacy service, in constant memory. */
import type { DumpRecord } from '@latchkey/acl'
import { ArchiveContents } from './contents.ts'
import { RECORD, RecordFramer } from './framer.ts'
import { tokenOf } from './tokens.ts'
import { unpackArchive } from './unpack.ts'

/**
 * Yields the token records in groups, as they arrive, with their offsets in `state.bin`; they have no line.
 *
 * @returns the other contents of the archive, after the checksums were verified.
 * @throws ArchiveError if the file is damaged, truncated, or not an archive.
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
        // If the checksum is wrong too, report the checksum: it explains the broken record.
        while ((await state.next()).done !== true);
        throw error
      }
      yield tokens
    }
  } finally {
    // Closes the file if a bad record or the caller stopped the read early.
    await state.return()
  }
}
