import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, finished } from 'node:stream'
import { AclError, type RestoredSnapshot } from '@latchkey/contract'
import type { Archives, Tarball } from '@latchkey/service'
import type { BaseLogger } from 'pino'
import { withAclErrors } from '../database/database-error.ts'
import { hasCode } from '../has-code.ts'
import type { ArchiveStore } from './archive-store.ts'
import { backUp } from './backup.ts'
import { damaged } from './piece-reader.ts'
import { readArchive, verifyArchive } from './read.ts'
import { requireAuthentic, requireSuitable } from './refusals.ts'
import { restore } from './restore.ts'
import { tarballOf } from './tarball.ts'

interface Parts extends ArchiveStore {
  readonly folder: string
  /** Resolves once this process has applied the last commit of the database. */
  readonly catchUp: () => Promise<unknown>
  readonly log: BaseLogger
}

export class ServerArchives implements Archives {
  private readonly parts: Parts
  private backups = 0
  private isRestoring = false

  constructor(parts: Parts) {
    this.parts = parts
  }

  read(): AsyncIterable<Uint8Array> {
    this.refuseMore()
    return this.pieces()
  }

  private async *pieces(): AsyncGenerator<Uint8Array> {
    this.refuseMore()
    this.backups += 1
    try {
      yield* backUp(this.parts)
      this.parts.log.info('an archive of the store was read')
    } finally {
      this.backups -= 1
    }
  }

  /** In a temporary file first, because a tarball begins with the length of the archive. */
  async readTarball(signal: AbortSignal | undefined): Promise<Tarball> {
    const archive = this.read()
    let file: FileHandle | undefined
    try {
      file = await openUnnamed(this.parts.folder)
      const written = file.writeFile(archive)
      await withAclErrors(() => written)
      const { index, size } = await measure(file)
      const pieces = tarballOf(contentOf(file), { index, size, now: Date.now() })
      if (signal) addAbortSignal(signal, pieces)
      const close = file.close.bind(file)
      finished(pieces, () => void close())
      return { index, pieces }
    } catch (error) {
      await file?.close()
      throw isOfDisk(error) ? diskFailed('made', error) : error
    }
  }

  /**
   * In a temporary file first: it arrives at its client's pace, and nothing changes before all checksums are verified.
   */
  async restore(
    archive: AsyncIterable<Uint8Array>,
    { isUnauthenticated }: { readonly isUnauthenticated: boolean },
  ): Promise<RestoredSnapshot> {
    const { folder, catchUp, log } = this.parts
    if (this.isRestoring) throw busy('Another restore is running')
    this.isRestoring = true
    let file: FileHandle | undefined
    try {
      file = await openUnnamed(folder)
      await file.writeFile(archive)
      const { header, end } = await verifyArchive(contentOf(file), (found) =>
        requireSuitable(found, this.parts),
      )
      requireAuthentic(end, this.parts, isUnauthenticated)
      log.warn(
        { snapshotIndex: header.index, madeAt: header.createdAt },
        end.signature !== undefined
          ? 'restoring the store from an archive'
          : 'restoring the store from an UNAUTHENTICATED archive: it has no HMAC, so anyone may have changed it',
      )
      const content = contentOf(file)
      const restored = await withAclErrors(() => restore(readArchive(content), header, this.parts))
      await catchUp()
      log.warn({ index: restored.Index }, 'the store was restored from an archive')
      return restored
    } catch (error) {
      throw isOfDisk(error) ? diskFailed('restored', error) : error
    } finally {
      this.isRestoring = false
      await file?.close()
    }
  }

  private refuseMore(): void {
    if (this.backups >= BACKUPS_MAX) throw busy(`${BACKUPS_MAX} other backups are running`)
  }
}

function busy(what: string): AclError {
  const message = `${what} on this server: try again later`
  return new AclError('unavailable', message, { headers: { 'Retry-After': '10' } })
}

async function measure(file: FileHandle): Promise<{ readonly index: number; readonly size: number }> {
  for await (const item of readArchive(contentOf(file)))
    if (item.kind === 'header') return { index: item.header.index, size: (await file.stat()).size }
  throw damaged('it has no header')
}

/** A file without a name, which disappears with the process, however that ends. */
async function openUnnamed(folder: string): Promise<FileHandle> {
  const path = join(folder, `archive-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  return file
}

/** Not a stream of the file, which would close the file or keep it from being closed. */
async function* contentOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(PIECE_BYTES), position })
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Each keeps a connection and a snapshot of the database. */
const BACKUPS_MAX = 4
const PIECE_BYTES = 65_536
const DISK_CODES = ['EACCES', 'EDQUOT', 'EIO', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EROFS'] as const

function isOfDisk(error: unknown): error is Error {
  return DISK_CODES.some((code) => hasCode(error, code))
}

function diskFailed(verb: 'made' | 'restored', cause: Error): AclError {
  const message = `Nothing was ${verb}: the data directory of the server cannot keep the archive: ${cause.message}`
  return new AclError('unavailable', message, { headers: { 'Retry-After': '10' }, cause })
}
