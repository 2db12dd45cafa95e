/** `backup` and `restore`: an archive of the whole store. */
import { constants, existsSync, openAsBlob } from 'node:fs'
import { access, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { CliError, systemProblem } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'

/** Timeouts that suffice for the largest archive: a restore is one body, and a backup starts after the server's snapshot. */
const ARCHIVE_MS_MAX = 600_000
const MEGABYTE = 1_000_000
const UNAUTHENTICATED =
  'WARNING: --unauthenticated. If the archive has no HMAC, anyone who could write the file may have changed it, and given themselves any right.'
const LIMITS = { timeout: ARCHIVE_MS_MAX, attemptTimeout: ARCHIVE_MS_MAX } as const

export const backup: Action = async (session, input) => {
  const file = input.arg(0)
  if (existsSync(file)) await session.confirm(`${file} already exists. Replace it?`)
  session.progress.show('reading the store …')
  const archive = await (await session.client()).snapshots.stream({ ...LIMITS, signal: session.io.signal })
  const bytes = await writeWhole(file, archive, (done) =>
    session.progress.show(`${(done / MEGABYTE).toFixed(1)} MB …`),
  )
  session.progress.clear()
  await session.note(`Wrote ${file}: ${bytes} bytes. To verify it: latchkey-server inspect ${file}`)
}

/** Writes a file atomically, readable only by its owner, and returns its length. The content may be larger than memory. */
async function writeWhole(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
): Promise<number> {
  const draft = `${file}.${process.pid}`
  let bytes = 0
  try {
    const counted = async function* () {
      for await (const piece of pieces) {
        bytes += piece.byteLength
        onProgress(bytes)
        yield piece
      }
    }
    // `flush` waits until the content is on disk.
    await writeFile(draft, counted(), { flag: 'wx', mode: 0o600, flush: true })
    await rename(draft, file)
    return bytes
  } catch (error) {
    await rm(draft, { force: true })
    // Errors of the file system name the failed call; errors of the service do not.
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new CliError(`cannot write ${file}: ${systemProblem(error)}`, { cause: error })
  }
}

export const restore: Action = async (session, input) => {
  const file = input.arg(0)
  const archive = await openArchive(file)
  const { address } = await session.connection()
  const unauthenticated = input.flag('unauthenticated')
  if (unauthenticated) await session.note(UNAUTHENTICATED)
  await session.confirm(
    `Replace every record of ${address} with those in ${file}? Tokens that are not in the archive stop working at once.`,
  )
  session.progress.show('restoring …')
  const { Index, Records } = await (await session.client()).snapshots.restore(archive, {
    ...LIMITS,
    unauthenticated,
  })
  session.progress.clear()
  if (!session.out.isTable) return session.out.data({ Index, Records })
  const counts = Object.entries(Records).map(([table, count]) => `${count} ${table}`)
  await session.note(`Restored at index ${Index}: ${counts.join(', ')}.`)
}

/** @returns a view of the file, which is read while it is sent and may exceed memory. A pipe is read into memory. */
async function openArchive(file: string): Promise<Blob> {
  try {
    if (!(await stat(file)).isFile()) return new Blob([await readFile(file)])
    // The error of a blob does not say why its file cannot be read.
    await access(file, constants.R_OK)
    return await openAsBlob(file)
  } catch (error) {
    throw new CliError(`cannot read ${file}: ${systemProblem(error)}`, { cause: error })
  }
}
