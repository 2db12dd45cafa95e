/**
 * DOS-02, DOS-04, DOS-05 from outside: attacks on servers that run as an operator starts them, with a probe during each. No
 * answer of the probe may take more than {@link ANSWER_MS_MAX}, and no server more than {@link MEMORY_FACTOR_MAX} times the
 * memory that it takes when idle. Two columns show what a busy machine adds: `control` is the latency of a trivial server that
 * is not under attack, and `own` the longest answer without the time in which the main thread waited for a core.
 *
 *     node apps/server/scripts/prove.ts attacks 10                                    ten seconds each
 *     ATTACKS=lint,unread SERVERS='standard,1.3.0' node apps/server/scripts/prove.ts attacks 10   some
 *     TOKENS=100000 ATTACKS='list of tokens' node apps/server/scripts/prove.ts attacks 10         with longer lists
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { invariant, limits } from '@latchkey/contract'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { startOwnDatabase } from '../cluster/harness/own-database.ts'
import { SERVER_ENV } from '../shared-env.ts'
import type { AttackOrder } from './attacker.ts'
import { ATTACKS, MANAGEMENT, NARROW, READER, TREE_KEYS } from './attacks.ts'
import { type Probed, type ProbedRequest, probe, residentBytesOf } from './probe.ts'
import { SERVICE_ATTACKS } from './service-attacks.ts'

/** Maximum latency of an answer to another client. */
const ANSWER_MS_MAX = 500
const MEMORY_FACTOR_MAX = 2
const SETTLING_MS = 1_000
const MIB = 1_048_576

type Settings = Readonly<Record<string, string>>

/** The servers under attack, with their settings. */
const SERVERS: Readonly<Record<string, Settings>> = {
  standard: {},
  extended: { LATCHKEY_EDITION: 'extended' },
  'two processes': {},
  '1.10.0': { LATCHKEY_SERVICE_VERSION: '1.10.0' },
  '1.8.0': { LATCHKEY_SERVICE_VERSION: '1.8.0' },
  '1.3.0': { LATCHKEY_SERVICE_VERSION: '1.3.0' },
}

interface AttackResult extends Probed {
  readonly server: string
  readonly attack: string
  readonly idleBytes: number
  /** Maximum latency of the control server, which is not under attack: what the machine alone causes. */
  readonly controlMs: number
  readonly counts: Readonly<Record<string, number>>
  readonly isBorne: boolean
}

/** @param ms duration of each attack. */
export async function proveAttacks(ms: number): Promise<readonly AttackResult[]> {
  const results: AttackResult[] = []
  process.stderr.write(HEADING)
  const control = fork(new URL('./control.ts', import.meta.url))
  const [controlPort] = (await once(control, 'message')) as [number]
  for (const server of chosen(Object.keys(SERVERS), process.env.SERVERS, isSame)) {
    const database = await startOwnDatabase()
    try {
      const env = { ...COMMON, DATABASE_URL: database.url, ...SERVERS[server] }
      results.push(...(await attackAll(server, env, { ms, controlPort })))
    } finally {
      await database.remove()
    }
  }
  control.disconnect()
  return results
}

/** Starts fresh servers for each attack, so memory left over from the previous one is not counted. */
async function attackAll(
  server: string,
  env: Settings,
  { ms, controlPort }: { readonly ms: number; readonly controlPort: number },
): Promise<readonly AttackResult[]> {
  await populate(env)
  const count = server === 'two processes' ? 2 : 1
  const results: AttackResult[] = []
  const names = Object.keys({ ...ATTACKS, ...SERVICE_ATTACKS })
  for (const attack of chosen(names, process.env.ATTACKS, isPart)) {
    const running = await Promise.all(Array.from({ length: count }, () => runServer(env)))
    try {
      const [first] = running
      invariant(first, 'a server was started')
      await sleep(SETTLING_MS)
      const idleBytes = Math.max(...running.map(({ process: { pid = 0 } }) => residentBytesOf(pid)))
      const port = Number(new URL(first.url).port)
      const order: AttackOrder = { name: attack, port, ms }
      const result = await proveAttack(server, order, { running, controlPort, idleBytes })
      results.push(result)
      process.stderr.write(lineOf(result))
    } finally {
      await Promise.all(running.map((one) => one.stop('SIGKILL')))
    }
  }
  return results
}

const COMMON = { ...SERVER_ENV, LATCHKEY_LOG_LEVEL: 'warn' }

const isSame = (name: string, word: string) => name === word
const isPart = (name: string, word: string) => name.includes(word)

function chosen(
  names: readonly string[],
  words: string | undefined,
  matches: (name: string, word: string) => boolean,
): readonly string[] {
  if (!words) return names
  return names.filter((name) => words.split(',').some((word) => matches(name, word)))
}

interface Target {
  readonly running: readonly RunningServer[]
  /** Port of the control server, which is not under attack. */
  readonly controlPort: number
  readonly idleBytes: number
}

