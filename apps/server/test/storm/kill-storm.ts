/**
 * DUR-01 to DUR-03: kills a server, its embedded database, or both, at random moments under a stream of writes. DUR-07: for a
 * while, the disk is full or rejects writes. After each fault every acknowledged write must be present, without manual
 * recovery.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { SeededRandom } from '@latchkey/testkit/random'
import { MANAGEMENT } from '../shared-env.ts'
import { Ledger, type Listed, type Verdict } from './ledger.ts'
import type { SmallDisk } from './small-disk.ts'

/** What is killed, or the fault of the disk. */
type Victim = 'server' | 'database' | 'both' | 'full-disk' | 'frozen-disk'
const VICTIMS: readonly Victim[] = ['server', 'database', 'both']

interface StormOptions {
  readonly kills: number
  readonly writers: number
  /** Determines when faults happen, but not what the machine does between them. */
  readonly seed: number
  /** Maximum time between two kills, in milliseconds. */
  readonly calmMsMax: number
  /** Faults, in turn. Default: the server, its database, both. */
  readonly victims?: readonly Victim[]
  /** The server's data directory; required for disk faults. */
  readonly disk?: SmallDisk
}

export interface StormResult {
  readonly kills: Readonly<Partial<Record<Victim, number>>>
  readonly acknowledged: number
  readonly lost: readonly string[]
  readonly altered: readonly string[]
  readonly surplus: readonly string[]
  /** Number of kills after which the index was below an acknowledged one. */
  readonly indexWentBack: number
  /** Maximum time from a kill to the first correct answer, in milliseconds. */
  readonly recoveryMsMax: number
  /** Refused writes, by status. */
  readonly refusedWrites: Readonly<Record<number, number>>
  /** Stale reads while the disk rejected writes, by status. */
  readonly staleReads: Readonly<Record<number, number>>
}

const RECOVERY_MS_MAX = 60_000
/** Writes that must fail before the disk recovers. */
const REFUSALS_MIN = 20
/** Updates of a token between its create and its delete. */
const UPDATES_PER_TOKEN = 8

export async function killStorm(options: StormOptions): Promise<StormResult> {
  const storm = new Storm(options)
  try {
    return await storm.run()
  } finally {
    await storm.end()
  }
}

class Storm {
  private readonly options: StormOptions
  private readonly random: SeededRandom
  private readonly dataDir: string
  private readonly ledger = new Ledger()
  private server: RunningServer | undefined
  private port = '0'
  private url = ''
  /** Writers stop between writes while this is set. */
  private isPaused = false
  private isOver = false
  private writing = 0
  private readonly refusedWrites = new Map<number, number>()
  private readonly staleReads = new Map<number, number>()

  constructor(options: StormOptions) {
    this.options = options
    this.random = new SeededRandom(options.seed)
    this.dataDir = mkdtempSync(join(options.disk?.folder ?? tmpdir(), 'latchkey-storm-'))
  }

  async run(): Promise<StormResult> {
    const { kills, writers, calmMsMax, victims = VICTIMS } = this.options
    await this.start()
    const known = new Set((await this.list()).tokens.map(({ AccessorID }) => AccessorID))
    const crowd = Array.from({ length: writers }, () => this.write())
    const verdicts: Verdict[] = []
    const counts: Partial<Record<Victim, number>> = {}
    let indexWentBack = 0
    let recoveryMsMax = 0
    for (let kill = 1; kill <= kills; kill += 1) {
      await sleep(50 + this.random.below(calmMsMax))
      const victim = victims[kill % victims.length] ?? 'server'
      const startedAt = performance.now()
      await this.kill(victim)
      // Writers continue during recovery, and pause only for the comparison.
      await this.list()
      const recoveryMs = Math.round(performance.now() - startedAt)
      await this.pause()
      const { tokens, index } = await this.list()
      verdicts.push(this.ledger.verify(tokens, known))
      if (index < this.ledger.index) indexWentBack += 1
      this.isPaused = false
      counts[victim] = (counts[victim] ?? 0) + 1
      recoveryMsMax = Math.max(recoveryMsMax, recoveryMs)
    }
    this.isOver = true
    await Promise.all(crowd)
    return {
      kills: counts,
      acknowledged: this.ledger.acknowledged,
      lost: verdicts.flatMap(({ lost }) => lost),
      altered: verdicts.flatMap(({ altered }) => altered),
      surplus: verdicts.flatMap(({ surplus }) => surplus),
      indexWentBack,
      recoveryMsMax,
      refusedWrites: Object.fromEntries(this.refusedWrites),
      staleReads: Object.fromEntries(this.staleReads),
    }
  }

