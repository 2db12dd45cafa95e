/** Failing starts: the exit code gives the class of the problem, the message its remedy, and neither shows a secret. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { runServer, runToEnd, startCommand } from '@latchkey/testkit/process/server-process'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'
import { ENCRYPTION_KEYS } from './shared-env.ts'

const CANARY = 'CANARY-4f7d'

const database = await createTestDatabase()
const dataDir = temporaryFolder('refused')

describe('exit code 2: the settings are wrong', () => {
  test('every problem at once, by name, with the accepted form', async () => {
    const { exitCode, stderr, stdout } = await runToEnd([], {
      PORT: '99999',
      LATCHKEY_DEFAULT_POLCY: 'deny',
      LATCHKEY_EDITION: 'full',
      LATCHKEY_INITIAL_MANAGEMENT_TOKEN: CANARY,
    })
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain('The configuration has 4 problems:')
    expect(stderr).toContain(
      'LATCHKEY_DEFAULT_POLCY: there is no such setting; did you mean LATCHKEY_DEFAULT_POLICY?',
    )
    expect(stderr).toMatch(/PORT: "99999" .*0 to 65535/)
    expect(stderr).toMatch(/LATCHKEY_EDITION: "full" .*extended/)
    expect(stderr).toContain('LATCHKEY_INITIAL_MANAGEMENT_TOKEN: the value')
    expect(stderr).not.toContain(CANARY)
    expect(stderr).not.toContain('    at ')
  })

  test('check-config reports it, and starts nothing', async () => {
    expect(await runToEnd(['check-config'], { LATCHKEY_EDITION: 'x' })).toMatchObject({ exitCode: 2 })
    expect(await runToEnd(['check-config'])).toMatchObject({
      exitCode: 0,
      stdout: 'The configuration is valid.\n',
      stderr: '',
    })
  })
})

describe('exit code 1: the server cannot start here', () => {
  const start = (env: Record<string, string>) =>
    runToEnd([], {
      DATABASE_URL: database.url,
      LATCHKEY_ENCRYPTION_KEYS: ENCRYPTION_KEYS,
      LATCHKEY_DATA_DIR: dataDir,
      ...env,
    })

  test('an older Node, by the version that is needed', async () => {
    const pretend =
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.12.0' } })"
    const outcome = await runToEnd(['check-config'], {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(pretend)}`,
    })
    expect(outcome).toMatchObject({
      exitCode: 1,
      stderr: 'latchkey-server needs Node 24 or later, not 22.12.0\n',
    })
  })

  test('the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { exitCode, stderr } = await start({ PORT: String(port) })
    other.close()
    expect(exitCode).toBe(1)
    expect(stderr).toContain(`Cannot listen on 127.0.0.1:${port}: another process listens there.`)
  })

  test('the data directory cannot be used', async () => {
    const file = join(dataDir, 'a-file')
    writeFileSync(file, '')
    const { exitCode, stderr } = await start({ LATCHKEY_DATA_DIR: join(file, 'below') })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('cannot be used')
  })

  test.for(['[]', '["check-config"]', '["doctor"]'])(
    'CFG-01: a file that DATABASE_URL names cannot be read: %s',
    async (args) => {
      const url = `postgresql://user:${CANARY}@127.0.0.1:1/latchkey?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`
      const { exitCode, stderr, stdout } = await runToEnd(JSON.parse(args), {
        DATABASE_URL: url,
        LATCHKEY_DATA_DIR: dataDir,
      })
      expect(exitCode).toBe(1)
      expect(stderr + stdout).toMatch(/DATABASE_URL cannot be used: .*\/nowhere\/ca.pem/)
      expect(stderr + stdout).not.toMatch(/CANARY|^ {4}at /m)
    },
  )

  test('CFG-01: a file for connections to other datacenters cannot be read; check-config says so', async () => {
    const { exitCode, stderr } = await runToEnd(['check-config'], {
      LATCHKEY_REPLICATION_CA: '/nowhere/ca.pem',
    })
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/LATCHKEY_REPLICATION_CA cannot be used:\s+.*\/nowhere\/ca.pem/)
  })

  test('LEAK-02: the server waits for an unreachable database until a signal, without showing the password', async () => {
    const {
      process: child,
      log,
      ended,
    } = startCommand([], {
      DATABASE_URL: `postgresql://user:${CANARY}@127.0.0.1:1/latchkey`,
      LATCHKEY_DATA_DIR: dataDir,
    })
    await expect.poll(log, { timeout: 20_000 }).toContain('waiting for the database')
    expect(child.exitCode).toBeNull()
    child.kill('SIGTERM')
    const { exitCode, stderr, stdout } = await ended
    expect(exitCode).toBe(0)
    expect(stderr + stdout).not.toContain(CANARY)
  })

  test('LEAK-02: the database refuses the password', async () => {
    const url = new URL(database.url)
    url.username = 'nobody'
    url.password = CANARY
    const { exitCode, stderr, stdout } = await start({ DATABASE_URL: url.href })
    expect(exitCode).toBe(1)
    expect(stderr + stdout).not.toContain(CANARY)
    expect(stderr).not.toContain('    at ')
  })

  test.for(['1', '2'])('the keys do not decrypt the data, with LATCHKEY_WORKERS=%s', async (workers) => {
    const other = `test:${Buffer.alloc(32, 8).toString('base64')}`
    const first = await runServer({
      DATABASE_URL: database.url,
      LATCHKEY_ENCRYPTION_KEYS: ENCRYPTION_KEYS,
      LATCHKEY_DATA_DIR: dataDir,
    })
    await first.stop()
    const { exitCode, stderr } = await start({ LATCHKEY_ENCRYPTION_KEYS: other, LATCHKEY_WORKERS: workers })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('LATCHKEY_ENCRYPTION_KEYS')
    expect(stderr).not.toContain(other.slice(5))
  })
})
