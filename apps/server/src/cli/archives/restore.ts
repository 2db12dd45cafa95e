/** `latchkey-server restore FILE`: replaces the store of a running server with an archive. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Readable } from 'node:stream'
import * as z from 'zod'
import type { VerifiedArchive } from '../../archive/read.ts'
import { StartError } from '../../start-error.ts'
import { complain, print } from '../print.ts'
import { type Environment, request } from '../server-address.ts'
import { summaryOf, verifyFile } from './inspect.ts'

const restoredSchema = z.object({ Index: z.number(), Records: z.record(z.string(), z.number()) })

const EXIT_FAILED = 1

const UNAUTHENTICATED =
  'WARNING: the archive has no HMAC. Anyone who could write the file may have changed it, and given themselves any right.\n'

/** Verifies the file, asks for confirmation, and sends it. @returns the exit code: 1 not confirmed. */
export async function restoreArchive(
  file: string,
  env: Environment,
  { isForced, isUnauthenticated }: { readonly isForced: boolean; readonly isUnauthenticated: boolean },
): Promise<number> {
  const inspected = await verifyFile(file)
  if (isUnauthenticated && inspected.end.signature === undefined) process.stderr.write(UNAUTHENTICATED)
  if (!isForced && !(await isConfirmed(inspected))) {
    complain('Nothing was restored.\n')
    return EXIT_FAILED
  }
  const query = isUnauthenticated ? '?unauthenticated' : ''
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const response = await request('snapshots.restore', env, { query, body })
  const { Index, Records } = restoredSchema.parse(await response.json())
  print(`Restored at index ${Index}: ${summaryOf({ records: Records })}.\n`)
  return 0
}

async function isConfirmed({ header, end }: VerifiedArchive): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new StartError('A restore replaces every record of the server: confirm it with --force.')
  }
  print(
    `The archive of ${header.createdAt} has ${summaryOf(end)}.\nThey replace every record of the server, and its present tokens stop working.\n`,
  )
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return (
      (await lines.question(`Type the name of the datacenter, ${header.datacenter}, to continue: `)) ===
      header.datacenter
    )
  } finally {
    lines.close()
  }
}
