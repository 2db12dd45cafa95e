import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '@latchkey/service'
import type { BaseLogger } from 'pino'
import type { Config } from '../config/config.ts'
import { shareOf } from '../config/workers.ts'
import type { ServerStore } from '../server-store.ts'
import { CachedTokenLists } from './cached-token-lists.ts'
import { KeptLists } from './kept/kept-lists.ts'

/**
 * Opens the token lists of a server process, according to its settings.
 *
 * @param options.servedStore the store as the service sees it.
 */
export async function openTokenLists({
  config,
  isDatabaseEmbedded,
  dataDir,
  store,
  servedStore,
  log,
}: {
  readonly config: Config
  readonly isDatabaseEmbedded: boolean
  readonly dataDir: string
  readonly store: ServerStore
  readonly servedStore: Store
  readonly log: BaseLogger
}): Promise<CachedTokenLists> {
  // Next to their key, the files would make the data directory alone as sensitive as directory and database together.
  const isSafe = isDatabaseEmbedded || config.encryptionKeys !== undefined
  // The other half is for tokens.
  const bytesMax = config.cache ? shareOf(config).cacheBytes / 2 : 0
  const folder = join(dataDir, 'token-lists')
  if (!config.cache || config.listFilesBytes === 0 || !isSafe) {
    // Files of an earlier start contain secrets.
    await rm(folder, { recursive: true, force: true }).catch((error: unknown) =>
      log.warn(
        { err: error, folder },
        'the files of token lists, which are no longer kept, could not be removed',
      ),
    )
    return new CachedTokenLists(bytesMax)
  }
  const kept = new KeptLists({
    folder,
    bytesMax: config.listFilesBytes,
    ring: store.ring,
    store: servedStore,
    digests: store.tokenDigests,
    log,
  })
  return new CachedTokenLists(bytesMax, kept)
}
