/** Writes the records of a scan as a shareable dump: one object per line, with hashes instead of IDs, without secrets. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import type { DumpRecord } from '@latchkey/acl'
import { hideId, nameWithoutId } from '../dump/hidden-id.ts'
import { EXIT, InputError, systemProblem } from '../errors.ts'

/** A file that becomes visible when it is complete. */
export class DumpFile {
  private readonly path: string
  private readonly temporary: string
  private readonly stream: ReturnType<typeof createWriteStream>
  private failure: NodeJS.ErrnoException | undefined

  constructor(path: string) {
    this.path = path
    this.temporary = `${path}.${process.pid}.tmp`
    this.stream = createWriteStream(this.temporary, { flags: 'wx', mode: 0o600, flush: true })
    this.stream.on('error', (error) => {
      this.failure = error
    })
  }

  /** @throws InputError, exit code 1, if the disk is full or the folder is not writable. */
  async add(records: readonly DumpRecord[]): Promise<void> {
    if (records.length === 0) return
    const text = records.map(({ value }) => `${JSON.stringify(hide(value))}\n`).join('')
    if (this.failure === undefined && !this.stream.write(text)) {
      await once(this.stream, 'drain').catch(() => undefined)
    }
    this.check()
  }

  async close(): Promise<void> {
    this.stream.end()
    await finished(this.stream).catch(() => undefined)
    this.check()
    await rename(this.temporary, this.path)
  }

  /** Removes the partial file. Waits for the stream to close, because opening it creates the file. */
  async discard(): Promise<void> {
    this.stream.destroy()
    await finished(this.stream).catch(() => undefined)
    await rm(this.temporary, { force: true })
  }

  private check(): void {
    if (this.failure === undefined) return
    throw new InputError(`cannot write: ${systemProblem(this.failure)}`, {
      place: { file: this.path },
      exitCode: EXIT.failed,
    })
  }
}

function hide(value: object): object {
  const { SecretID: _, ...rest } = value as { readonly SecretID?: unknown }
  if (!('ID' in rest) || typeof rest.ID !== 'string') return rest
  const name =
    'Name' in rest && typeof rest.Name === 'string' ? { Name: nameWithoutId(rest.Name, rest.ID) } : {}
  return { ...rest, ...name, ID: hideId(rest.ID) }
}
