/** `node bench/scale.ts`: what grows with tokens, policies, services and processes. The figures of docs/scale.md. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BLANK_TOKEN } from '@latchkey/acl'
import pg from 'pg'
import { pino } from 'pino'
import { connectDatabase } from '../src/database/connect.ts'
import { loadKeyFile } from '../src/secrets/encryption-keys.ts'
import { createKeyRing, type KeyRing } from '../src/secrets/key-ring.ts'
import { openStore } from '../src/storage/open-store.ts'
import { plantTokens } from '../test/replication/plant-tokens.ts'
import { call, inParallel } from './client.ts'
import { startContender } from './contender.ts'
import { compete } from './contest.ts'
import { applyLoad } from './load.ts'
import { treeBytes, treeCpuMs } from './process-tree.ts'
import { startServer } from './processes.ts'
import { Field, ROWS } from './rows.ts'

const { values } = parseArgs({
  options: {
    // Each in two sizes: the difference between the two is the slope of the model, and a third size checks it.
    tokens: { type: 'string', default: '100000,300000,1000000' },
    policies: { type: 'string', default: '2500,5000,10000' },
    services: { type: 'string', default: '25000,50000,100000' },
    processes: { type: 'string', default: '6,12,24' },
    rows: {
      type: 'string',
      default: 'self-32,read-32,update-32,create-32,login-32,authorize-64-policies-10',
    },
  },
})
const log = pino({ level: 'silent' })
const sizes = (list: string) => list.split(',').filter(Boolean).map(Number)
const MIB = 1024 ** 2
const RULES = Array.from({ length: 20 }, (_, i) => `key_prefix "app/part${i}/" { policy = "read" }`).join(
  '\n',
)
const NODES = 1_000
/** The most operations of a transaction. */
const OPERATIONS = 64
/** IDs of the policies. */
const ids: string[] = []

const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-scale-'))
const server = await startContender(() => startServer({ dataDir, profileDir: undefined, workers: 1 }))
try {
  const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim()
  const host = encodeURIComponent(join(dataDir, 'postgres'))
  const url = `postgres://latchkey:${encodeURIComponent(password)}@localhost/latchkey?host=${host}`
  const ring = createKeyRing(await loadKeyFile(dataDir))
  await measureProcesses(url, ring)
  const field = new Field(server)
  let planted = 0
  for (const count of sizes(values.tokens)) {
    const seconds = await secondsOf(() => plantTokens({ url, ring, count: count - planted, log }))
    report(`${count} tokens`, { 'planted per s': (count - planted) / seconds })
    planted = count
    await measureStart(`${count} tokens`, '/acl/token/self')
    const list = async () => (await call(server, 'GET', '/acl/tokens')).text.length / MIB
    report(`${count} tokens`, {
      'first list s': await secondsOf(list),
      'second list s': await secondsOf(list),
      'list MiB': await list(),
      ...(await databaseSize(url)),
      ...memory(),
    })
    await measureCold(url, count)
    await measureRows(field, `${count} tokens`)
  }
  let policies = 0
  for (const count of sizes(values.policies)) {
    const missing = count - policies
    const seconds = await secondsOf(() => plantPolicies(url, ring, missing))
    policies = count
    report(`${count} policies`, { 'created per s': missing / seconds })
    await measureStart(`${count} policies`, '/acl/token/self')
    const reads = () => call(server, 'GET', '/acl/token/self')
    await reads()
    const write = await secondsOf(async () => {
      for (let i = 0; i < 20; i += 1) {
        const body = { Name: `scale-${i}`, Description: `change ${count}`, Rules: RULES }
        await call(server, 'PUT', `/acl/policy/${ids[i]}`, { body })
        await reads()
      }
    })
    const list = await secondsOf(() => call(server, 'GET', '/acl/policies'))
    report(`${count} policies`, { 'write and read ms': (write / 20) * 1_000, 'list s': list, ...memory() })
  }
  let services = 0
  for (const count of sizes(values.services)) {
    const missing = count - services
    const seconds = await secondsOf(() => plantServices(services, count))
    services = count
    report(`${count} services`, { 'registered per s': missing / seconds })
    await measureStart(`${count} services`, '/health/service/web-1')
    const list = await secondsOf(() => call(server, 'GET', '/catalog/services'))
    report(`${count} services`, { 'names s': list, ...memory() })
  }
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true })
}

function report(what: string, figures: Readonly<Record<string, number>>): void {
  const texts = Object.entries(figures).map(([name, value]) => `${name} ${Number(value.toPrecision(3))}`)
  process.stdout.write(`${what}: ${texts.join(', ')}\n`)
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1_000
}

function memory(): Readonly<Record<string, number>> {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  const resident = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024
  return { 'resident MiB': resident, 'with database MiB': treeBytes(server.pid) / MIB }
}

async function measureStart(what: string, path: string): Promise<void> {
  await server.restart()
  const before = treeCpuMs(server.pid)
  const first = await secondsOf(() => call(server, 'GET', path))
  report(what, { 'processor s to first read': (before + first) / 1_000, ...memory() })
}

async function databaseSize(url: string): Promise<Readonly<Record<string, number>>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(`SELECT pg_total_relation_size('token') AS bytes`)
  await client.end()
  return { 'table and indexes MiB': Number(rows[0].bytes) / MIB }
}

