/**
 * DUR-11: an archive that is made during writes, and restored into a new data directory and into other running servers,
 * preserves the decisions for every token.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Token } from '@latchkey/contract'
import { runServer } from '@latchkey/testkit/process/server-process'
import { SeededRandom } from '@latchkey/testkit/random'
import { type Gateway, httpGateway, jsonOf, type Reply, type Request } from '../harness/gateway.ts'
import { startOwnDatabase } from '../harness/own-database.ts'
import { MANAGEMENT, SHARED_ENV, startServerGroup } from '../harness/server-group.ts'
import { keepLedger } from './ledger.ts'

interface BackupResult {
  readonly tokens: number
  readonly archiveBytes: number
  readonly backupMs: number
  /** Acknowledged while the archive was made. */
  readonly writesDuringBackup: number
  readonly restoreMs: { readonly newDirectory: number; readonly runningServers: number }
  /** Tokens with different decisions, described in words. */
  readonly different: readonly string[]
  /** Indexes of a restored store that are not above all earlier ones. */
  readonly falls: number
  /** Whether the tokens that only the overwritten store had stop working. */
  readonly isReplaced: boolean
}

const POLICIES = 50
const CLIENTS = 32
const WRITERS = 8

export async function proveBackup(options: {
  readonly seed: number
  readonly tokens: number
}): Promise<BackupResult> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-backup-'))
  const [databaseA, databaseB] = [await startOwnDatabase(), await startOwnDatabase()]
  const source = await startServerGroup({ databaseUrl: databaseA.url, count: 2 })
  const running = await startServerGroup({ databaseUrl: databaseB.url, count: 2 })
  const fresh = await runServer({ ...SHARED_ENV, LATCHKEY_DATA_DIR: join(folder, 'data') })
  const freshGateway = httpGateway(() => fresh.url)
  // Not the server that restores.
  const other = running.gateways[1] ?? freshGateway
  try {
    const random = new SeededRandom(options.seed)
    const secrets = await createTokens(source.gateways, random, options.tokens)
    const file = join(folder, 'archive')
    const ledger = keepLedger({ gateways: source.gateways, clients: WRITERS, seed: options.seed })
    while (ledger.counts.acknowledged < WRITERS) await sleep(10)
    const before = ledger.counts.acknowledged
    const backupMs = await timed(() => readArchive(urlOf(source, 0), file))
    const writesDuringBackup = ledger.counts.acknowledged - before
    await ledger.stop()
    const expected = await decisionsOf(source.gateways, secrets)

    const stray = jsonOf<Token>(
      await other.ask({ method: 'PUT', path: '/acl/token', token: MANAGEMENT, body: {} }),
    )
    const seen = { fresh: await indexOf(freshGateway), running: await indexOf(other) }
    const restoreMs = {
      newDirectory: await timed(() => writeArchive(fresh.url, file)),
      runningServers: await timed(() => writeArchive(urlOf(running, 0), file)),
    }
    const falls =
      Number((await indexOf(freshGateway)) <= seen.fresh) + Number((await indexOf(other)) <= seen.running)
    const strayReply = await other.ask({ method: 'GET', path: '/acl/token/self', token: stray.SecretID })
    const different = [
      ...differences('new directory', expected, await decisionsOf([freshGateway], secrets)),
      ...differences('running servers', expected, await decisionsOf(running.gateways, secrets)),
    ]
    return {
      tokens: secrets.length,
      archiveBytes: (await stat(file)).size,
      backupMs,
      writesDuringBackup,
      restoreMs,
      different: different.slice(0, 20),
      falls,
      isReplaced: strayReply.status === 403,
    }
  } finally {
    freshGateway.close()
    await Promise.all([source.stop(), running.stop(), fresh.stop()])
    await Promise.all([databaseA.remove(), databaseB.remove()])
    await rm(folder, { recursive: true, force: true })
  }
}

