/**
 * The upgrade from 1.3.0 to 1.4.0 on real processes, one PostgreSQL and clients that do not stop: three servers are
 * replaced one by one, and what the law and the operators ask is measured. Spec 8, 9.2.
 *
 *   node apps/server/scripts/upgrade-run.ts [--tokens=10000] [--kills=0]
 *
 * With kills, the migrating process is killed that many times at random moments and replaced. Prints one line of JSON on
 * standard output, and what is going on on standard error. Exit code 1 where anything is not as it must be.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { startEmbeddedPostgres } from '../src/database/embedded-postgres.ts'
import { Cluster, MANAGEMENT } from './upgrade-run/cluster.ts'
import { CommitLog } from './upgrade-run/commit-log.ts'
import { aDump, KEYS } from './upgrade-run/dump.ts'
import { askRights } from './upgrade-run/rights.ts'
import { Traffic } from './upgrade-run/traffic.ts'

const { values } = parseArgs({
  options: { tokens: { type: 'string', default: '10000' }, kills: { type: 'string', default: '0' } },
})
const tokenCount = Number(values.tokens)
const killCount = Number(values.kills)
const PLACES = [0, 1, 2] as const
/** Tokens of one import. */
const PART = 5_000

const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-upgrade-'))
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'error' }) })
const cluster = new Cluster(postgres.url)
const log = new CommitLog(postgres.url)
const say = (text: string) => process.stderr.write(`${new Date().toISOString()} ${text}\n`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    say(`${signal} after ${log.batches.length} batches; stopping the servers`)
    void cleanUp().finally(() => process.exit(1))
  })
}
try {
  const result = await run()
  process.stdout.write(`${JSON.stringify(result)}\n`)
  if (result.faults.length > 0) process.exitCode = 1
} finally {
  await cleanUp()
}

async function cleanUp(): Promise<void> {
  await cluster.stopAll()
  await log.stop()
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function run() {
  for (const place of PLACES) await cluster.start(place, '1.3.0')
  await log.start()
  const dump = aDump(tokenCount)
  for (let start = 0; start < dump.length; start += PART) {
    const path = `/internal/acl/legacy-tokens?position=${start}`
    await cluster.manage('PUT', path, dump.slice(start, start + PART))
  }
  for (const key of KEYS) await cluster.manage('PUT', `/kv/${key}`, 'value')
  const secrets = [...dump.map(({ ID }) => ID), MANAGEMENT, 'anonymous']
  say(`${dump.length} legacy tokens imported; asking what each may do`)
  const before = await askRights(cluster, secrets)
  const modeChangesBefore = log.modeChanges.length

  const traffic = new Traffic(cluster, dump)
  traffic.start()
  let lastOneLeftAt = 0
  for (const place of PLACES) {
    say(`replacing server ${place}`)
    // Who has left does not count: the mode may end as soon as the third old server has gone.
    lastOneLeftAt = Date.now()
    await cluster.stop(place)
    await cluster.start(place, '1.4.0')
    await sleep(500)
  }
  await until('legacy mode has ended', () => log.modeChanges.length > modeChangesBefore)
  say('legacy mode has ended')
  const takeovers = await killMigrators()
  await until('all have an accessor', async () => (await log.tokens()).withoutAccessor === 0)
  say(`all have an accessor after ${log.batches.length} batches; asking again what each may do`)
  await traffic.stop()
  await until('what was created last has one too', async () => (await log.tokens()).withoutAccessor === 0)
  const after = await askRights(cluster, secrets)
  await log.read()

  const { batches, modeChanges } = log
  const gaps = batches.slice(1).map(({ at }, i) => at - (batches[i]?.at ?? 0))
  const tokens = await log.tokens()
  const [end] = modeChanges.slice(modeChangesBefore)
  const result = {
    tokens: secrets.length,
    batches: batches.length,
    tokensInBatches: batches.reduce((sum, batch) => sum + batch.tokens, 0),
    largestBatch: Math.max(...batches.map((batch) => batch.tokens)),
    firstBatch: new Date(batches[0]?.at ?? 0).toISOString(),
    lastBatch: new Date(batches.at(-1)?.at ?? 0).toISOString(),
    seconds: ((batches.at(-1)?.at ?? 0) - (batches[0]?.at ?? 0)) / 1_000,
    smallestGapMs: Math.min(...gaps),
    flips: modeChanges.length - modeChangesBefore,
    flipAfterLastOneLeftMs: (end?.at ?? 0) - lastOneLeftAt,
    withoutAccessor: tokens.withoutAccessor,
    tokensWithTheSameAccessor: tokens.all - tokens.accessors,
    questions: secrets.length * KEYS.length * 2,
    rightsDifferences: secrets.filter((secret) => before.get(secret) !== after.get(secret)).length,
    edits: traffic.edits.size,
    editsLost: await countLostEdits(traffic),
    kills: takeovers.length,
    slowestTakeoverMs: takeovers.length === 0 ? undefined : Math.max(...takeovers),
    meanTakeoverMs: takeovers.length === 0 ? undefined : mean(takeovers),
    traffic: traffic.statuses,
  }
  return { ...result, faults: faultsOf(result) }
}

/** @returns for each kill the milliseconds until a batch of another process. */
async function killMigrators(): Promise<number[]> {
  const takeovers: number[] = []
  while (takeovers.length < killCount) {
    await sleep(Math.random() * 1_500)
    if ((await log.tokens()).withoutAccessor === 0) {
      say(`no tokens are left after ${takeovers.length} kills`)
      break
    }
    const place = await cluster.leader()
    if (place === undefined) continue
    const killedAt = Date.now()
    await cluster.stop(place, 'SIGKILL')
    const restarted = cluster.start(place, '1.4.0')
    await until('another server goes on', () => (log.batches.at(-1)?.at ?? 0) > killedAt)
    takeovers.push((log.batches.at(-1)?.at ?? 0) - killedAt)
    await restarted
    if (takeovers.length % 10 === 0) say(`${takeovers.length} kills, ${log.batches.length} batches`)
  }
  return takeovers
}

/** Each edit that was answered must be what the token says now; a later edit of unknown outcome may have replaced it. */
async function countLostEdits(traffic: Traffic): Promise<number> {
  let lost = 0
  for (const [secret, name] of traffic.edits) {
    if (name === undefined) continue
    const self = await cluster.ask('GET', '/acl/token/self', { token: secret })
    if (self?.body.Description !== name) lost += 1
  }
  return lost
}

function faultsOf(result: Readonly<Record<string, unknown>>): string[] {
  const must: Readonly<Record<string, unknown>> = {
    flips: 1,
    withoutAccessor: 0,
    tokensWithTheSameAccessor: 0,
    rightsDifferences: 0,
    editsLost: 0,
  }
  const faults = Object.entries(must).flatMap(([name, value]) =>
    result[name] === value ? [] : [`${name} is ${result[name]}, not ${value}`],
  )
  if (Number(result.smallestGapMs) < 1_000) faults.push('two batches within a second')
  if (Number(result.largestBatch) > 128) faults.push('a batch of more than 128')
  if (Number(result.flipAfterLastOneLeftMs) < 0)
    faults.push('the mode ended before the third old server left')
  if (Number(result.slowestTakeoverMs ?? 0) > 5_000) faults.push('a takeover took longer than 5 s')
  return faults
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 3_600_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within an hour: ${what}`)
    await sleep(50)
  }
}

function mean(numbers: readonly number[]): number {
  return Math.round(numbers.reduce((sum, value) => sum + value, 0) / numbers.length)
}
