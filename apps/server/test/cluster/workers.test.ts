/** LATCHKEY_WORKERS: several processes on one port. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { serverMain } from '@latchkey/testkit/process/server-build'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { STATIC } from '../login/static-key.ts'
import { askSocket } from '../open-sockets.ts'
import { childrenOf } from './harness/child-processes.ts'
import { httpGateway, jsonOf, type Request } from './harness/gateway.ts'
import { metricsOf } from './harness/metrics-of.ts'
import { MANAGEMENT, SHARED_ENV } from './harness/server-group.ts'

const GREETING = /listens on (\S+)/
const CONNECTIONS_MAX = 60
const POLL = { timeout: 20_000, interval: 200 }

function spawnMain(databaseUrl: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  const main = spawn(process.execPath, [serverMain()], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: databaseUrl,
      LATCHKEY_WORKERS: '2',
      ...SHARED_ENV,
      LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: `${CONNECTIONS_MAX}`,
      LATCHKEY_LOGINS_PER_SECOND: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  main.stderr.resume()
  return main
}

/** Waits for a line of the log. */
async function logged({ stderr }: ChildProcess, text: string): Promise<void> {
  if (!stderr) return
  for await (const line of createInterface({ input: stderr })) if (line.includes(text)) return
}

/** @param output collects the lines that the server prints. */
function urlOf({ stdout }: ChildProcess, output: string[] = []): Promise<string> {
  return new Promise((resolve) => {
    if (!stdout) return
    createInterface({ input: stdout }).on('line', (line) => {
      output.push(line)
      const found = GREETING.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
}

function killAll(main: ChildProcess): void {
  for (const pid of childrenOf(main.pid ?? 0)) process.kill(pid, 'SIGKILL')
  main.kill('SIGKILL')
}

describe('LATCHKEY_WORKERS=2', async () => {
  const database = await createTestDatabase()
  const output: string[] = []
  let main: ChildProcess
  let url = ''

  beforeAll(async () => {
    main = spawnMain(database.url)
    url = await urlOf(main, output)
  })
  afterAll(async () => {
    killAll(main)
  })

  /** Sends each request over a new connection, which the main process assigns to a worker. */
  const ask = async (path: string, options: Partial<Request> = {}) => {
    const gateway = httpGateway(() => url)
    const reply = await gateway.ask({ method: 'GET', path, token: MANAGEMENT, ...options })
    gateway.close()
    return reply
  }
  const processIds = async () => {
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => ask('/agent/self').catch(() => undefined)),
    )
    return new Set(
      replies.flatMap((reply) => (reply ? [jsonOf<{ Member: { ID: string } }>(reply).Member.ID] : [])),
    )
  }

  const metrics = async () => {
    const gateway = httpGateway(() => url)
    try {
      return await metricsOf(gateway)
    } finally {
      gateway.close()
    }
  }

  test('two processes answer on one port, and the greeting is printed once', async () => {
    await expect.poll(async () => (await processIds()).size).toBe(2)
    expect(childrenOf(main.pid ?? 0)).toHaveLength(2)
    expect(output.filter((line) => GREETING.test(line))).toHaveLength(1)
  })

  test('DOS-05: the limit of logins per client applies across all processes', async () => {
    const method = { Name: 'workers', Type: 'jwt', Config: STATIC }
    expect((await ask('/acl/auth-method', { method: 'PUT', body: method })).status).toBe(200)
    const body = { AuthMethod: 'workers', BearerToken: 'none' }
    const began = performance.now()
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => ask('/acl/login', { method: 'POST', body })),
    )
    const refilled = Math.ceil((performance.now() - began) / 1_000)
    const admitted = replies.filter(({ status }) => status !== 429).length
    expect(admitted).toBeGreaterThanOrEqual(5)
    expect(admitted).toBeLessThanOrEqual(5 + refilled)
  })

  describe('DOS-01', () => {
    const sockets: Socket[] = []
    const closeAll = () => {
      for (const socket of sockets.splice(0)) socket.destroy()
    }
    afterEach(closeAll)

    /** Opens a connection. @returns whether it was admitted. */
    const isAdmitted = async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      sockets.push(socket)
      socket.on('error', () => {})
      return /^HTTP\/1\.1 (?!429)/.test(await askSocket(socket))
    }
    const open = async (count: number) =>
      (await Promise.all(Array.from({ length: count }, isAdmitted))).filter(Boolean).length
    test('a client has one limit across all processes', async () => {
      await expect.poll(async () => (await processIds()).size, POLL).toBe(2)
      expect(await open(CONNECTIONS_MAX + 40)).toBeLessThanOrEqual(CONNECTIONS_MAX)
      closeAll()
      // The server learns of closed connections a moment later.
      await expect.poll(isAdmitted, POLL).toBe(true)
    })

    test('when a worker is killed, the slots of its clients are freed', async () => {
      await expect
        .poll(() => {
          closeAll()
          return open(CONNECTIONS_MAX + 1)
        }, POLL)
        .toBe(CONNECTIONS_MAX)
      process.kill(childrenOf(main.pid ?? 0)[0] ?? 0, 'SIGKILL')
      await expect.poll(isAdmitted, POLL).toBe(true)
      closeAll()
      await expect.poll(async () => (await processIds()).size, POLL).toBe(2)
    })
  })

  test('a worker that is killed is replaced, and no counter of the server decreases', async () => {
    await expect.poll(async () => (await metrics()).get('latchkey_workers'), POLL).toBe(2)
    const commits = async () => (await metrics()).get('latchkey_store_commits_total') ?? 0
    const first = await commits()
    for (let i = 0; i < 10; i += 1) await ask('/acl/token', { method: 'PUT', body: {} })
    const written = await commits()
    expect(written).toBeGreaterThanOrEqual(first + 10)
    const before = await processIds()
    process.kill(childrenOf(main.pid ?? 0)[0] ?? 0, 'SIGKILL')
    await expect.poll(async () => [...(await processIds())].filter((id) => !before.has(id)).length).toBe(1)
    expect((await processIds()).size).toBe(2)
    expect(await commits()).toBeGreaterThanOrEqual(written)
    expect(output.filter((line) => GREETING.test(line))).toHaveLength(1)
  })

  test('SIGTERM to the main process, and also to a worker, drains all of them: exit 0', async () => {
    const workers = childrenOf(main.pid ?? 0)
    const held = Array.from({ length: 12 }, () => ask('/acl/tokens?index=99999999&wait=5m'))
    await expect.poll(async () => (await metrics()).get('latchkey_store_waiters'), POLL).toBe(held.length)
    const exit = once(main, 'exit')
    // Like an init system: workers that already got the signal are also stopped by the main process.
    for (const pid of [...workers.slice(1), main.pid ?? 0]) process.kill(pid, 'SIGTERM')
    expect(await exit).toEqual([0, null])
    for (const { status } of await Promise.all(held)) expect(status).toBe(200)
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow()
  }, 40_000)
})

