/** The store with its connections and keys, as one thing to open and close. */
import { randomUUID } from 'node:crypto'
import type { Member, MemberMode, Store } from '@latchkey/acl'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { connectDatabase } from './database/connect.ts'
import { loadKeyFile } from './secrets/encryption-keys.ts'
import { createKeyRing } from './secrets/key-ring.ts'
import { openStore } from './storage/open-store.ts'
import type { PostgresStore } from './storage/postgres-store.ts'

export async function openServerStore(options: {
  config: Config
  databaseUrl: string
  dataDir: string
  log: Logger
}) {
  const { config, databaseUrl, dataDir, log } = options
  const database = connectDatabase({ url: databaseUrl, log, connectionsMax: config.databaseConnections })
  const ring = createKeyRing(config.encryptionKeys ?? (await loadKeyFile(dataDir)))
  const store = await openStore({
    database,
    ring,
    isCaching: config.cache,
    tokenCacheBytes: config.cacheBytes,
  })
  const me: Member & { address: string } = {
    id: randomUUID(),
    datacenter: config.datacenter,
    node: config.nodeName,
    version: config.serviceVersion.text,
    mode: 'enabled',
    heartbeatAt: Date.now(),
    status: 'alive',
    address: '',
  }
  let mode: MemberMode = 'enabled'
  let address = ''
  const self = () => ({ ...me, mode, address, heartbeatAt: Date.now() })
  return Object.assign(store as PostgresStore & Store, {
    clock: { now: () => Date.now() },
    membership: {
      self,
      members: async () => [self()],
      leader: async () => self(),
      announce: async (value: string) => {
        address = value
      },
      setMode: async (value: MemberMode) => {
        mode = value
      },
    },
    singleWinner: async <T>(_name: string, work: () => Promise<T>) => work(),
    recordOnce: async (Key: 'acl-mode', Value: unknown) => {
      await store.commit([
        { table: 'system', op: 'put', record: { Key, Value, CreateIndex: 0, ModifyIndex: 0 }, expect: 0 },
      ])
    },
    notReady: async () => {
      try {
        await database.ping()
        return []
      } catch (e) {
        return [String(e)]
      }
    },
    close: async () => {
      await database.close()
    },
  })
}
export type ServerStore = Awaited<ReturnType<typeof openServerStore>>
