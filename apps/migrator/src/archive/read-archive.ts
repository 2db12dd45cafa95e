/** Reads the tokens of a snapshot archive of the legacy service, in constant memory. */
import type { DumpRecord } from '@latchkey/acl'
import { ArchiveContents } from './contents.ts'
import { decodeFields, type Fields, fieldsOf, plainTextOf, RECORD, readState, textOf } from './state.ts'
import { unpackArchive } from './unpack.ts'

const GROUP_MAX = 256

/**
 * Yields the token records in groups, with their offsets in `state.bin`; they have no line. @returns the
 * other contents of the archive, after the checksums were verified. @throws ArchiveError if the file is
 * damaged, truncated, or not an archive.
 */
export async function* readArchive(
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly DumpRecord[], ArchiveContents> {
  const contents = new ArchiveContents()
  const state = unpackArchive(packed)
  /** Without `return`, so that a bad record does not end the archive before its checksums. */
  const chunks = { [Symbol.asyncIterator]: () => ({ next: () => state.next() }) }
  let group: DumpRecord[] = []
  let position = 0
  try {
    for await (const record of readState(chunks)) {
      const { type, byte } = record
      const isLegacy = type === RECORD.legacyToken
      if (isLegacy || type === RECORD.token) {
        contents[isLegacy ? 'legacyRecords' : 'newRecords'] += 1
        const fields = decodeFields(record)
        const value = isLegacy ? legacyTokenOf(fields, fields.ID, fields.Name) : newTokenOf(fields)
        group.push({ value, position: position++, byte, line: 0 })
        if (group.length === GROUP_MAX) {
          yield group
          group = []
        }
      } else contents.add(record)
    }
  } catch (error) {
    // If the checksum is wrong too, report the checksum: it explains the broken record.
    while ((await state.next()).done !== true);
    throw error
  } finally {
    // Closes the file if a bad record or the caller stopped the read early.
    await state.return()
  }
  yield group
  return contents
}

function legacyTokenOf(fields: Fields, id: unknown, name: unknown): object {
  return {
    ID: textOf(id),
    Name: textOf(name),
    // An empty type means the default of the legacy API.
    Type: textOf(fields.Type) || undefined,
    Rules: textOf(fields.Rules),
    ...indexesOf(fields),
  }
}

/** From 1.4.0 on, a token without an accessor has not been migrated yet. */
function newTokenOf(fields: Fields): object {
  const accessorId = textOf(fields.AccessorID)
  if (accessorId === '') return legacyTokenOf(fields, fields.SecretID, fields.Description)
  const list = (name: string): readonly unknown[] => {
    const value = fields[name]
    return Array.isArray(value) ? value : []
  }
  const links = (name: string) => list(name).map((link) => ({ ID: plainTextOf(fieldsOf(link)?.ID) }))
  const identities = (name: string) => list(name).map((each) => Object.keys(fieldsOf(each) ?? {}))
  return {
    AccessorID: accessorId,
    SecretID: textOf(fields.SecretID),
    Description: textOf(fields.Description),
    Type: textOf(fields.Type),
    Rules: textOf(fields.Rules),
    Policies: links('Policies'),
    Roles: links('Roles'),
    ServiceIdentities: identities('ServiceIdentities'),
    NodeIdentities: identities('NodeIdentities'),
    Local: fields.Local === true,
    ...indexesOf(fields),
  }
}

/** The codec writes the fields of an embedded struct into the outer record. */
function indexesOf({ CreateIndex, ModifyIndex }: Fields): object {
  return { CreateIndex: CreateIndex ?? 0, ModifyIndex: ModifyIndex ?? 0 }
}
