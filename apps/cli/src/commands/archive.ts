/** `backup` and `restore`: an archive of the whole store. */
import { constants, existsSync, openAsBlob } from 'node:fs'
import { access, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { CliError, systemProblem } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'

/** A restore is one body, and an archive begins once the server has its snapshot: both limits of a call allow for the largest. */
const ARCHIVE_MS_MAX = 600_000
const MEGABYTE = 1_000_000
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

/**
 * The file appears once all of it is on disk, and then replaces an older one. Only its owner may read it.
 *
 * @param pieces may be larger together than memory.
 * @returns its length.
 */
async function writeWhole(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
): Promise<number> {
  const draft = `${file}.${process.pid}`
  let bytes = 0
  try {
    const output = await open(draft, 'wx', 0o600)
    try {
      for await (const piece of pieces) {
        await output.writeFile(piece)
        bytes += piece.byteLength
        onProgress(bytes)
      }
      await output.sync()
    } finally {
      await output.close()
    }
    await rename(draft, file)
    return bytes
  } catch (error) {
    await rm(draft, { force: true })
    if (!isSystemError(error)) throw error
    throw new CliError(`cannot write ${file}: ${systemProblem(error)}`, { cause: error })
  }
}

/** Errors of the file system name the call that failed; those of the service do not. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

export const restore: Action = async (session, input) => {
  const file = input.arg(0)
  const archive = await openArchive(file)
  const { address } = await session.connection()
  await session.confirm(
    `Replace every record of ${address} with those in ${file}? Tokens that are not in the archive stop working at once.`,
  )
  session.progress.show('restoring …')
  const { Index, Records } = await (await session.client()).snapshots.restore(archive, LIMITS)
  session.progress.clear()
  if (!session.out.isTable) return session.out.data({ Index, Records })
  const counts = Object.entries(Records).map(([table, count]) => `${count} ${table}`)
  await session.note(`Restored at index ${Index}: ${counts.join(', ')}.`)
}

/** @returns a view of the file, which is read as it is sent: it may be larger than memory. What comes by a pipe is read whole. */
async function openArchive(file: string): Promise<Blob> {
  try {
    if (!(await stat(file)).isFile()) return new Blob([await readFile(file)])
    // A blob of a file that cannot be read does not say why.
    await access(file, constants.R_OK)
    return await openAsBlob(file)
  } catch (error) {
    throw new CliError(`cannot read ${file}: ${systemProblem(error)}`, { cause: error })
  }
}
