/** The store with its connections and keys, opened and closed as one. */

import { type Change, StoreConflict } from '@latchkey/service'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { shareOf } from './config/workers.ts'
import { connectDatabase } from './database/connect.ts'
import { loadKeyFile } from './secrets/encryption-keys.ts'
import { createKeyRing } from './secrets/key-ring.ts'
import { openStore } from './storage/open-store.ts'
import type { Tracing } from './tracing/open-tracing.ts'

export async function openServerStore(options: {
  config: Config
  databaseUrl: string
  dataDir: string
  log: Logger
  tracing: Tracing | undefined
}) {
  const { config, databaseUrl, dataDir, log, tracing } = options
  const { databaseReplicaUrl } = config
  const { databaseConnections: connectionsMax, cacheBytes } = shareOf(config)
  const ring = createKeyRing(config.encryptionKeys ?? (await loadKeyFile(dataDir)))
  const database = connectDatabase({ url: databaseUrl, log, connectionsMax, tracing })
  const replica =
    databaseReplicaUrl === undefined
      ? undefined
      : connectDatabase({ url: databaseReplicaUrl, log, connectionsMax, tracing })
  const closeConnections = async () => {
    await Promise.all([database.close(), replica?.close()])
  }
  const store = await openStore({
    database,
    replica,
    url: databaseUrl,
    ring,
    log,
    spans: tracing?.commits,
    member: { datacenter: config.datacenter, node: config.nodeName, version: config.serviceVersion.text },
    primaryDatacenter: config.primaryDatacenter,
    // The only folder that is certain to be writable.
    archiveFolder: dataDir,
    isCaching: cacheBytes > 0,
    // The other half is for lists.
    cacheBytes: cacheBytes / 2,
  }).catch(async (error: unknown) => {
    await closeConnections()
    throw error
  })
  const closeStore = store.close.bind(store)
  return Object.assign(store, {
    /** The keys that encrypt what this server stores. */
    ring,
    /** Writes new system records unless one of them exists. If several processes start at once, the first one wins. */
    async recordOnce(changes: readonly Change[]): Promise<void> {
      try {
        await store.commit(changes)
      } catch (error) {
        if (!(error instanceof StoreConflict)) throw error
        await store.refresh('consistent')
      }
    },
    async close(isForGood?: boolean): Promise<void> {
      await closeStore(isForGood)
      await closeConnections()
    },
  })
}

export type ServerStore = Awaited<ReturnType<typeof openServerStore>>
