/** What a process knows of the checks of its node beyond the catalog. Decisions: agent. */
import { OUTPUT_WRITE_MS, outputWriteMs, type Random } from '@latchkey/acl'

/** An output that only the agent shows yet: its status is the one that the catalog has. */
interface HeldOutput {
  readonly output: string
  readonly writeAt: number
}

export interface LocalChecksOptions {
  /** Names the process: the checks of whose clients it heard last are its own. */
  readonly process: string
  /** Milliseconds that never jump. */
  readonly now: () => number
  /** Calls back once; what it returns cancels that. */
  readonly sleeper: { after(ms: number, callback: () => void): () => void }
  readonly random: Random
  /** Least time between two looks at all deadlines, in milliseconds. */
  readonly pauseMs: number
}

/** What has fallen due. */
export interface DueChecks {
  /** TTL checks that no client reported in time, with the process that the report before was to. */
  readonly expired: readonly { readonly checkId: string; readonly process: string }[]
  /** Outputs by check, which the catalog should get now. */
  readonly outputs: ReadonlyMap<string, string>
}

/**
 * Deadlines of TTL checks and outputs that are not written yet, by check ID. A heartbeat touches one entry of a map and nothing
 * else; deadlines are looked at all together, when the earliest known one has passed.
 */
export class LocalChecks {
  readonly process: string
  private readonly deadlines = new Map<string, { readonly at: number; readonly process: string }>()
  private readonly outputs = new Map<string, HeldOutput>()
  private readonly options: LocalChecksOptions
  private onDue: ((due: DueChecks) => void) | undefined
  private cancel: (() => void) | undefined
  /** When the timer fires; no deadline is earlier. */
  private looksAt = Number.POSITIVE_INFINITY

  constructor(options: LocalChecksOptions) {
    this.options = options
    this.process = options.process
  }

  /** Calls back with what has fallen due, from now on. */
  start(onDue: (due: DueChecks) => void): void {
    this.onDue = onDue
    if (this.looksAt !== Number.POSITIVE_INFINITY) this.arm(this.looksAt)
  }

  stop(): void {
    this.onDue = undefined
    this.cancel?.()
    this.cancel = undefined
  }

  has(checkId: string): boolean {
    return this.deadlines.has(keyOf(checkId))
  }

  /**
   * A client has reported: it has `ttlMs` for the next time.
   *
   * @param process that the catalog names as the one that the report was to. Default: this one.
   */
  renew(checkId: string, ttlMs: number, process = this.process): void {
    const at = this.options.now() + ttlMs
    this.deadlines.set(keyOf(checkId), { at, process })
    this.lookBy(at)
  }

  /** Keeps an output that differs from the catalog. Does not postpone the write of an output that is already kept. */
  holdOutput(checkId: string, output: string): void {
    const key = keyOf(checkId)
    const share = (this.options.random.bytes(1)[0] ?? 0) / 256
    const writeAt = this.outputs.get(key)?.writeAt ?? this.options.now() + outputWriteMs(share)
    this.outputs.set(key, { output, writeAt })
    this.lookBy(writeAt)
  }

  /** The catalog has the output now. */
  dropOutput(checkId: string): void {
    this.outputs.delete(keyOf(checkId))
  }

  /** The output of a check, where it is newer than that of the catalog. */
  outputOf(checkId: string): string | undefined {
    return this.outputs.get(keyOf(checkId))?.output
  }

  /** Forgets a check that is gone, or that another process has heard of since. */
  forget(checkId: string): void {
    const key = keyOf(checkId)
    this.deadlines.delete(key)
    this.outputs.delete(key)
  }

  /** Forgets all checks but these. */
  keepOnly(checkIds: Iterable<string>): void {
    const kept = new Set([...checkIds].map(keyOf))
    for (const key of [...this.deadlines.keys(), ...this.outputs.keys()]) if (!kept.has(key)) this.forget(key)
  }

  private lookBy(instant: number): void {
    if (instant >= this.looksAt) return
    this.looksAt = instant
    if (this.onDue) this.arm(instant)
  }

  private arm(instant: number): void {
    this.cancel?.()
    const waitMs = Math.min(Math.max(0, instant - this.options.now()), OUTPUT_WRITE_MS)
    this.cancel = this.options.sleeper.after(waitMs, () => this.look())
  }

  private look(): void {
    const now = this.options.now()
    const expired: DueChecks['expired'][number][] = []
    const outputs = new Map<string, string>()
    let next = Number.POSITIVE_INFINITY
    for (const [checkId, { at, process }] of this.deadlines) {
      if (at > now) next = Math.min(next, at)
      else expired.push({ checkId, process })
    }
    for (const [key, { output, writeAt }] of this.outputs) {
      if (writeAt > now) next = Math.min(next, writeAt)
      else outputs.set(key, output)
    }
    for (const { checkId } of expired) this.deadlines.delete(checkId)
    for (const key of outputs.keys()) this.outputs.delete(key)
    this.looksAt = Number.POSITIVE_INFINITY
    if (next !== Number.POSITIVE_INFINITY) this.lookBy(Math.max(next, now + this.options.pauseMs))
    if (expired.length > 0 || outputs.size > 0) this.onDue?.({ expired, outputs })
  }
}

/** IDs match without case. */
function keyOf(checkId: string): string {
  return checkId.toLowerCase()
}
