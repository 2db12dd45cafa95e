/** `latchkey-server inspect FILE`: verifies an archive without a server and without keys. */
import { createReadStream } from 'node:fs'
import { AclError } from '@latchkey/contract'
import type { ArchiveEnd, ArchiveHeader } from '../../archive/format.ts'
import { readArchive } from '../../archive/read.ts'
import { StartError } from '../../start-error.ts'
import { print } from '../print.ts'
import { summaryOf } from './summary.ts'

/** The description of an archive whose checksums are all correct. */
export interface Inspected {
  readonly header: ArchiveHeader
  readonly end: ArchiveEnd
}

/** @returns the exit code: 0. @throws StartError if the file cannot be read, or is damaged. */
export async function inspectArchive(file: string): Promise<number> {
  const { header, end } = await verifyArchive(file)
  const keys = header.keys.map(({ id }) => id).join(', ')
  print(
    `${file} is whole.\n` +
      `  made          ${header.createdAt} by Latchkey ${header.product}\n` +
      `  datacenter    ${header.datacenter}\n` +
      `  version       ${header.serviceVersion}\n` +
      `  schema        ${header.migrations.at(-1)}\n` +
      `  index         ${header.index}\n` +
      `  needs keys    ${keys}\n` +
      `  HMAC          ${signatureOf(end)}\n` +
      `  has           ${summaryOf(end)}\n`,
  )
  return 0
}

/** The server that restores it checks the HMAC, because that takes the key. */
function signatureOf({ signature }: ArchiveEnd): string {
  return signature === undefined
    ? 'none: anyone may have changed it, and a restore needs --unauthenticated'
    : `by the key ${signature.keyId}; the restore checks it`
}

/** Reads the whole archive. @throws StartError if the file cannot be read, or is damaged. */
export async function verifyArchive(file: string): Promise<Inspected> {
  let header: ArchiveHeader | undefined
  let end: ArchiveEnd | undefined
  try {
    for await (const item of readArchive(createReadStream(file))) {
      if (item.kind === 'header') header = item.header
      if (item.kind === 'end') end = item.end
    }
  } catch (cause) {
    if (cause instanceof AclError) throw new StartError(`${file}: ${cause.message}`, { cause })
    throw new StartError(`${file} cannot be read: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
  }
  if (header === undefined || end === undefined) throw new StartError(`${file} has no end.`)
  return { header, end }
}