async function proveAttack(server: string, order: AttackOrder, target: Target): Promise<AttackResult> {
  const { idleBytes, running, controlPort } = target
  const { name: attack, port } = order
  let counts: Record<string, number> = {}
  const work = new Promise<void>((resolve, reject) => {
    const thread = new Worker(new URL('./attacker.ts', import.meta.url), { workerData: order })
    thread.on('message', (message) => {
      counts = message
    })
    thread.on('error', reject).on('exit', () => resolve())
  })
  const pids = running.map(({ process: { pid = 0 } }) => pid)
  const isOld = server === '1.3.0'
  const control = { method: 'GET', path: '/', status: 200, port: controlPort }
  const requests = { ...(isOld ? OLD_REQUESTS : REQUESTS), control }
  const { worstMs: measured, ...probed } = await probe({ port, pids }, requests, work)
  const { control: controlMs = 0, ...worstMs } = measured
  const isBorne =
    Math.max(...Object.values(worstMs)) <= ANSWER_MS_MAX &&
    Object.keys(probed.wrong).length === 0 &&
    probed.residentBytes < MEMORY_FACTOR_MAX * idleBytes
  return { server, attack, idleBytes, ...probed, worstMs, controlMs, counts, isBorne }
}

const ANONYMOUS = { leader: { method: 'GET', path: '/v1/status/leader', status: 200 } } as const
const WRITE = { method: 'PUT', path: '/v1/kv/probe', token: MANAGEMENT, body: 'x', status: 200 } as const

const REQUESTS: Readonly<Record<string, ProbedRequest>> = {
  self: { method: 'GET', path: '/v1/acl/token/self', token: NARROW, status: 200 },
  write: WRITE,
  ...ANONYMOUS,
}

/** A version before the token API. */
const OLD_REQUESTS: Readonly<Record<string, ProbedRequest>> = {
  self: { method: 'GET', path: `/v1/acl/info/${NARROW}`, status: 200 },
  write: WRITE,
  ...ANONYMOUS,
}

const HEADING = `  ${'server'.padEnd(14)}${'attack'.padEnd(44)}  self write leader control     own  idle MB  peak MB\n`

function lineOf(result: AttackResult): string {
  const { server, attack, worstMs, ownMs, controlMs, wrong, residentBytes, idleBytes, counts, isBorne } =
    result
  const { self, write, leader } = worstMs
  const columns = [
    isBorne ? '  ' : '! ',
    server.padEnd(14),
    attack.padEnd(44),
    ...[self, write, leader].map((worst = 0) => String(worst).padStart(6)),
    ...[controlMs, ownMs].map((worst) => String(worst).padStart(8)),
    `${Math.round(idleBytes / MIB)}`.padStart(9),
    `${Math.round(residentBytes / MIB)}`.padStart(9),
    `  ${JSON.stringify(counts)}`,
    Object.keys(wrong).length === 0 ? '' : ` wrong: ${JSON.stringify(wrong)}`,
  ]
  return `${columns.join('')}\n`
}

const TOKENS = Number(process.env.TOKENS ?? 3_000)
const POLICIES = 200
const RULES_PER_POLICY = 40
const WRITERS = 32

/** Creates the records that the attacks use, on a separate server: the servers under attack start fresh. */
async function populate(env: Settings): Promise<void> {
  const server = await runServer(env)
  try {
    await (env.LATCHKEY_SERVICE_VERSION === '1.3.0' ? makeOldTokens(server) : makeTokens(server))
    const value = Buffer.alloc(limits.KV_VALUE_BYTES_MAX, 'v').toString()
    await each(TREE_KEYS, 8, (i) => ask(server, 'PUT', `/kv/narrow/tree/${i}`, value))
  } finally {
    await server.stop()
  }
}

const NARROW_RULES = 'key_prefix "narrow/" { policy = "write" }'

async function makeTokens(server: RunningServer): Promise<void> {
  const policy = async (Name: string, Rules: string) =>
    (await ask(server, 'PUT', '/acl/policy', { Name, Rules })).ID as string
  const ids: string[] = []
  await each(POLICIES, WRITERS, async (i) => {
    const rules = Array.from(
      { length: RULES_PER_POLICY },
      (_, j) => `key_prefix "app/${i}/${j}" { policy = "read" }`,
    )
    ids.push(await policy(`policy-${i}`, rules.join('\n')))
  })
  const reader = await policy('reader', 'acl = "read"')
  const narrow = await policy('narrow', NARROW_RULES)
  await ask(server, 'PUT', '/acl/token', { SecretID: READER, Policies: [{ ID: reader }] })
  await ask(server, 'PUT', '/acl/token', { SecretID: NARROW, Policies: [{ ID: narrow }] })
  await each(TOKENS, WRITERS, (i) => {
    const Policies = [1, 7, 13, 29, 31].map((step) => ({ ID: ids[(i * step) % POLICIES] }))
    return ask(server, 'PUT', '/acl/token', { Description: `token ${i}`, Policies })
  })
}

async function makeOldTokens(server: RunningServer): Promise<void> {
  await ask(server, 'PUT', '/acl/create', { ID: NARROW, Type: 'client', Rules: NARROW_RULES })
  await ask(server, 'PUT', '/acl/create', { ID: READER, Type: 'client', Rules: 'operator = "read"' })
  await each(TOKENS, WRITERS, (i) =>
    ask(server, 'PUT', '/acl/create', { Name: `token ${i}`, Type: 'client', Rules: NARROW_RULES }),
  )
}

async function ask(server: RunningServer, method: string, path: string, body: unknown) {
  const answer = await server.call(method, path, { token: MANAGEMENT, body })
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
  return answer.body
}

/** Calls a function with every number below `count`, a limited number at a time. */
async function each(count: number, atOnce: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
