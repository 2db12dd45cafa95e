import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { isAlive } from './postmaster.ts'

const SERVER = join(import.meta.dirname, '../../test/run-embedded-postgres.ts')

let root: string
let dataDir: string
const logLines: string[] = []
const log = pino({ level: 'debug' }, { write: (line) => logLines.push(line) })
const opened: EmbeddedPostgres[] = []

async function start(directory = dataDir): Promise<EmbeddedPostgres> {
  const database = await startEmbeddedPostgres({ dataDir: directory, log })
  opened.push(database)
  return database
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  // A killed database ends the connection; the query in flight reports it.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Starts a server process on the data directory, and waits until its database is up. */
async function startServerProcess(): Promise<{ child: ChildProcess; url: string; pid: number }> {
  const child = spawn(process.execPath, [SERVER, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  return { child, ...JSON.parse(String(line)) }
}

async function kill9(child: ChildProcess): Promise<void> {
  if (!child.kill('SIGKILL')) return
  await once(child, 'exit')
}

const draftsIn = (directory: string) => readdirSync(directory).filter((name) => name.includes('initdb-'))

/** Whether any draft of a cluster in a data directory contains a file. */
const hasInDraft = (file: string) => (directory: string) =>
  draftsIn(directory).some((draft) => existsSync(join(directory, draft, file)))
const has = (file: string) => (directory: string) => existsSync(join(directory, file))

/** The steps of a first start, in order. */
const FIRST_START_STEPS: readonly ((directory: string) => boolean)[] = [
  has('server.lock'),
  has('postgres.password'),
  hasInDraft('cluster'),
  hasInDraft('password'),
  hasInDraft('cluster/PG_VERSION'),
  hasInDraft('cluster/base/1'),
  hasInDraft('cluster/global/pg_control'),
  hasInDraft('cluster/base/1/PG_VERSION'),
  hasInDraft('cluster/base/4'),
  hasInDraft('cluster/base/5'),
  has('postgres'),
  has('postgres/postmaster.pid'),
]

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'latchkey-embedded-'))
  chmodSync(root, 0o755)
  dataDir = join(root, 'data')
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.stop()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('embedded PostgreSQL', () => {
  test('is durable, accepts only this user, and logs no statement', async () => {
    const { url } = await start()
    const settings = await query(
      url,
      `SELECT name, setting FROM pg_settings WHERE name IN
       ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'log_min_error_statement') ORDER BY name`,
    )
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      listen_addresses: '',
      log_min_error_statement: 'panic',
      synchronous_commit: 'on',
    })
  })

  test('LEAK-02: the password is in a file of mode 600, and in no log', async () => {
    const { url } = await start()
    const file = join(dataDir, 'postgres.password')
    const password = readFileSync(file, 'utf8')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(new URL(url).password).toBe(password)
    await expect(query(url.replace(password, 'wrong'), 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
    expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).not.toContain(password)
    expect(logLines.join('')).not.toContain(password)
  })

  test('a second server on the same directory is refused, with the pid of the first', async () => {
    await start()
    await expect(start()).rejects.toThrow(new RegExp(`in use by another server \\(pid ${process.pid} on`))
  })

  test('two servers run side by side, one where the database user of a root server may not enter', async () => {
    mkdirSync(join(root, 'private'), { mode: 0o700 })
    const [one, two] = await Promise.all([start(), start(join(root, 'private', 'data'))])
    expect(await query(one.url, 'SELECT 1 AS n')).toEqual(await query(two.url, 'SELECT 1 AS n'))
  })

  test('a path too long for a socket is served on a loopback port', async () => {
    const { url } = await start(join(root, 'x'.repeat(100)))
    expect(new URL(url).searchParams.has('host')).toBe(false)
    expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
  })

  test('DUR-01: a first start that is killed at each of its steps is followed by one that succeeds', async () => {
    const firstDir = join(root, 'first-start')
    mkdirSync(firstDir)
    for (const isReached of FIRST_START_STEPS) {
      // A step that an earlier start completed takes no time.
      const child = spawn(process.execPath, [SERVER, firstDir], { stdio: 'ignore' })
      while (!isReached(firstDir) && child.exitCode === null) await sleep(1)
      expect(child.exitCode).toBeNull()
      // Its children, such as initdb, survive for a while and still write.
      await kill9(child)
    }
    const { url } = await start(firstDir)
    expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    await opened.pop()?.stop()
    // This start removes the files that the last orphans wrote.
    await start(firstDir)
    expect(draftsIn(firstDir)).toEqual([])
  })

  test('DUR-01: leftovers of an interrupted first start do not block the next, even while something still writes there', async () => {
    const draft = join(dataDir, 'postgres.initdb-busy')
    mkdirSync(draft)
    const script = `for (let i = 0; i < 200_000; i += 1) fs.writeFileSync(process.argv[1] + '/' + i % 5_000, '')`
    const writer = spawn(process.execPath, ['-e', script, draft], { stdio: 'ignore' })
    await expect.poll(() => readdirSync(draft).length).toBeGreaterThan(100)
    const { url } = await start()
    expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    await kill9(writer)
  })

  test('a database that cannot start reports why, with the end of its log', async () => {
    const { stop } = await start()
    await stop()
    const version = join(dataDir, 'postgres', 'PG_VERSION')
    const right = readFileSync(version)
    writeFileSync(version, '9.6\n')
    await expect(start()).rejects.toThrow(
      /did not start \(exit code 1\)[\s\S]*initialized by PostgreSQL version 9\.6/,
    )
    writeFileSync(version, right)
    await start()
  })

  test.each([
    ['names a living stranger', `${process.pid}\n/\n0\n5432\n\n\n0 0\nready\n`],
    ['was never written to', ''],
  ])('a pid file that %s does not stop the start', async (_, content) => {
    const { stop } = await start()
    await stop()
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock'])
      writeFileSync(join(dataDir, 'postgres', name), content)
    const { url } = await start()
    expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    expect(isAlive(process.pid)).toBe(true)
  })
})