  async end(): Promise<void> {
    this.isOver = true
    await this.server?.stop()
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  private async start(): Promise<void> {
    this.server = await runServer({
      PORT: this.port,
      LATCHKEY_DATA_DIR: this.dataDir,
      LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT,
      LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0',
      LATCHKEY_LOG_LEVEL: 'error',
    })
    this.url = this.server.url
    this.port = new URL(this.url).port
  }

  /** Kills, and starts again what does not restart by itself. */
  private async kill(victim: Victim): Promise<void> {
    const { server } = this
    if (victim === 'full-disk' || victim === 'frozen-disk') return this.loseDisk(victim)
    if (!server) throw new TypeError('nothing runs')
    const postmaster = victim === 'server' ? undefined : await this.livingPostmaster()
    const exit = once(server.process, 'exit')
    if (postmaster !== undefined) process.kill(postmaster, 'SIGKILL')
    if (victim === 'database') return
    server.process.kill('SIGKILL')
    await exit
    await this.start()
  }

  /** Waits until the fault caused refused writes and stale reads were sent. */
  private async loseDisk(victim: 'full-disk' | 'frozen-disk'): Promise<void> {
    const { disk } = this.options
    if (!disk) throw new TypeError('there is no separate disk')
    const refusals = () => [...this.refusedWrites.values()].reduce((sum, count) => sum + count, 0)
    const before = refusals()
    if (victim === 'full-disk') disk.fill()
    else disk.freeze()
    try {
      for (const deadline = performance.now() + RECOVERY_MS_MAX; refusals() < before + REFUSALS_MIN; ) {
        const { status } = await this.ask('GET', '/acl/token/self?stale')
        countIn(this.staleReads, status)
        if (performance.now() > deadline) throw new Error(`writes continue: ${this.server?.log.join('\n')}`)
        await sleep(20)
      }
    } finally {
      if (victim === 'full-disk') disk.free()
      else disk.thaw()
    }
  }

  /** The pid of the postmaster, once a new one runs: processes of a killed one may still answer for a moment. */
  private async livingPostmaster(): Promise<number> {
    const file = join(this.dataDir, 'postgres/postmaster.pid')
    for (
      const deadline = performance.now() + RECOVERY_MS_MAX;
      performance.now() < deadline;
      await sleep(10)
    ) {
      const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
      if (pid > 0 && existsSync(`/proc/${pid}`)) return pid
    }
    throw new Error(`no database runs: ${this.server?.log.join('\n')}`)
  }

  private async pause(): Promise<void> {
    this.isPaused = true
    while (this.writing > 0) await sleep(1)
  }

  /** The list, confirmed by the database, as soon as the server answers with it. */
  private async list(): Promise<{ tokens: readonly Listed[]; index: number }> {
    for (const deadline = performance.now() + RECOVERY_MS_MAX; ; await sleep(10)) {
      const response = await this.ask('GET', '/acl/tokens?consistent').catch(() => undefined)
      if (response?.status === 200) {
        const index = Number(response.headers.get('x-service-index'))
        return { tokens: (await response.json()) as readonly Listed[], index }
      }
      await response?.text()
      if (performance.now() > deadline) throw new Error(`it did not recover: ${this.server?.log.join('\n')}`)
    }
  }

  private ask(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`${this.url}/v1${path}`, {
      method,
      headers: { 'X-Service-Token': MANAGEMENT },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  }

  /** One writer: creates, updates and deletes one token after another, until an answer is missing. */
  private async write(): Promise<void> {
    while (!this.isOver) {
      const AccessorID = randomUUID()
      const SecretID = randomUUID()
      const path = `/acl/token/${AccessorID}`
      const send = (method: string, at: string, state: string | undefined, body?: object) =>
        this.writeOnce({ accessorId: AccessorID, secretId: SecretID, state }, () =>
          this.ask(method, at, body),
        )
      let isFine = await send('PUT', '/acl/token', '0', { AccessorID, SecretID, Description: '0' })
      for (let i = 1; isFine && i <= UPDATES_PER_TOKEN; i += 1) {
        isFine = await send('PUT', path, String(i), { Description: String(i) })
      }
      if (isFine) isFine = await send('DELETE', path, undefined)
      if (!isFine) await sleep(20)
    }
  }

  /** @returns whether success was acknowledged. Otherwise the outcome is unknown, and no writer touches this token again. */
  private async writeOnce(
    { accessorId, secretId, state }: { accessorId: string; secretId: string; state: string | undefined },
    ask: () => Promise<Response>,
  ): Promise<boolean> {
    while (this.isPaused && !this.isOver) await sleep(5)
    if (this.isOver) return false
    this.writing += 1
    this.ledger.begin(accessorId, secretId, state)
    try {
      const response = await ask()
      const text = await response.text()
      if (response.status !== 200) {
        countIn(this.refusedWrites, response.status)
        return false
      }
      const answer: unknown = JSON.parse(text)
      const index =
        typeof answer === 'object' && answer !== null && 'ModifyIndex' in answer ? answer.ModifyIndex : 0
      this.ledger.acknowledge(accessorId, Number(index))
      return true
    } catch {
      return false
    } finally {
      this.writing -= 1
    }
  }
}

function countIn(counts: Map<number, number>, status: number): void {
  counts.set(status, (counts.get(status) ?? 0) + 1)
}
