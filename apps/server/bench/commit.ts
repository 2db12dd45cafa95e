/**
 * Durable creates through the store, compared to hand-made groups on the same PostgreSQL in the same run.
 *
 *   node bench/commit.ts [seconds per measurement]
 *
 * Clients run in a closed loop, like the connections of a load generator. A hand-made group is what an expert would write for
 * this purpose only: as many prepared rows as there are clients, one transaction, one flush.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BLANK_TOKEN, type TokenRecord } from '@latchkey/acl'
import pg from 'pg'
import { pino } from 'pino'
import { connectDatabase } from '../src/database/connect.ts'
import { startEmbeddedPostgres } from '../src/database/embedded-postgres.ts'
import { migrate } from '../src/database/schema/migrate.ts'
import { parseEncryptionKeys } from '../src/secrets/encryption-keys.ts'
import { createKeyRing } from '../src/secrets/key-ring.ts'
import { openStore } from '../src/storage/open-store.ts'

const seconds = Number(process.argv[2] ?? 4)
const log = pino({ level: 'error' })
const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const postgres = await startEmbeddedPostgres({ dataDir, log })
const { url } = postgres
await migrate({ url, log })
const database = connectDatabase({ url, log })
const ring = createKeyRing(parseEncryptionKeys(`bench:${randomBytes(32).toString('base64')}`))
const member = { datacenter: 'dc1', node: 'bench', version: '1.11.0' }
const store = await openStore({ database, url, ring, log, member })

const rows: {
  clients: number
  store: number
  prepared: number
  groupSize: number
  p50: number
  p99: number
}[] = []
await throughStore(32, 1)
for (const clients of [1, 32, 256]) {
  const { perSecond, groupSize, p50, p99 } = await throughStore(clients, seconds)
  rows.push({ clients, store: perSecond, prepared: await byHand(clients, seconds), groupSize, p50, p99 })
}
console.log('clients  store/s  hand-made/s  ratio  writes per group  p50 ms  p99 ms')
for (const { clients, store: ours, prepared, groupSize, p50, p99 } of rows) {
  const cells = [
    clients,
    ours.toFixed(0),
    prepared.toFixed(0),
    (ours / prepared).toFixed(2),
    groupSize.toFixed(1),
  ]
  console.log([...cells, p50.toFixed(1), p99.toFixed(1)].map((cell) => String(cell).padStart(7)).join('  '))
}

await store.close()
await database.close()
await postgres.stop()
rmSync(dataDir, { recursive: true })

async function throughStore(clients: number, forSeconds: number) {
  const before = { ...store.status().commits }
  const end = performance.now() + forSeconds * 1_000
  const latencies: number[] = []
  const startedAt = performance.now()
  const client = async () => {
    while (performance.now() < end) {
      const sentAt = performance.now()
      await store.commit([{ table: 'tokens', op: 'put', record: newToken(), expect: 0 }])
      latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const perSecond = (latencies.length * 1_000) / (performance.now() - startedAt)
  const { writes, groups } = store.status().commits
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  return {
    perSecond,
    groupSize: (writes - before.writes) / (groups - before.groups),
    p50: at(0.5),
    p99: at(0.99),
  }
}

/** Groups of `size` rows in one statement with arrays, with the counter in the same transaction. */
async function byHand(size: number, forSeconds: number): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const end = performance.now() + forSeconds * 1_000
  const startedAt = performance.now()
  let count = 0
  while (performance.now() < end) {
    const group = Array.from({ length: size }, () => {
      const { AccessorID, CreateTime } = newToken()
      return { hash: randomBytes(32), cipher: randomBytes(64), AccessorID, CreateTime, print: randomBytes(8) }
    })
    await client.query({
      name: 'hand-made',
      text: `WITH counter AS (
          UPDATE commit_index SET index = index + $1, tokens = index + $1 RETURNING index - $1 AS before
        )
        INSERT INTO token (secret_hash, secret_cipher, secret_key_id, accessor_id, accessor_key, accessor_hash, namespace,
          description, policies, roles, service_identities, service_names, node_identities, rules, type, local,
          auth_method, create_time, hash, create_index, modify_index)
        SELECT h, c, 'bench', a, a, p, 'default', '', '{}', '{}', '[]', '{}', '[]', '', '', false, '', t, 'hash',
          before + n, before + n
        FROM counter, unnest($2::bytea[], $3::bytea[], $4::text[], $5::bigint[], $6::text[])
          WITH ORDINALITY AS r (h, c, a, p, t, n)`,
      values: [
        size,
        group.map(({ hash }) => hash),
        group.map(({ cipher }) => cipher),
        group.map(({ AccessorID }) => AccessorID),
        group.map(({ print }) => print.readBigInt64BE().toString()),
        group.map(({ CreateTime }) => CreateTime),
      ],
    })
    count += size
  }
  await client.end()
  return (count * 1_000) / (performance.now() - startedAt)
}

function newToken(): TokenRecord {
  return {
    ...BLANK_TOKEN,
    AccessorID: randomUUID(),
    SecretID: randomUUID(),
    Description: 'a token of the benchmark',
    CreateTime: new Date().toISOString(),
    Hash: randomBytes(32).toString('base64'),
  }
}