test('a small database takes little memory, and a large one as much as PostgreSQL takes by default', async () => {
  const shown = async () => {
    const database = await start()
    const rows = await query(database.url, 'SHOW shared_buffers')
    await database.stop()
    return rows
  }
  expect(await shown()).toEqual([{ shared_buffers: '32MB' }])
  const table = join(dataDir, 'postgres', 'base', '1', '999999')
  writeFileSync(table, '')
  truncateSync(table, 300_000_000)
  expect(await shown()).toEqual([{ shared_buffers: '128MB' }])
})

describe('kill -9', () => {
  test('DUR-04: of the server while its database is paused: the next start ends the orphan first', async () => {
    const server = await startServerProcess()
    process.kill(server.pid, 'SIGSTOP')
    await kill9(server.child)
    expect(isAlive(server.pid)).toBe(true)
    const database = await start()
    expect(isAlive(server.pid)).toBe(false)
    expect(database.pid).not.toBe(server.pid)
  })

  test('DUR-03: of both at once, with a statement still running in an orphaned backend', async () => {
    const server = await startServerProcess()
    const busy = query(
      server.url,
      'DO $$ DECLARE n bigint := 0; BEGIN LOOP n := n + 1; END LOOP; END $$',
    ).catch(() => {})
    await sleep(100)
    process.kill(server.pid, 'SIGKILL')
    await kill9(server.child)
    const database = await start()
    await busy
    expect(await query(database.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
  })

  test('of the database, after its log was removed', async () => {
    const database = await start()
    const killed = Number(database.pid)
    rmSync(join(dataDir, 'postgres.log'))
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => database.pid).not.toBe(killed)
    await expect.poll(() => query(database.url, 'SELECT 1 AS n').catch(() => undefined)).toEqual([{ n: 1 }])
  })

  test('stopping while the database is being restarted leaves none running', async () => {
    const database = await start()
    const killed = Number(database.pid)
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => database.pid).not.toBe(killed)
    await database.stop()
    expect(database.pid).toBeUndefined()
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
  })
})
