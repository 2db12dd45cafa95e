/**
 * Runs once per `vitest run`: starts a PostgreSQL with a migrated template database that every test file copies.
 * `TEST_DATABASE_URL` names a running PostgreSQL to use instead; its user must be allowed to create databases.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../src/database/embedded-postgres.ts'
import { migrate } from '../src/database/schema/migrate.ts'
import { createDatabase, dropDatabase, urlOfDatabase } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The database from which others are created and dropped. */
    maintenanceUrl: string
    templateName: string
  }
}

const log = pino({ level: 'warn' })

/** Trades durability for speed: a killed test run loses nothing of value. */
const FAST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer()
  const templateName = `latchkey_template_${randomBytes(6).toString('hex')}`
  await createDatabase(server.url, templateName)
  await migrate({ url: urlOfDatabase(server.url, templateName), log })
  project.provide('maintenanceUrl', server.url)
  project.provide('templateName', templateName)
  return async () => {
    await dropDatabase(server.url, templateName)
    await server.stop()
  }
}

async function startServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const { TEST_DATABASE_URL: given } = process.env
  if (given !== undefined) return { url: given, stop: async () => {} }
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  const server = await startEmbeddedPostgres({ dataDir, log, settings: FAST_SETTINGS })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      rmSync(dataDir, { recursive: true })
    },
  }
}
