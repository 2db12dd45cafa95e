import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AclError } from '@latchkey/contract'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { describeDatabase } from '../config/config.ts'
import { type ConnectOptions, connectDatabase, type Database } from './connect.ts'
import { asAclError, sqlStateOf, withAclErrors } from './database-error.ts'

const folder = temporaryFolder('connect')
const log = pino({ level: 'silent' })

const server = await createTestDatabase()
const opened: Database[] = []

function connect(options: Partial<ConnectOptions> = {}): Database {
  const database = connectDatabase({ url: server.url, log, ...options })
  opened.push(database)
  return database
}

/** The error that work throws. */
async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})

test('a connection carries our name and limits', async () => {
  const { pool } = connect({ applicationName: 'latchkey a' })
  const { rows } = await pool.query(
    `SELECT name, setting FROM pg_settings WHERE name IN
     ('application_name', 'statement_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`,
  )
  expect(rows.map(({ setting }) => setting)).toEqual(['latchkey a', '5000', '1800'])
  const jit = await pool.query(`SELECT setting, source FROM pg_settings WHERE name = 'jit'`)
  expect(jit.rows).toEqual([{ setting: 'off', source: 'client' }])
})

test('Prisma and statements share one pool', async () => {
  const { pool, prisma } = connect({ connectionsMax: 1 })
  const sql = 'SELECT pg_backend_pid() AS pid'
  expect(await prisma.$queryRawUnsafe(sql)).toEqual((await pool.query(sql)).rows)
})

test('an idle connection that ends is reported, but not while the pool closes', async () => {
  const reports: string[] = []
  const write = (line: string) => reports.push(line)
  const { pool, ...database } = connect({ log: pino({ level: 'warn' }, { write }) })
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await connect().pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
  await expect.poll(() => reports.length).toBe(1)
  const client = await pool.connect()
  client.release()
  const closed = database.close()
  pool.emit('error', new Error('terminating connection'), client)
  await closed
  expect(reports).toHaveLength(1)
  opened.shift()
})

test('503 unavailable: a file that the URL names is missing, until it is back', async () => {
  const file = join(folder, 'ca.pem')
  const url = new URL(server.url)
  url.searchParams.set('sslrootcert', file)
  url.searchParams.set('sslmode', 'disable')
  const database = connect({ url: url.href, connectionsMax: 1 })
  // The second statement waits for the connection of the first.
  const errors = await Promise.all([errorOf(database.ping()), errorOf(database.ping())])
  expect(errors).toMatchObject([{ code: 'unavailable' }, { code: 'unavailable' }])
  await writeFile(file, '')
  await database.ping()
})

test('503 unavailable: the database cancels a statement at its time limit', async () => {
  const { pool } = connect({ limits: { statementMs: 50 } })
  const error = await errorOf(withAclErrors(() => pool.query('SELECT pg_sleep(5)')))
  expect(error).toMatchObject({
    code: 'unavailable',
    status: 503,
    details: { headers: { 'Retry-After': '1' } },
  })
})

test('a connection left inside a transaction is not given to the next user', async () => {
  const { pool } = connect({ connectionsMax: 1 })
  const careless = await pool.connect()
  await careless.query('BEGIN')
  const { rows: before } = await careless.query('SELECT pg_backend_pid() AS pid')
  careless.release()
  const { rows: after } = await pool.query('SELECT pg_backend_pid() AS pid')
  expect(after).not.toEqual(before)
})

test.each([
  ['is down', 'postgresql://u:p@127.0.0.1:1/x'],
  ['has no socket', 'postgresql://u:p@127.0.0.1/x?host=/nowhere'],
  ['has an unknown name', 'postgresql://u:p@nowhere.invalid/x'],
])('503 unavailable: the database %s', async (_, url) => {
  const { prisma, pool } = connect({ url })
  for (const work of [
    () => pool.query('SELECT 1'),
    () => prisma.$queryRaw`SELECT 1`,
    () => prisma.$transaction((tx) => tx.$queryRaw`SELECT 1`),
  ]) {
    const error = await errorOf(withAclErrors(work))
    expect(error).toBeInstanceOf(AclError)
    expect(error).toMatchObject({ code: 'unavailable' })
  }
})

test('503 unavailable: a transaction finds no free connection in time', async () => {
  const { pool } = connect({ connectionsMax: 1, limits: { connectMs: 1_000 } })
  const holder = await pool.connect()
  expect(await errorOf(withAclErrors(() => pool.query('SELECT 1')))).toMatchObject({ code: 'unavailable' })
  holder.release()
})

test('an invalid statement is a bug: its error is rethrown unchanged, with its SQLSTATE', async () => {
  const { pool, prisma } = connect()
  const errors = [
    await errorOf(withAclErrors(() => pool.query('SELECT * FROM nowhere'))),
    await errorOf(withAclErrors(() => prisma.$queryRaw`SELECT * FROM nowhere`)),
  ]
  for (const error of errors) {
    expect(error).not.toBeInstanceOf(AclError)
    expect(sqlStateOf(error)).toBe('42P01')
  }
})

test.each([
  ['08006', 'unavailable', 'reached'],
  ['25006', 'database_read_only', 'no writes'],
  ['28P01', 'database_refused', 'user or password'],
  ['3D000', 'database_refused', 'not exist'],
  ['40001', 'unavailable', 'conflict'],
  ['42501', 'database_refused', 'access'],
  ['53100', 'database_full', 'disk'],
  ['53300', 'database_overloaded', 'connection'],
  ['55000', 'database_refused', 'no connections'],
  ['57014', 'unavailable', 'in time'],
  ['57P03', 'unavailable', 'stopping'],
  ['57P04', 'database_refused', 'not exist'],
  ['58030', 'database_damaged', 'files'],
  ['XX001', 'database_damaged', 'files'],
])('SQLSTATE %s is 503 %s, from the driver and through Prisma', (state, code, cause) => {
  const driver = Object.assign(new Error('from pg'), { code: state })
  const prisma = Object.assign(new Error('from Prisma'), {
    code: 'P2010',
    meta: { driverAdapterError: { cause: { originalCode: state } } },
  })
  for (const error of [driver, prisma]) {
    expect(asAclError(error)).toMatchObject({
      code,
      status: 503,
      message: expect.stringContaining(cause),
      cause: error,
    })
  }
})

test.each([
  Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' }),
  Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
  Object.assign(new Error('unable to verify'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
  Object.assign(new Error('wrong name'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
  new Error('The server does not support SSL connections'),
])('503 database_refused: no trusted connection: %s', (error) => {
  expect(asAclError(error)).toMatchObject({ code: 'database_refused' })
})

test.each(['23505', '22P02', '42601', 'P0001', 'XX000'])('SQLSTATE %s does not mean unavailable', (state) => {
  const error = Object.assign(new Error('from pg'), { code: state })
  expect(asAclError(error)).toBe(error)
})

test('LEAK-02: a database is described without its password and parameters', () => {
  expect(
    describeDatabase('postgresql://u:canary@db.example:5433/tokens?password=canary&sslmode=disable'),
  ).toBe('u@db.example:5433/tokens')
})
