/** A server that starts on a database with many tokens: how soon it answers, its memory, and how long their list takes. */

import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BLANK_TOKEN } from '@latchkey/acl'
import type { Change } from '@latchkey/service'
import { type Logger, pino } from 'pino'
import { openDataDirectory } from '../src/data-directory.ts'
import { connectDatabase } from '../src/database/connect.ts'
import { startEmbeddedPostgres } from '../src/database/embedded-postgres.ts'
import { migrate } from '../src/database/schema/migrate.ts'
import { loadKeyFile } from '../src/secrets/encryption-keys.ts'
import { createKeyRing, type KeyRing } from '../src/secrets/key-ring.ts'
import { openStore } from '../src/storage/open-store.ts'
import type { SizeFigures } from './bench.ts'
import type { BenchOptions } from './options.ts'
import { type Measured, ROOT, residentBytes, startServer } from './processes.ts'

export async function measureLarge(
  name: string,
  tokens: number,
  options: BenchOptions,
): Promise<SizeFigures> {
  const dataDir = openDataDirectory(mkdtempSync(join(tmpdir(), 'latchkey-bench-')))
  try {
    await plant(dataDir, tokens)
    const started = await measureStart(dataDir, options)
    // The first process has kept the list for the second.
    const restarted = await measureStart(dataDir, options)
    return {
      case: name,
      tokens,
      firstReadMs: started.firstReadMs,
      residentBytesAtStart: started.residentBytesAtStart,
      firstListMs: started.first.ms,
      restartedListMs: restarted.first.ms,
      listAgainMs: restarted.second.ms,
      listBytes: started.first.bytes,
      residentBytesAfter: restarted.residentBytesAfter,
      residentBytesMax: Math.max(started.residentBytesMax, restarted.residentBytesMax),
    }
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}

async function measureStart(dataDir: string, options: BenchOptions) {
  const startedAt = performance.now()
  const server = await startServer({ ...options, dataDir, accessLog: 'all' })
  try {
    await read(server, '/acl/token/self')
    const firstReadMs = performance.now() - startedAt
    const residentBytesAtStart = residentBytes(server.pid)
    const first = await list(server)
    const second = await list(server)
    return {
      firstReadMs,
      residentBytesAtStart,
      first,
      second,
      residentBytesAfter: residentBytes(server.pid),
      residentBytesMax: Math.max(first.residentBytesMax, second.residentBytesMax),
    }
  } finally {
    await server.stop()
  }
}

/** Reads to the end and discards everything; samples the server's memory while reading. */
async function list(server: Measured): Promise<{ ms: number; bytes: number; residentBytesMax: number }> {
  let residentBytesMax = residentBytes(server.pid)
  const timer = setInterval(() => {
    residentBytesMax = Math.max(residentBytesMax, residentBytes(server.pid))
  }, 250)
  try {
    const startedAt = performance.now()
    const bytes = await read(server, '/acl/tokens')
    return { ms: performance.now() - startedAt, bytes, residentBytesMax }
  } finally {
    clearInterval(timer)
  }
}

/** @returns the length of the body. */
async function read(server: Measured, path: string): Promise<number> {
  const response = await fetch(`${server.url}/v1${path}`, { headers: { 'X-Service-Token': ROOT } })
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
  let bytes = 0
  for await (const piece of response.body ?? []) bytes += piece.length
  return bytes
}

/** Writes per commit, and commits in flight: as fast as the store accepts them. */
const COMMIT_SIZE = 250
const COMMITS_AT_ONCE = 4

/** Fills a new database through the store, without HTTP. */
async function plant(dataDir: string, count: number): Promise<void> {
  const log = pino({ level: 'error' }, pino.destination(2))
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  await migrate({ url: postgres.url, log })
  const ring = createKeyRing(await loadKeyFile(dataDir))
  try {
    await plantTokens({ url: postgres.url, ring, count, log })
  } finally {
    await postgres.stop()
  }
}

/** Writes global tokens into a migrated database that no server uses. @returns the secret of one of them. */
export async function plantTokens({
  url,
  ring,
  count,
  log,
}: {
  readonly url: string
  readonly ring: KeyRing
  readonly count: number
  readonly log: Logger
}): Promise<string> {
  const database = connectDatabase({ url, log })
  const member = { datacenter: 'dc1', node: 'bench', version: '1.11.0' }
  const store = await openStore({ database, url, ring, log, member, cacheBytes: 0 })
  const known = token(count, randomUUID())
  try {
    const policyId = randomUUID()
    await store.commit([policy(policyId), known])
    let left = count - 1
    const worker = async () => {
      while (left > 0) {
        const size = Math.min(COMMIT_SIZE, left)
        left -= size
        await store.commit(Array.from({ length: size }, (_, i) => token(left + i, policyId)))
      }
    }
    await Promise.all(Array.from({ length: COMMITS_AT_ONCE }, worker))
  } finally {
    await store.close()
    await database.close()
  }
  return known.record.SecretID
}

function policy(ID: string): Change {
  const record = {
    ...{ ID, Name: 'common', Description: '', Rules: 'key_prefix "common/" { policy = "read" }' },
    ...{ Datacenters: undefined, Hash: '', CreateIndex: 0, ModifyIndex: 0, Namespace: 'default' },
  }
  return { table: 'policies', op: 'put', record, expect: 0 }
}

function token(i: number, policyId: string) {
  const record = {
    ...BLANK_TOKEN,
    AccessorID: randomUUID(),
    SecretID: randomUUID(),
    Description: `token ${i} of the benchmark`,
    Policies: [{ ID: policyId }],
    CreateTime: new Date().toISOString(),
    Hash: randomBytes(32).toString('base64'),
  }
  return { table: 'tokens', op: 'put', record, expect: 0 } as const satisfies Change
}