test.for<[string, NodeJS.Signals[]]>([
  ['SIGKILL', ['SIGKILL']],
  ['a second SIGTERM, which ends it with a code', ['SIGTERM', 'SIGTERM']],
])(
  'a worker that starts is ended by %s: the server starts, with all its workers',
  { timeout: 60_000 },
  async ([, signals], { onTestFinished }) => {
    const database = await createTestDatabase()
    const main = spawnMain(database.url)
    onTestFinished(async () => {
      killAll(main)
    })
    const greeted = urlOf(main)
    const children = () => childrenOf(main.pid ?? 0)
    await expect.poll(() => children().length, { ...POLL, interval: 10 }).toBe(2)
    const [killed = 0] = children()
    for (const signal of signals) process.kill(killed, signal)
    await Promise.race([greeted, once(main, 'exit')])
    expect(main.exitCode).toBeNull()
    await expect.poll(() => children().filter((pid) => pid !== killed).length, POLL).toBe(2)
  },
)

test('a worker that ends while no process can be started is replaced once one can', async ({
  onTestFinished,
}) => {
  const database = await createTestDatabase()
  const main = spawnMain(database.url)
  onTestFinished(async () => {
    killAll(main)
  })
  await urlOf(main)
  const children = () => childrenOf(main.pid ?? 0)
  await expect.poll(() => children().length, POLL).toBe(2)
  const limitFiles = (files: number) =>
    execFileSync('prlimit', ['--pid', `${main.pid}`, `--nofile=${files}:`])
  limitFiles(10)
  const [killed = 0] = children()
  process.kill(killed, 'SIGKILL')
  await Promise.race([logged(main, 'EMFILE'), once(main, 'exit')])
  limitFiles(1_024)
  await expect.poll(() => children().filter((pid) => pid !== killed).length, POLL).toBe(2)
}, 60_000)

test('a worker that ended just before a SIGTERM gets no successor', async ({ onTestFinished }) => {
  const database = await createTestDatabase()
  const main = spawnMain(database.url, { LATCHKEY_DRAIN_TIME: '2s' })
  onTestFinished(async () => {
    killAll(main)
  })
  const url = await urlOf(main)
  const children = () => childrenOf(main.pid ?? 0)
  await expect.poll(() => children().length, POLL).toBe(2)
  const workers = children()
  process.kill(workers[0] ?? 0, 'SIGKILL')
  await expect.poll(() => children().length, { ...POLL, interval: 10 }).toBe(1)
  // The other worker drains for as long as a successor would take to start, because its readiness was probed.
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isReady, { ...POLL, interval: 10 }).toBe(true)
  const exit = once(main, 'exit')
  main.kill('SIGTERM')
  const seen = new Set<number>()
  while (main.exitCode === null && main.signalCode === null) {
    for (const pid of children()) seen.add(pid)
    await Promise.race([exit, sleep(20)])
  }
  expect(await exit).toEqual([0, null])
  expect([...seen].filter((pid) => !workers.includes(pid))).toEqual([])
}, 60_000)
