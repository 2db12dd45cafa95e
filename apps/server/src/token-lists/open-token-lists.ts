import { join } from 'node:path'
import type { Store } from '@latchkey/service'
import type { BaseLogger } from 'pino'
import type { Config } from '../config/config.ts'
import { shareOf } from '../config/workers.ts'
import type { ServerStore } from '../server-store.ts'
import { CachedTokenLists } from './cached-token-lists.ts'
import { KeptLists } from './kept/kept-lists.ts'

/**
 * The token lists of a server process, as its settings say.
 *
 * @param options.servedStore the store as the service sees it.
 */
export function openTokenLists({
  config,
  dataDir,
  store,
  servedStore,
  log,
}: {
  readonly config: Config
  readonly dataDir: string
  readonly store: ServerStore
  readonly servedStore: Store
  readonly log: BaseLogger
}): CachedTokenLists {
  if (!config.cache) return new CachedTokenLists(0)
  const { cacheBytes } = shareOf(config)
  const kept =
    config.listFilesBytes > 0
      ? new KeptLists({
          directory: join(dataDir, 'token-lists'),
          bytesMax: config.listFilesBytes,
          ring: store.ring,
          store: servedStore,
          readChunks: (...question) => store.tokenChunks(...question),
          log,
        })
      : undefined
  return new CachedTokenLists(cacheBytes / 2, kept)
}