/** Creates tokens, each with one of some policies, many at a time. @returns their secrets. */
async function createTokens(
  gateways: readonly Gateway[],
  random: SeededRandom,
  count: number,
): Promise<readonly string[]> {
  const [gateway] = gateways
  if (gateway === undefined) throw new TypeError('there is a server')
  const policies = Array.from({ length: POLICIES }, (_, i) => i)
  for (const i of policies) {
    const Rules = `key_prefix "p${i}/" { policy = "${random.pick(['read', 'write', 'deny'])}" }`
    const body = { Name: `p${i}`, Rules }
    const { status } = await insist(gateway, { method: 'PUT', path: '/acl/policy', token: MANAGEMENT, body })
    // After a 503, the policy may already exist.
    if (status !== 200 && status !== 409) throw new Error(`a policy was answered ${status}`)
  }
  return spread(count, async (i) => {
    const body = { Policies: [{ Name: `p${i % POLICIES}` }], Description: `${i}`, Local: i % 3 === 0 }
    const request = { method: 'PUT', path: '/acl/token', token: MANAGEMENT, body } as const
    const reply = await insist(random.pick(gateways), request)
    return jsonOf<Token>(reply).SecretID
  })
}

/** Each token's access to a key of its policy, and its accessor. */
function decisionsOf(gateways: readonly Gateway[], secrets: readonly string[]): Promise<readonly string[]> {
  return spread(secrets.length, async (i) => {
    const gateway = gateways[i % gateways.length] as Gateway
    const Segment = `p${i % POLICIES}/key`
    const body = ['read', 'write'].map((Access) => ({ Resource: 'key', Segment, Access }))
    const token = secrets[i] ?? ''
    const reply = await insist(gateway, { method: 'POST', path: '/internal/acl/authorize', token, body })
    return `${reply.status} ${reply.text}`
  })
}

const PATIENCE_MS = 60_000
const PAUSE_MS = 200

/** Retries while the answer is 503: busy machines are not the subject of this proof. */
async function insist(gateway: Gateway, request: Request): Promise<Reply> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const reply = await gateway.ask(request)
    if (reply.status !== 503 || performance.now() > until) return reply
    await sleep(PAUSE_MS)
  }
}

/** Runs `count` tasks, some at a time, and returns their results in order. */
async function spread<T>(count: number, work: (i: number) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = new Array(count)
  let next = 0
  const run = async () => {
    for (let i = next++; i < count; i = next++) results[i] = await work(i)
  }
  await Promise.all(Array.from({ length: CLIENTS }, run))
  return results
}

function differences(where: string, expected: readonly string[], found: readonly string[]): string[] {
  return expected.flatMap((was, i) =>
    was === found[i] ? [] : [`${where}, token ${i}: ${was}, then ${found[i]}`],
  )
}

async function readArchive(url: string, file: string): Promise<void> {
  const response = await fetch(`${url}/v1/snapshot`, { headers: { 'X-Service-Token': MANAGEMENT } })
  if (!response.ok || response.body === null) throw new Error(`the backup was answered ${response.status}`)
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file))
}

async function writeArchive(url: string, file: string): Promise<void> {
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const init = { method: 'PUT', headers: { 'X-Service-Token': MANAGEMENT }, body, duplex: 'half' } as const
  const response = await fetch(`${url}/v1/snapshot`, init)
  if (!response.ok) throw new Error(`the restore was answered ${response.status}: ${await response.text()}`)
  await response.text()
}

function urlOf(group: Awaited<ReturnType<typeof startServerGroup>>, place: number): string {
  return group.server(place)?.url ?? ''
}

async function indexOf(gateway: Gateway): Promise<number> {
  return (await gateway.ask({ method: 'GET', path: '/acl/policies', token: MANAGEMENT })).index
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return Math.round(performance.now() - startedAt)
}

export function isBackupProven({ different, falls, isReplaced, writesDuringBackup }: BackupResult): boolean {
  return different.length === 0 && falls === 0 && isReplaced && writesDuringBackup > 0
}
