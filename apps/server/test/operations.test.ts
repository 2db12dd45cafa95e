/** Probes, request ids, the log, disabled ACLs, and concurrent starts and bootstraps. */

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GaugeSample } from '@latchkey/contract'
import type { RunningServer } from '@latchkey/testkit/process/server-process'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { backUp } from '../src/cli/archives/backup.ts'
import { inspectArchive } from '../src/cli/archives/inspect.ts'
import { restoreArchive } from '../src/cli/archives/restore.ts'
import { StartError } from '../src/start-error.ts'
import { createTestDatabase } from './database.ts'
import { startTestServer } from './server.ts'
import { MANAGEMENT } from './shared-env.ts'

const start = (env: Record<string, string> = {}) => startTestServer({ LATCHKEY_ACCESS_LOG: 'all', ...env })

describe('a server', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await start()
  })

  const ask = (path: string, init: RequestInit = {}) => fetch(`${server.url}${path}`, init)
  const logged = (id: string) =>
    server.log.flatMap((line) => (line.includes(`"id":"${id}"`) ? [JSON.parse(line)] : []))

  test('is in the catalog from the start, with its port and a passing check', async () => {
    const headers = { 'X-Service-Token': MANAGEMENT }
    const read = async (path: string) => (await ask(path, { headers })).json()
    const [instance] = (await read('/v1/health/service/latchkey')) as {
      Service: { Port: number }
      Checks: { CheckID: string; Status: string }[]
    }[]
    expect(instance).toMatchObject({
      Service: { Port: Number(new URL(server.url).port) },
      Checks: [{ CheckID: 'serfHealth', Status: 'passing' }],
    })
    expect(await read('/v1/agent/services')).toEqual({})
    expect(await read('/v1/agent/checks')).toEqual({})
  })

  test('metrics show a stall of the event loop, however often they are read', async () => {
    server.process.kill('SIGSTOP')
    await sleep(1_000)
    server.process.kill('SIGCONT')
    const read = async () => {
      const { body } = await server.call('GET', '/agent/metrics?format=prometheus', { token: MANAGEMENT })
      const lags = [...body.matchAll(/^latchkey_nodejs_eventloop_lag_(\w+)_seconds (\S+)$/gm)]
      return Object.fromEntries(lags.map(([, name, value]) => [name, Number(value)]))
    }
    for (const lag of [await read(), await read(), await read()]) {
      expect(lag.max).toBeGreaterThan(0.9)
      for (const name of ['min', 'mean', 'stddev', 'p50', 'p90', 'p99']) {
        expect(lag[name], name).toBeGreaterThan(0)
        expect(lag[name], name).toBeLessThanOrEqual(lag.max ?? 0)
      }
    }
    const { body } = await server.call('GET', '/agent/metrics', { token: MANAGEMENT })
    const values = new Map(body.Gauges.map(({ Name, Value }: GaugeSample) => [Name, Value]))
    expect(values.get('latchkey_nodejs_eventloop_lag_max_seconds')).toBeGreaterThan(0.9)
  })

  test('headers reveal nothing, and forbid caching (CFG-01)', async () => {
    const response = await ask('/v1/acl/token/self', {
      headers: { 'X-Service-Token': MANAGEMENT, Origin: 'http://x' },
    })
    expect(response.headers.get('cache-control')).toBe('no-store')
    for (const name of ['x-powered-by', 'server', 'etag', 'access-control-allow-origin', 'set-cookie']) {
      expect(response.headers.has(name), name).toBe(false)
    }
  })

  test('forwarding headers do not change the client address (CFG-01)', async () => {
    const headers = { 'X-Request-Id': 'fwd-1', 'X-Forwarded-For': '10.9.9.9', Forwarded: 'for=10.9.9.9' }
    await ask('/v1/status/leader', { headers })
    await expect.poll(() => logged('fwd-1')).toHaveLength(1)
    expect(logged('fwd-1')[0].address).not.toContain('10.9.9.9')
  })
})

describe('backup, inspect and restore', () => {
  const folder = temporaryFolder('archives')
  const printed: string[] = []
  let server: RunningServer
  let env: Record<string, string>
  beforeAll(async () => {
    server = await start()
    env = { LATCHKEY_ADDR: server.url, LATCHKEY_TOKEN: MANAGEMENT }
  })
  beforeEach(() => {
    printed.splice(0)
    // Each test closes the real streams.
    for (const stream of ['stdout', 'stderr'] as const) {
      vi.spyOn(process[stream], 'write').mockImplementation((text) => printed.push(String(text)) > 0)
    }
  })
  const put = (key: string) => server.call('PUT', `/kv/${key}`, { token: MANAGEMENT, body: 'x' })
  const keys = () => server.call('GET', '/kv/?keys', { token: MANAGEMENT })

  test('a restored server has the records of the file; only its owner can read the file', async () => {
    const file = join(folder, 'archive')
    await put('before')
    expect(await backUp(file, env)).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await inspectArchive(file)).toBe(0)
    expect(printed.join('')).toMatch(
      /is whole[\s\S]*needs keys {4}test\n {2}HMAC {10}by the key test;[\s\S]*1 kv/,
    )
    await put('after')
    expect(await restoreArchive(file, env, { isForced: true, isUnauthenticated: false })).toBe(0)
    expect(await keys()).toMatchObject({ status: 200, body: ['before'] })
  })

  test('a damaged file is refused by each command, and a refused backup leaves no file', async () => {
    const file = join(folder, 'damaged')
    expect(await backUp(file, env)).toBe(0)
    writeFileSync(file, readFileSync(file).subarray(0, -10))
    await expect(inspectArchive(file)).rejects.toThrow(/damaged: it ends at byte/)
    await expect(restoreArchive(file, env, { isForced: true, isUnauthenticated: false })).rejects.toThrow(
      StartError,
    )
    const other = join(folder, 'other')
    await expect(backUp(other, { ...env, LATCHKEY_TOKEN: '' })).rejects.toThrow('Permission denied')
    expect(() => statSync(other)).toThrow()
  })
})

test('servers may start concurrently on a new database, and one of them answers a bootstrap', async () => {
  const { url: DATABASE_URL } = await createTestDatabase({ migrated: false })
  const env = { DATABASE_URL, LATCHKEY_INITIAL_MANAGEMENT_TOKEN: '' }
  const started = await Promise.all([start(env), start(env)])
  const answers = await Promise.all(
    started.flatMap((server) => [1, 2].map(() => server.call('PUT', '/acl/bootstrap'))),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(3)
})
