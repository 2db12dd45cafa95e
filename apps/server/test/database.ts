import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { atEndOfFile } from './end-of-file.ts'

/** Generous limits: on a busy machine, a slow database is no failure. */
export const PATIENT = {
  connectMs: 60_000,
  statementMs: 60_000,
  answerMs: 60_000,
  idleInTransactionMs: 60_000,
  idleWhileLockingMs: 60_000,
}

/**
 * Creates a database on the PostgreSQL of this test run, in about 30 ms. It is dropped after all tests of the file.
 *
 * @param options.migrated false for an empty database without our tables. Default true.
 * @returns its URL.
 */
export async function createTestDatabase({ migrated = true } = {}): Promise<{ readonly url: string }> {
  const maintenanceUrl = inject('maintenanceUrl')
  const name = `latchkey_test_${randomBytes(6).toString('hex')}`
  atEndOfFile(() => dropDatabase(maintenanceUrl, name))
  await createDatabase(maintenanceUrl, name, migrated ? inject('templateName') : undefined)
  return { url: urlOfDatabase(maintenanceUrl, name) }
}

export async function createDatabase(
  maintenanceUrl: string,
  name: string,
  template = 'template1',
): Promise<void> {
  await sql(
    maintenanceUrl,
    `CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE ${pg.escapeIdentifier(template)}`,
  )
}

export async function dropDatabase(maintenanceUrl: string, name: string): Promise<void> {
  await sql(maintenanceUrl, `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`)
}

/** The URL of another database on the same server. */
export function urlOfDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/** Queries a database on a new connection. */
export async function sql(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}