/** Reads tokens that no process has read since the start. */
async function measureCold(url: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('SELECT accessor_id FROM token ORDER BY accessor_hash LIMIT 50000')
  await client.end()
  const requests = rows.map((row) => ({ method: 'GET', path: `/v1/acl/token/${row.accessor_id}` }))
  const before = treeCpuMs(server.pid)
  const load = { connections: 32, secret: server.secret, requests }
  const { perSecond, answers } = await applyLoad(server, load, 2)
  const cpu = ((treeCpuMs(server.pid) - before) * 1_000) / answers
  report(`${count} tokens`, { 'cold reads per s': perSecond, 'cold read µs': cpu })
}

async function measureRows(field: Field, what: string): Promise<void> {
  const names = values.rows.split(',')
  for (const row of ROWS.filter(({ name }) => names.includes(name))) {
    await row.prepare(field)
    const arrange = (_: unknown, round: number) => row.round(field, { seconds: 2, round })
    const { ours } = await compete([server, undefined], arrange, { rounds: 2, isHigherBetter: true })
    report(what, { [`${row.name} per s`]: ours.value, µs: ours.cpuUs ?? Number.NaN })
  }
}

/** Policies of 20 rules, 100 in a commit: one per request would rebuild the directory for each. */
async function plantPolicies(url: string, ring: KeyRing, count: number): Promise<void> {
  const database = connectDatabase({ url, log })
  const member = { datacenter: 'dc1', node: 'plant', version: '1.11.0' }
  const store = await openStore({ database, url, ring, log, member })
  const until = ids.length + count
  while (ids.length < until) {
    const changes = Array.from({ length: Math.min(100, until - ids.length) }, () => {
      const [ID, Name] = [randomUUID(), `scale-${ids.length}`]
      ids.push(ID)
      const rest = { Description: '', Datacenters: undefined, Hash: '', Namespace: 'default' }
      const record = { ID, Name, Rules: RULES, ...rest, CreateIndex: 0, ModifyIndex: 0 }
      return { table: 'policies', op: 'put', record, expect: 0 } as const
    })
    await store.commit(changes)
  }
  await store.close()
  await database.close()
}

/** Instances of 5,000 services on 1,000 nodes. */
async function plantServices(from: number, to: number): Promise<void> {
  const nodes = Array.from({ length: from === 0 ? NODES : 0 }, (_, i) => ({
    Node: { Verb: 'set', Node: { Node: `node-${i}`, Address: '10.0.0.1' } },
  }))
  const services = Array.from({ length: to - from }, (_, i) => {
    const Service = { ID: `web-${from + i}`, Service: `web-${(from + i) % 5_000}`, Port: 8_000, Tags: ['v1'] }
    return { Service: { Verb: 'set', Node: `node-${(from + i) % NODES}`, Service } }
  })
  for (const operations of [nodes, services]) {
    const batches = Math.ceil(operations.length / OPERATIONS)
    await inParallel(batches, 4, (i) =>
      call(server, 'PUT', '/txn', { body: operations.slice(i * OPERATIONS, (i + 1) * OPERATIONS) }),
    )
  }
}

/** Members without HTTP, all in this process, so their own processor time is not that of real processes. */
async function measureProcesses(url: string, ring: KeyRing): Promise<void> {
  const stores: Awaited<ReturnType<typeof openStore>>[] = []
  const databases: ReturnType<typeof connectDatabase>[] = []
  const create = () => {
    const ids = { AccessorID: randomUUID(), SecretID: randomUUID() }
    const record = { ...BLANK_TOKEN, ...ids, CreateTime: new Date().toISOString() }
    return stores[0]?.commit([{ table: 'tokens', op: 'put', record, expect: 0 }])
  }
  for (const count of sizes(values.processes)) {
    while (stores.length < count) {
      const database = connectDatabase({ url, log, connectionsMax: 2 })
      databases.push(database)
      const member = { datacenter: 'dc1', node: `scale-${stores.length}`, version: '1.11.0' }
      stores.push(await openStore({ database, url, ring, log, member, cacheBytes: 1_000_000 }))
    }
    const idle = await databaseMsOf(() => sleep(6_000))
    const first: number[] = []
    const closing = await databaseMsOf(async () => {
      for (let i = 0; i < 10; i += 1) {
        for (const store of stores) while (!store.status().hasLease) await reopen(stores)
        first.push(await secondsOf(async () => create()))
      }
    })
    const steady = await databaseMsOf(async () => {
      for (let i = 0; i < 200; i += 1) await create()
    })
    report(`${count} processes`, {
      'database ms per s, idle': idle / 6,
      'first write ms': (first.sort((a, b) => a - b)[5] ?? 0) * 1_000,
      'database ms for it and the leases after it': closing / 10,
      'database ms per write under steady writes': steady / 200,
    })
  }
  for (const store of stores) await store.close()
  for (const database of databases) await database.close()
}

/** Reads, so that every process asks for its lease again. */
async function reopen(stores: readonly { refresh(mode: 'default'): Promise<unknown> }[]): Promise<void> {
  await Promise.all(stores.map((store) => store.refresh('default')))
  await sleep(20)
}

/** Processor time of PostgreSQL: the server without requests takes next to none. */
async function databaseMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = treeCpuMs(server.pid)
  await work()
  return treeCpuMs(server.pid) - before
}
