/** A server before 1.4.0 that was silent while the others finished the upgrade. Spec 9.2.5. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { MANAGEMENT, SERVER_ENV } from './shared-env.ts'

const running: RunningServer[] = []
let database: TestDatabase

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')))
  await database.drop()
})

async function start(version: string, env: Record<string, string> = {}): Promise<RunningServer> {
  const server = await runServer({
    DATABASE_URL: database.url,
    LATCHKEY_SERVICE_VERSION: version,
    ...SERVER_ENV,
    ...env,
  })
  running.push(server)
  return server
}

/** The process and its workers. */
function processesOf(server: RunningServer): readonly number[] {
  const pid = server.process.pid ?? 0
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

/** Ends legacy mode while the server is silent: the others consider it gone. */
async function upgradeWithout(server: RunningServer): Promise<void> {
  const processes = processesOf(server)
  for (const pid of processes) process.kill(pid, 'SIGSTOP')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('UPDATE member SET left_at = now()')
  await client.end()
  const upgraded = await start('1.4.0')
  await expect
    .poll(async () => (await upgraded.call('GET', '/acl/tokens', { token: MANAGEMENT })).status, {
      timeout: 30_000,
    })
    .toBe(200)
  for (const pid of processes) process.kill(pid, 'SIGCONT')
}

test('it exits when it returns, with code 1, and says why', async () => {
  const old = await start('1.3.0')
  const ended = once(old.process, 'exit')
  await upgradeWithout(old)
  expect(await ended).toEqual([1, null])
  expect(old.log.at(-1)).toBe(
    'version 1.3.0 cannot run: its data is upgraded to 1.4.0 or later, and there is no way back (spec 9.2.5). Start version 1.4.0 or later.',
  )
})

test('its workers are not started again', async () => {
  const old = await start('1.3.0', { LATCHKEY_WORKERS: '2' })
  await expect.poll(() => old.log.filter((line) => line.includes('"listening"')).length).toBe(2)
  const ended = once(old.process, 'exit')
  await upgradeWithout(old)
  expect(await ended).toEqual([1, null])
  expect(old.log.join('\n')).toContain('version 1.3.0 cannot run')
  expect(old.log.join('\n')).not.toContain('restarting it')
})

test('workers that are too old at their start end the server', async () => {
  const upgraded = await start('1.4.0')
  await upgraded.stop()
  await expect(start('1.3.0', { LATCHKEY_WORKERS: '2' })).rejects.toThrow('there is no way back')
})
