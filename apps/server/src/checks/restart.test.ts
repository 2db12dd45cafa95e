/** The checks of a node when its process stops and another one starts. Decisions: agent. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CheckRecord } from '@latchkey/catalog'
import { MemoryStore, startLocalChecks } from '@latchkey/service'
import { HOSTILE_ANSWERS, startHostileServer } from '@latchkey/testkit/process/hostile-server'
import { aCheck, aNode, aService } from '@latchkey/testkit/records/catalog-builders'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { Outgoing } from '../outgoing/outgoing.ts'
import { CheckRunner } from './check-runner.ts'
import { startChecks } from './start-checks.ts'

const NODE = 'a'
const log = pino({ level: 'silent' })
const PATIENCE = { timeout: 20_000, interval: 20 }
const LIMITS = { outputBytesMax: 4_096, successesToPass: 1, failuresToFail: 1 }
const parts = {
  now: () => performance.now(),
  sleeper: {
    after: (ms: number, callback: () => void) => {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
  },
  random: { bytes: (count: number) => new Uint8Array(count) },
  pauseMs: 10,
}

async function aStore(check: Partial<CheckRecord>): Promise<MemoryStore> {
  const store = new MemoryStore({ after: parts.sleeper.after, now: Date.now })
  const put = <T extends string, R>(table: T, record: R) => ({ table, op: 'put', record, expect: 0 }) as const
  await store.commit([
    put('nodes', aNode({ Node: NODE })),
    put('services', aService({ Node: NODE, ID: 'web', Service: 'web' })),
    put('checks', aCheck({ Node: NODE, CheckID: 'alive', ServiceID: 'web', Status: 'passing', ...check })),
  ])
  return store
}

const checkIn = (store: MemoryStore) => store.catalog().check(NODE, 'alive')

function aLocalChecks(store: MemoryStore, process: string) {
  const onError = (error: unknown) => expect.fail(String(error))
  return startLocalChecks({ ...parts, store, nodeName: NODE, process, onError })
}

/** A process of the node: the only living one, or the one that runs the checks. */
function startProcess(
  store: MemoryStore,
  process: string,
  {
    checkHosts = [],
    others = [],
  }: { readonly checkHosts?: readonly string[]; readonly others?: readonly string[] } = {},
): { stop(): Promise<void> } {
  const members = async () => [
    { id: '0', node: 'b', status: 'alive' as const },
    { id: '1', node: NODE, status: 'failed' as const },
    ...[process, ...others].map((id) => ({ id, node: NODE, status: 'alive' as const })),
  ]
  const localChecks = aLocalChecks(store, process)
  const membership = { memberId: process, members }
  const checks = startChecks({
    store: Object.assign(Object.create(store) as MemoryStore, { membership }),
    config: { nodeName: NODE, checkHosts },
    localChecks,
    log,
  })
  onTestFinished(() => checks.stop())
  return checks
}

test('the process that starts next runs the HTTP checks of the node', async () => {
  let status = 200
  const target = createServer((_request, response) => {
    response.writeHead(status).end()
  })
  await new Promise<void>((listening) => target.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    target.closeAllConnections()
    target.close()
  })
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
  const run = { type: 'http', url, method: 'GET', header: {}, body: '', skipsVerify: false } as const
  const Agent = { ...LIMITS, run: { ...run, intervalMs: 100, timeoutMs: 20_000 }, process: 'one' }
  const store = await aStore({ Status: 'critical', Agent })
  const first = startProcess(store, 'one')
  await expect.poll(() => checkIn(store)?.Status, PATIENCE).toBe('passing')
  await first.stop()
  status = 500
  startProcess(store, 'two')
  await expect.poll(() => checkIn(store)?.Status, PATIENCE).toBe('critical')
})

test('a process that stops writes no result of a check in flight', async () => {
  const silent = await startHostileServer(HOSTILE_ANSWERS['is silent'])
  onTestFinished(() => silent.close())
  const url = `http://127.0.0.1:${silent.port}/`
  const run = { type: 'http', url, method: 'GET', header: {}, body: '', skipsVerify: false } as const
  const Agent = { ...LIMITS, run: { ...run, intervalMs: 100, timeoutMs: 20_000 }, process: 'one' }
  const store = await aStore({ Status: 'passing', Agent })
  const first = startProcess(store, 'one')
  await expect.poll(() => silent.open.size, PATIENCE).toBe(1)
  await first.stop()
  for (const socket of silent.open) socket.end()
  await expect.poll(() => silent.open.size, PATIENCE).toBe(0)
  expect(checkIn(store)?.Status).toBe('passing')
})

