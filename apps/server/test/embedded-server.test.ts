/** A server with its embedded database: first start, restarts, stops and kills. */
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

/** Much shorter than a stop that waits for something that never ends: {@link SHUTDOWN_TIMEOUT}. */
const STOP_MS_MAX = 60_000
const SHUTDOWN_TIMEOUT = '5m'

/** All that libpq 18 reads, and some that only the driver reads. */
const LIBPQ_VARIABLES = `
  PGHOST PGHOSTADDR PGPORT PGDATABASE PGUSER PGPASSWORD PGPASSFILE PGREQUIREAUTH PGCHANNELBINDING PGSERVICE PGSERVICEFILE
  PGOPTIONS PGAPPNAME PGSSLMODE PGREQUIRESSL PGSSLNEGOTIATION PGSSLCOMPRESSION PGSSLCERT PGSSLKEY PGSSLCERTMODE
  PGSSLROOTCERT PGSSLCRL PGSSLCRLDIR PGSSLSNI PGREQUIREPEER PGSSLMINPROTOCOLVERSION PGSSLMAXPROTOCOLVERSION
  PGGSSENCMODE PGKRBSRVNAME PGGSSLIB PGGSSDELEGATION PGCONNECT_TIMEOUT PGCLIENTENCODING PGTARGETSESSIONATTRS
  PGLOADBALANCEHOSTS PGMINPROTOCOLVERSION PGMAXPROTOCOLVERSION PGDATESTYLE PGTZ PGGEQO PGSYSCONFDIR PGLOCALEDIR PGDATA
  PGREPLICATION PGBINARY PGSTATEMENT_TIMEOUT PGLOCK_TIMEOUT PGFALLBACK_APPLICATION_NAME
`
  .trim()
  .split(/\s+/)

let dataDir: string
let running: RunningServer | undefined
let management = ''

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'latchkey-server-'))
})
afterEach(async () => {
  await running?.stop('SIGKILL')
  running = undefined
})
afterAll(async () => {
  while (postmasterPid() !== undefined) await new Promise((resolve) => setTimeout(resolve, 50))
  rmSync(dataDir, { recursive: true })
})

async function start(env: Record<string, string> = {}): Promise<RunningServer> {
  running = await runServer({
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_SHUTDOWN_TIMEOUT: SHUTDOWN_TIMEOUT,
    ...env,
  })
  return running
}

/** The pid of the postmaster while it is alive. */
function postmasterPid(): number | undefined {
  const file = join(dataDir, 'postgres/postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  return existsSync(`/proc/${pid}`) ? pid : undefined
}

const statusOfSelf = async (server: RunningServer) =>
  (await server.call('GET', '/acl/token/self', { token: management })).status

/** Stops a server with a signal; returns its exit and how long it took. */
async function end(server: RunningServer, signal: NodeJS.Signals) {
  const startedAt = performance.now()
  const exit = once(server.process, 'exit')
  server.process.kill(signal)
  const [exitCode, exitSignal] = await exit
  return { exitCode, exitSignal, ms: performance.now() - startedAt }
}

describe('one data directory, in this order', () => {
  test('the first start creates everything, readable only by its owner, and prints the next step', async () => {
    const server = await start()
    const mode = (path: string) => (statSync(join(dataDir, path)).mode & 0o777).toString(8)
    expect(mode('encryption.keys')).toBe('600')
    expect(mode('postgres.password')).toBe('600')
    const made = await server.call('PUT', '/acl/bootstrap')
    expect(made.status).toBe(200)
    management = made.body.SecretID
    expect((await server.call('PUT', '/acl/bootstrap')).status).toBe(403)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: exit 0, the database stopped, nothing left behind',
    async (signal) => {
      const server = await start()
      expect(postmasterPid()).toBeDefined()
      const { exitCode, ms } = await end(server, signal)
      expect(exitCode).toBe(0)
      expect(ms).toBeLessThan(STOP_MS_MAX)
      expect(postmasterPid()).toBeUndefined()
      expect(existsSync(join(dataDir, 'server.pid'))).toBe(false)
    },
  )

  test('a second signal ends it at once, and the next start recovers by itself', async () => {
    const server = await start()
    // An incomplete body keeps a request in flight, for which the first signal waits.
    const held = connect(Number(new URL(server.url).port), '127.0.0.1')
    held.on('error', () => {})
    held.write(
      `PUT /v1/acl/token HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${management}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
    )
    await once(held, 'data')
    server.process.kill('SIGTERM')
    await expect.poll(() => fetch(server.url).catch(() => 'refused')).toBe('refused')
    expect(server.process.exitCode).toBeNull()
    const { exitCode, ms } = await end(server, 'SIGTERM')
    expect(exitCode).toBe(143)
    expect(ms).toBeLessThan(STOP_MS_MAX)
    expect(await statusOfSelf(await start())).toBe(200)
  })

  test('no variable of libpq reaches the embedded database or its pools', async () => {
    const env = Object.fromEntries(LIBPQ_VARIABLES.map((name) => [name, 'nonsense']))
    const server = await start({ ...env, PGSSLMODE: 'verify-full', LATCHKEY_WORKERS: '2' })
    expect(await statusOfSelf(server)).toBe(200)
    const { status } = await server.call('PUT', '/acl/token', { token: management, body: {} })
    expect(status).toBe(200)
  })

  test('SIGTERM during a start: the server exits, and the next start recovers by itself', async () => {
    for (const afterMs of [300, 900]) {
      const starting = runServer({ LATCHKEY_DATA_DIR: dataDir }).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, afterMs))
      // The process that holds the lock is the starting server.
      const pid = serverPid()
      if (pid !== undefined) process.kill(pid, 'SIGTERM')
      const server = await starting
      await server?.stop()
    }
    expect(await statusOfSelf(await start())).toBe(200)
  })

  function serverPid(): number | undefined {
    const file = join(dataDir, 'server.pid')
    const pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : Number.NaN
    return Number.isInteger(pid) && existsSync(`/proc/${pid}`) ? pid : undefined
  }

  test('RACE-01: of 64 concurrent bootstraps with a reset file one succeeds, and the old token stays valid', async () => {
    const server = await start()
    const refused = await server.call('PUT', '/acl/bootstrap')
    const index = /reset index: (\d+)/.exec(refused.body)?.[1] ?? ''
    writeFileSync(join(dataDir, 'acl-bootstrap-reset'), `${index}\n`)
    const answers = await Promise.all(Array.from({ length: 64 }, () => server.call('PUT', '/acl/bootstrap')))
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(63)
    expect(existsSync(join(dataDir, 'acl-bootstrap-reset'))).toBe(false)
    expect(await statusOfSelf(server)).toBe(200)
    const self = await server.call('GET', '/acl/token/self', { token: won[0]?.body.SecretID })
    expect(self.status).toBe(200)
  })
})
