import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { addressedTo, connectTo } from '../../../test/database-proxy.ts'
import { connectDatabase } from '../../database/connect.ts'
import { ChangeFeed } from './change-feed.ts'

const folder = temporaryFolder('feed')
const PATIENCE = { timeout: 30_000 }

/** The `ErrorResponse` for a session that an administrator ends. */
const FIELDS = Buffer.from('SFATAL\0C57P01\0Mended\0\0')
const FATAL = Buffer.concat([Buffer.from('E'), Buffer.from([0, 0, 0, FIELDS.length + 4]), FIELDS])

/** A proxy that ends the first session together with its fourth answer, the answer to the first check. */
async function startCutter(databaseUrl: string) {
  let sessions = 0
  const server = createServer((near) => {
    sessions += 1
    const isFirst = sessions === 1
    let answers = 0
    const far = connectTo(databaseUrl)
    near.on('error', () => {}).pipe(far)
    far
      .on('error', () => {})
      .on('data', (data) => {
        // Every answer ends with `ReadyForQuery`.
        if (data.includes('Z\0\0\0\x05I')) answers += 1
        if (isFirst && answers === 4) near.end(Buffer.concat([data, FATAL]), () => far.destroy())
        else if (!near.destroyed) near.write(data)
      })
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  const url = addressedTo(databaseUrl, await listenOnFreePort(server))
  return { url, sessions: () => sessions, close: () => server.close() }
}

test('COH-04: a feed that is lost together with an answer reconnects', async () => {
  const database = await createTestDatabase()
  const cutter = await startCutter(database.url)
  const feed = new ChangeFeed({
    url: cutter.url,
    log: pino({ level: 'silent' }),
    onLease: () => {},
    onLost: () => {},
    onCommit: () => {},
  })
  try {
    feed.start()
    await expect.poll(() => feed.counts.connections, PATIENCE).toBe(2)
    await expect.poll(() => feed.isConnected, PATIENCE).toBe(true)
    expect(cutter.sessions()).toBe(2)
  } finally {
    await feed.close()
    cutter.close()
  }
})

test('COH-04: a feed reconnects once a file that the URL names is back', async () => {
  const database = await createTestDatabase()
  const file = join(folder, 'ca.pem')
  await writeFile(file, '')
  const url = new URL(database.url)
  url.searchParams.set('sslrootcert', file)
  url.searchParams.set('sslmode', 'disable')
  const log = pino({ level: 'silent' })
  const warned = vi.spyOn(log, 'warn')
  const other = connectDatabase({ url: database.url, log })
  const feed = new ChangeFeed({ url: url.href, log, onLease: () => {}, onLost: () => {}, onCommit: () => {} })
  try {
    await feed.start()
    await rm(file)
    const { rows } = await other.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'latchkey-feed' AND datname = current_database()`,
    )
    expect(rows).toHaveLength(1)
    await expect
      .poll(
        () => warned.mock.calls.map(([facts]) => (facts as { err?: { code?: string } }).err?.code),
        PATIENCE,
      )
      .toContain('ENOENT')
    await writeFile(file, '')
    await expect.poll(() => feed.counts.connections, PATIENCE).toBe(2)
  } finally {
    await Promise.all([feed.close(), other.close()])
  }
})
