/** `latchkey-server inspect FILE`: verifies an archive without a server and without keys. */
import { createReadStream } from 'node:fs'
import { AclError } from '@latchkey/contract'
import type { ArchiveEnd } from '../../archive/format.ts'
import { type VerifiedArchive, verifyArchive } from '../../archive/read.ts'
import { StartError } from '../../start-error.ts'
import { print } from '../print.ts'

/** @returns the exit code: 0. @throws StartError if the file cannot be read, or is damaged. */
export async function inspectArchive(file: string): Promise<number> {
  const { header, end } = await verifyFile(file)
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

/** Reads a whole archive. @throws StartError if the file cannot be read, or is damaged. */
export async function verifyFile(file: string): Promise<VerifiedArchive> {
  try {
    return await verifyArchive(createReadStream(file))
  } catch (cause) {
    if (cause instanceof AclError) throw new StartError(`${file}: ${cause.message}`, { cause })
    const problem = cause instanceof Error ? cause.message : cause
    throw new StartError(`${file} cannot be read: ${problem}`, { cause })
  }
}

export function summaryOf({ records }: Pick<ArchiveEnd, 'records'>): string {
  const counts = Object.entries(records)
  const sum = counts.reduce((total, [, count]) => total + count, 0)
  return `${sum} records (${counts.map(([table, count]) => `${count} ${table}`).join(', ')})`
}
