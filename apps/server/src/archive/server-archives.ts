import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AclError, type RestoredSnapshot } from '@latchkey/contract'
import type { Archives } from '@latchkey/service'
import type { BaseLogger } from 'pino'
import { withAclErrors } from '../database/database-error.ts'
import { migrationNames } from '../database/schema/migrate.ts'
import type { ArchiveStore } from './archive-store.ts'
import { backUp } from './backup.ts'
import type { ArchiveHeader } from './format.ts'
import { type ArchiveItem, damaged, readArchive } from './read.ts'
import { requireSuitable } from './refusals.ts'
import { restore } from './restore.ts'

interface Parts {
  readonly store: ArchiveStore
  /** Resolves once reads of this process show the last commit of the database. */
  readonly catchUp: () => Promise<unknown>
  readonly log: BaseLogger
}

/** Backup and restore of the store of a server, one at a time. */
export class ServerArchives implements Archives {
  private readonly parts: Parts
  private isBusy = false

  constructor(parts: Parts) {
    this.parts = parts
  }

  read(): AsyncIterable<Uint8Array> {
    this.refuseSecond()
    return this.pieces()
  }

  private async *pieces(): AsyncGenerator<Uint8Array> {
    const { log, store } = this.parts
    this.begin()
    try {
      yield* backUp(store)
      log.info('an archive of the store was read')
    } finally {
      this.isBusy = false
    }
  }

  /**
   * Keeps the archive in a temporary file first: it arrives at the pace of its client, and nothing is touched before all of its
   * checksums are known to be right. Its secrets are sealed there, too.
   */
  async restore(archive: AsyncIterable<Uint8Array>): Promise<RestoredSnapshot> {
    const { store, catchUp, log } = this.parts
    this.begin()
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-restore-'))
    const file = join(folder, 'archive')
    try {
      await pipeline(archive, createWriteStream(file, { mode: 0o600 }))
      const header = await verify(file, store)
      log.warn(
        { snapshotIndex: header.index, madeAt: header.createdAt },
        'restoring the store from an archive',
      )
      const restored = await withAclErrors(() => restore(readArchive(createReadStream(file)), header, store))
      await catchUp()
      log.warn({ index: restored.Index }, 'the store was restored from an archive')
      return restored
    } finally {
      this.isBusy = false
      await rm(folder, { recursive: true, force: true })
    }
  }

  private begin(): void {
    this.refuseSecond()
    this.isBusy = true
  }

  private refuseSecond(): void {
    if (!this.isBusy) return
    const message = 'Another backup or restore is running on this server: try again later'
    throw new AclError('unavailable', message, { headers: { 'Retry-After': '10' } })
  }
}

/** Reads all of an archive, and its header against this server. */
async function verify(file: string, store: ArchiveStore): Promise<ArchiveHeader> {
  let header: ArchiveHeader | undefined
  for await (const item of readArchive(createReadStream(file)) as AsyncIterable<ArchiveItem>) {
    if (item.kind !== 'header') continue
    header = item.header
    requireSuitable(header, store, migrationNames())
  }
  if (header === undefined) throw damaged('it has no header')
  return header
}
