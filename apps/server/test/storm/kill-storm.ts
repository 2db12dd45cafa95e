/**
 * DUR-01 to DUR-03: kills a server, its embedded database, or both, at random moments under a stream of writes. DUR-07: for a
 * while, the disk is full or rejects writes. After each fault every acknowledged write must be present, without manual
 * recovery.
 */
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { SeededRandom } from '@latchkey/testkit/random'
import { keepLedger, type LedgerResult } from '../cluster/failures/ledger.ts'
import { type Gateway, httpGateway } from '../cluster/harness/gateway.ts'
import { MANAGEMENT } from '../shared-env.ts'
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

export interface StormResult extends LedgerResult {
  readonly kills: Readonly<Partial<Record<Victim, number>>>
  /** Writes whose index is not above that of a write acknowledged before they were sent. */
  readonly falls: number
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
  private readonly gateway: Gateway
  private server: RunningServer | undefined
  private port = '0'
  private url = ''
  private readonly refusedWrites: Record<number, number> = {}
  private readonly staleReads: Record<number, number> = {}

  constructor(options: StormOptions) {
    this.options = options
    this.random = new SeededRandom(options.seed)
    this.dataDir = mkdtempSync(join(options.disk?.folder ?? tmpdir(), 'latchkey-storm-'))
    const gateway = httpGateway(() => this.url)
    const ask: Gateway['ask'] = async (request) => {
      const reply = await gateway.ask(request)
      if (request.method !== 'GET' && reply.status >= 500) countIn(this.refusedWrites, reply.status)
      return reply
    }
    this.gateway = { ...gateway, ask }
  }

  async run(): Promise<StormResult> {
    const { kills, writers, seed, calmMsMax, victims = VICTIMS } = this.options
    await this.start()
    const ledger = keepLedger({ gateways: [this.gateway], clients: writers, seed })
    const wrong = new Set<string>()
    const counts: Partial<Record<Victim, number>> = {}
    let recoveryMsMax = 0
    for (let kill = 1; kill <= kills; kill += 1) {
      await sleep(50 + this.random.below(calmMsMax))
      const victim = victims[kill % victims.length] ?? 'server'
      const startedAt = performance.now()
      await this.kill(victim)
      // Writers continue during recovery, and pause only for the comparison.
      await this.untilAnswered()
      recoveryMsMax = Math.max(recoveryMsMax, Math.round(performance.now() - startedAt))
      const resume = await ledger.rest()
      await this.untilAnswered()
      for (const found of (await ledger.check()).wrong) wrong.add(found)
      resume()
      counts[victim] = (counts[victim] ?? 0) + 1
    }
    await ledger.stop()
    const { refusedWrites, staleReads } = this
    const figures = { kills: counts, falls: ledger.indexes.falls, recoveryMsMax, refusedWrites, staleReads }
    return { ...ledger.counts, wrong: [...wrong], ...figures }
  }

  async end(): Promise<void> {
    await this.server?.stop()
    this.gateway.close()
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
    const refusals = () => Object.values(this.refusedWrites).reduce((sum, count) => sum + count, 0)
    const before = refusals()
    if (victim === 'full-disk') disk.fill()
    else disk.freeze()
    try {
      for (const deadline = performance.now() + RECOVERY_MS_MAX; refusals() < before + REFUSALS_MIN; ) {
        const stale = { method: 'GET', path: '/acl/token/self?stale', token: MANAGEMENT } as const
        countIn(this.staleReads, (await this.gateway.ask(stale)).status)
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

  /** Waits until the database confirms a list. */
  private async untilAnswered(): Promise<void> {
    const list = { method: 'GET', path: '/acl/tokens?consistent', token: MANAGEMENT } as const
    for (const deadline = performance.now() + RECOVERY_MS_MAX; ; await sleep(10)) {
      const reply = await this.gateway.ask(list).catch(() => undefined)
      if (reply?.status === 200) return
      if (performance.now() > deadline) throw new Error(`it did not recover: ${this.server?.log.join('\n')}`)
    }
  }
}

function countIn(counts: Record<number, number>, status: number): void {
  counts[status] = (counts[status] ?? 0) + 1
}
