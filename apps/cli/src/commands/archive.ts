/** `backup` and `restore`: an archive of the whole store. */
import { open, readFile, rename, rm } from 'node:fs/promises'
import { CliError, systemProblem } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'

/** The whole archive is one answer or one body, so both limits of a call are as long as the largest may take. */
const ARCHIVE_MS_MAX = 600_000
const LIMITS = { timeout: ARCHIVE_MS_MAX, attemptTimeout: ARCHIVE_MS_MAX } as const

export const backup: Action = async (session, input) => {
  const file = input.arg(0)
  session.progress.show('reading the store …')
  const archive = await (await session.client()).snapshots.read({ ...LIMITS, signal: session.io.signal })
  session.progress.clear()
  await writeWhole(file, archive)
  await session.note(
    `Wrote ${file}: ${archive.byteLength} bytes. To verify it: latchkey-server inspect ${file}`,
  )
}

/** The file appears once all of it is on disk, and then replaces an older one. Only its owner may read it. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const draft = `${file}.${process.pid}`
  try {
    const output = await open(draft, 'wx', 0o600)
    try {
      await output.writeFile(bytes)
      await output.sync()
    } finally {
      await output.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw new CliError(`cannot write ${file}: ${systemProblem(error)}`, { cause: error })
  }
}

export const restore: Action = async (session, input) => {
  const file = input.arg(0)
  const archive = await readFile(file).catch((error: unknown) => {
    throw new CliError(`cannot read ${file}: ${systemProblem(error)}`, { cause: error })
  })
  const { address } = await session.connection()
  await session.confirm(
    `Replace every record of ${address} by those of ${file}? Tokens that the archive does not have end at once.`,
  )
  session.progress.show('restoring …')
  const { Index, Records } = await (await session.client()).snapshots.restore(archive, LIMITS)
  session.progress.clear()
  if (!session.out.isTable) return session.out.data({ Index, Records })
  const counts = Object.entries(Records).map(([table, count]) => `${count} ${table}`)
  await session.note(`Restored at index ${Index}: ${counts.join(', ')}.`)
}
