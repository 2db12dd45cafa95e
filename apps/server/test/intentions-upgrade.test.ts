/** The intentions migration of spec 9.5, on real processes that share one database. */

import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { SHARED_ENV } from './cluster/harness/server-group.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

const MANAGEMENT = SHARED_ENV.LATCHKEY_INITIAL_MANAGEMENT_TOKEN ?? ''
const SOURCES = 5
const DESTINATIONS = 200
/** Kills during the migration, which takes two seconds. */
const KILLS = Number(process.env.LATCHKEY_INTENTION_KILLS ?? 1)
const TIMEOUT_MS = 120_000

const running = new Set<RunningServer>()
let database: TestDatabase | undefined

afterEach(async () => {
  await Promise.all([...running].map((server) => server.stop('SIGKILL')))
  running.clear()
  await database?.drop()
  database = undefined
})

async function start(version: string, node: string): Promise<RunningServer> {
  database ??= await createTestDatabase()
  const server = await runServer({
    ...SHARED_ENV,
    DATABASE_URL: database.url,
    LATCHKEY_SERVICE_VERSION: version,
    LATCHKEY_NODE_NAME: node,
  })
  running.add(server)
  return server
}

async function end(server: RunningServer, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  running.delete(server)
  await server.stop(signal)
}

/** Stores many intentions while no server runs. */
async function plant(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`INSERT INTO intention
      SELECT json_build_array('default', 'd' || d, 'default', 's' || s)::text, 'default', 's' || s, 'default', 'd' || d,
        'allow', '[]'::json, '', lpad((d * 1000 + s)::text, 8, '0') || '-0000-4000-8000-000000000000', json_build_object('of', 's' || s),
        '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 'hash', 1, 1
      FROM generate_series(1, ${DESTINATIONS}) d, generate_series(1, ${SOURCES}) s`)
    await client.query(`INSERT INTO intention_destination
      SELECT json_build_array('default', 'd' || d)::text, 'default', 'd' || d, '{}'::json, 1, 1
      FROM generate_series(1, ${DESTINATIONS}) d`)
    // In the form in which the service writes the keys.
    await client.query(`UPDATE intention SET key = replace(key, ', ', ',')`)
    await client.query(`UPDATE intention_destination SET key = replace(key, ', ', ',')`)
  } finally {
    await client.end()
  }
}

const nameOf = ({ SourceName, DestinationName }: { SourceName: string; DestinationName: string }) =>
  `${SourceName} ${DestinationName}`

const planted = Array.from({ length: DESTINATIONS }, (_, d) =>
  Array.from({ length: SOURCES }, (_, s) => `s${s + 1} d${d + 1}`),
).flat()

/** Calls any server that answers; undefined if none does. */
async function askAny(method: string, path: string) {
  for (const server of running) {
    const reply = await ask(server, method, path)
    if (reply) return reply
  }
  return undefined
}

/** @returns undefined if the server does not answer: it was killed. */
function ask(server: RunningServer | undefined, method: string, path: string, body?: object) {
  return server?.call(method, path, { token: MANAGEMENT, ...(body ? { body } : {}) }).catch(() => undefined)
}

async function stateNow(): Promise<string | undefined> {
  const reply = await askAny('GET', '/internal/intentions/migration')
  return reply?.status === 200 ? reply.body.State : undefined
}

test(`1,000 intentions become config entries under reads and writes, despite ${KILLS} kills: each exists exactly once (spec 9.5)`, async () => {
  const random = new SeededRandom(chooseSeed('intentions upgrade'))
  await end(await start('1.8.7', 'a'), 'SIGTERM')
  await plant(database?.url ?? '')
  const a = await start('1.8.7', 'a')
  expect((await a.call('GET', '/connect/intentions', { token: MANAGEMENT })).body).toHaveLength(1_000)

  const acknowledged = new Set(planted)
  const open = new Set<string>()
  const refused = new Set<string>()
  const wrong: string[] = []
  const codes = new Set<number>()
  let isOver = false
  let reads = 0
  const readAndWrite = async () => {
    for (let i = 0; !isOver; i += 1) {
      const intention = { SourceName: `w${i}`, DestinationName: `d${(i % DESTINATIONS) + 1}`, Action: 'deny' }
      open.add(nameOf(intention))
      const expected = new Set(acknowledged)
      const [list, write] = await Promise.all([
        askAny('GET', '/connect/intentions'),
        // Sent once: a killed server may or may not have applied it.
        ask([...running].at(i % 2), 'POST', '/connect/intentions', intention),
      ])
      if (write) codes.add(write.status)
      if (write?.status === 200) acknowledged.add(nameOf(intention))
      if (write?.status === 503) refused.add(nameOf(intention))
      if (list?.status === 200) wrong.push(...faultsOf(list.body.map(nameOf), expected))
      reads += 1
    }
  }
  const traffic = readAndWrite()

  await start('1.9.0', 'b')
  await end(a, 'SIGTERM')
  await start('1.9.0', 'a')
  for (let kill = 0; kill < KILLS; kill += 1) {
    await expect.poll(stateNow, { timeout: TIMEOUT_MS, interval: 20 }).toMatch(/migrating|done/)
    await new Promise((resolve) => setTimeout(resolve, random.below(1_500)))
    const victim = [...running][random.below(running.size)]
    if (victim === undefined) break
    await end(victim, 'SIGKILL')
    await start('1.9.0', `k${kill}`)
  }
  await expect.poll(stateNow, { timeout: TIMEOUT_MS, interval: 100 }).toBe('done')
  const writesBefore = acknowledged.size
  await expect.poll(() => acknowledged.size, { timeout: TIMEOUT_MS }).toBeGreaterThan(writesBefore)
  isOver = true
  await traffic

  const final = (await askAny('GET', '/connect/intentions'))?.body as {
    SourceName: string
    DestinationName: string
    ID?: string
  }[]
  expect(faultsOf(final.map(nameOf), acknowledged)).toEqual([])
  expect(final.filter((each) => !open.has(nameOf(each)) && !planted.includes(nameOf(each)))).toEqual([])
  expect(final.filter((each) => refused.has(nameOf(each)))).toEqual([])
  expect(new Set(final.map(({ ID }) => ID)).size).toBe(final.length)
  expect(wrong).toEqual([])
  expect(codes.has(503)).toBe(true)
  expect(reads).toBeGreaterThan(10)
  const entry = await askAny('GET', '/config/service-intentions/d1')
  expect(entry?.body.Sources.slice(0, 1)).toMatchObject([{ LegacyID: expect.any(String), Type: 'consul' }])
}, 600_000)

/** What is missing from a list, or in it twice. */
function faultsOf(names: readonly string[], expected: ReadonlySet<string>): string[] {
  const seen = new Set<string>()
  const twice = names.filter((name) => seen.size === seen.add(name).size)
  const missing = [...expected].filter((name) => !seen.has(name))
  return [...twice.map((name) => `twice: ${name}`), ...missing.map((name) => `missing: ${name}`)]
}
