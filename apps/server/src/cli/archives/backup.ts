/** `latchkey-server backup FILE`: writes an archive of a running server's store to a file. */
import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AclError } from '@latchkey/contract'
import { type VerifiedArchive, verifyArchive } from '../../archive/read.ts'
import { syncDirectory } from '../../durable-file.ts'
import { StartError } from '../../start-error.ts'
import { print } from '../print.ts'
import { type Environment, request } from '../server-address.ts'
import { summaryOf } from './inspect.ts'

/** The file appears when the whole archive is on disk and verified. Only its owner may read it. */
export async function backUp(file: string, env: Environment): Promise<number> {
  const response = await request('snapshots.read', env)
  const draft = `${file}.${randomUUID()}`
  try {
    const { end, header } = await writeDraft(draft, response.body ?? new ReadableStream())
    await rename(draft, file)
    await syncDirectory(dirname(file))
    print(`${file}: index ${header.index}, ${summaryOf(end)}.\n`)
    return 0
  } catch (cause) {
    await rm(draft, { force: true })
    const problem = cause instanceof Error ? cause.message : String(cause)
    const reason =
      cause instanceof AclError ? 'The archive did not arrive completely' : 'The file cannot be written'
    throw new StartError(`No backup was made. ${reason}: ${problem}`, { cause })
  }
}

async function writeDraft(draft: string, body: ReadableStream<Uint8Array>): Promise<VerifiedArchive> {
  const output = await open(draft, 'wx', 0o600)
  try {
    const written = async function* () {
      for await (const piece of broken(body)) {
        await output.writeFile(piece)
        yield piece
      }
    }
    const verified = await verifyArchive(written())
    await output.sync()
    return verified
  } finally {
    await output.close()
  }
}

/** Ends an answer that breaks off without an error, so that the archive reader reports where. */
async function* broken(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch {
    // The reader notices that the end is missing.
  }
}