test('SSRF-01: where only public hosts are allowed, no check reaches this machine', async () => {
  let requests = 0
  const target = createServer((_request, response) => {
    requests += 1
    response.end('secret')
  })
  await new Promise<void>((listening) => target.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void target.close())
  const { port } = target.address() as AddressInfo
  const common = { intervalMs: 100, timeoutMs: 20_000 }
  const http = { type: 'http', method: 'GET', header: {}, body: '', skipsVerify: false, ...common } as const
  for (const run of [
    { ...http, url: `http://127.0.0.1:${port}` },
    { ...http, url: `http://localhost:${port}` },
    { type: 'tcp', address: `127.0.0.1:${port}`, ...common } as const,
    { type: 'tcp', address: `localhost:${port}`, ...common } as const,
  ]) {
    const store = await aStore({ Status: 'passing', Agent: { ...LIMITS, run, process: 'one' } })
    const first = startProcess(store, 'one', { checkHosts: ['public'] })
    await expect.poll(() => checkIn(store)?.Status, PATIENCE).toBe('critical')
    expect(checkIn(store)?.Output).toContain('address not allowed')
    await first.stop()
  }
  expect(requests).toBe(0)
})

test('a TTL check whose process has ended gets its full TTL again in the next process, and then expires', async () => {
  const Agent = { ...LIMITS, run: { type: 'ttl', ttlMs: 300 } as const, process: 'one' }
  const store = await aStore({ Output: 'fine', Agent })
  await startProcess(store, 'one').stop()
  const startedAt = performance.now()
  startProcess(store, 'two')
  await expect.poll(() => checkIn(store)?.Status, PATIENCE).toBe('critical')
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300)
  expect(checkIn(store)?.Output).toBe('TTL expired (last output before timeout follows): fine')
})

test('a check that recovers starts the time anew that its service may be critical', async () => {
  const MINUTE = 60_000
  const run = { type: 'ttl', ttlMs: MINUTE } as const
  const Agent = { ...LIMITS, run, deregisterAfterMs: MINUTE, process: 'one' }
  const store = await aStore({ Status: 'critical', Agent })
  const runner = new CheckRunner({
    ...{ store, nodeName: NODE, localChecks: aLocalChecks(store, 'one'), log },
    ...{ outgoing: new Outgoing({ allowHttp: true }) },
  })
  const critical = store.catalog().checksOn(NODE)
  await runner.removeCritical(critical, 0)
  await runner.removeCritical(
    critical.map((check) => ({ ...check, Status: 'passing' })),
    MINUTE - 1,
  )
  await runner.removeCritical(critical, MINUTE)
  expect(store.catalog().service(NODE, 'web')).toBeDefined()
})

test('a TTL check whose process lives is left to that process', async () => {
  const ttl = (ttlMs: number, process: string) => ({
    Status: 'passing',
    Agent: { ...LIMITS, run: { type: 'ttl', ttlMs } as const, process },
  })
  const store = await aStore(ttl(100, 'two'))
  const orphan = aCheck({ Node: NODE, CheckID: 'orphan', ServiceID: 'web', ...ttl(300, 'gone') })
  await store.commit([{ table: 'checks', op: 'put', record: orphan, expect: 0 }])
  startProcess(store, 'one', { others: ['two'] })
  await expect.poll(() => store.catalog().check(NODE, 'orphan')?.Status, PATIENCE).toBe('critical')
  expect(checkIn(store)?.Status).toBe('passing')
})

test('a service that may be critical for a minute gets a full minute again after a restart', async () => {
  const MINUTE = 60_000
  const run = { type: 'ttl', ttlMs: MINUTE } as const
  const Agent = { ...LIMITS, run, deregisterAfterMs: MINUTE, process: 'one' }
  const store = await aStore({ Status: 'critical', Agent })
  const outgoing = new Outgoing({ allowHttp: true })
  const localChecks = aLocalChecks(store, 'one')
  const aRunner = () => new CheckRunner({ store, nodeName: NODE, localChecks, outgoing, log })
  const look = (runner: CheckRunner, now: number) =>
    runner.removeCritical(store.catalog().checksOn(NODE), now)
  const first = aRunner()
  await look(first, 0)
  await look(first, MINUTE - 1)
  const second = aRunner()
  await look(second, MINUTE)
  await look(second, 2 * MINUTE - 1)
  expect(store.catalog().service(NODE, 'web')).toBeDefined()
  await look(second, 2 * MINUTE)
  expect(store.catalog().service(NODE, 'web')).toBeUndefined()
})
