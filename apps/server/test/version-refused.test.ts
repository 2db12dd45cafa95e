/** Versions that the data of a database refuses. Spec 9.2.5. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RunningServer } from '@latchkey/testkit/process/server-process'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase, sql } from './database.ts'
import { startTestServer } from './server.ts'
import { MANAGEMENT } from './shared-env.ts'

let database: { readonly url: string }
beforeEach(async () => {
  database = await createTestDatabase()
})

const start = (version: string, env: Record<string, string> = {}) =>
  startTestServer({ DATABASE_URL: database.url, LATCHKEY_SERVICE_VERSION: version, ...env })

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
  await sql(database.url, 'UPDATE member SET left_at = now()')
  const upgraded = await start('1.4.0')
  await expect
    .poll(async () => (await upgraded.call('GET', '/acl/tokens', { token: MANAGEMENT })).status, {
      timeout: 30_000,
    })
    .toBe(200)
  for (const pid of processes) process.kill(pid, 'SIGCONT')
}

test('a server before 1.4.0 that was silent while the others finished the upgrade exits when it returns, and says why', async () => {
  const old = await start('1.3.0')
  const ended = once(old.process, 'exit')
  await upgradeWithout(old)
  expect(await ended).toEqual([1, null])
  expect(old.log.at(-1)).toBe(
    'version 1.3.0 cannot run: its data is upgraded to 1.4.0 or later, and there is no way back (spec 9.2.5). Start version 1.4.0 or later.',
  )
})

test('so do its workers, which are not started again', async () => {
  const old = await start('1.3.0', { LATCHKEY_WORKERS: '2' })
  await expect.poll(() => old.log.filter((line) => line.includes('"listening"')).length).toBe(2)
  const ended = once(old.process, 'exit')
  await upgradeWithout(old)
  expect(await ended).toEqual([1, null])
  expect(old.log.join('\n')).toContain('version 1.3.0 cannot run')
  expect(old.log.join('\n')).not.toContain('restarting it')
})

test('a version before 1.4.0 does not start on upgraded data, with workers or without', async () => {
  await (await start('1.4.0')).stop()
  for (const env of [{}, { LATCHKEY_WORKERS: '2' }])
    await expect(start('1.3.0', env)).rejects.toThrow('there is no way back')
})

test('1.11 does not start while tokens have only legacy rules, unless configured to do so (decisions: upgrade)', async () => {
  const server = await start('1.10')
  const body = { Name: 'old', Rules: 'key "a" { policy = "read" }' }
  await server.call('PUT', '/acl/create', { token: MANAGEMENT, body })
  await server.stop()
  await expect(start('1.11')).rejects.toThrow('LATCHKEY_ALLOW_UNCONVERTED_LEGACY')
  const told = await start('1.11', { LATCHKEY_ALLOW_UNCONVERTED_LEGACY: 'true' })
  expect((await told.call('GET', '/acl/list', { token: MANAGEMENT })).status).toBe(410)
})
