/** State of the checks of a process's node that is not in the catalog. Decisions: agent. */
import type { Random } from '@latchkey/acl'
import { OUTPUT_WRITE_MS, outputWriteMs } from '@latchkey/catalog'

type HeldOutput = { readonly output: string; readonly writeAt: number }

export interface LocalChecksOptions {
  /** ID of the process. It owns the checks of which it received the last report. */
  readonly process: string
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly sleeper: { after(ms: number, callback: () => void): () => void }
  readonly random: Random
  /** Minimum time between two scans of all deadlines, in milliseconds. */
  readonly pauseMs: number
}

export interface DueChecks {
  /** TTL checks that no client reported in time, with the process that received the previous report. */
  readonly expired: readonly { readonly checkId: string; readonly process: string }[]
  readonly outputs: ReadonlyMap<string, string>
}

/**
 * Deadlines of TTL checks and unwritten outputs, by check ID. A heartbeat only updates one map entry. All deadlines are
 * scanned together when the earliest known one has passed.
 */
export class LocalChecks {
  readonly process: string
  private readonly deadlines = new Map<string, { readonly at: number; readonly process: string }>()
  private readonly outputs = new Map<string, HeldOutput>()
  private readonly options: LocalChecksOptions
  private onDue: ((due: DueChecks) => void) | undefined
  private cancel: (() => void) | undefined
  /** When the next scan is due; no deadline is earlier. */
  private looksAt = Number.POSITIVE_INFINITY

  constructor(options: LocalChecksOptions) {
    this.options = options
    this.process = options.process
  }

  /** Calls `onDue` with everything that is due, from now on. */
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
   * Restarts the deadline of a check after a report: the next one is due in `ttlMs`.
   * @param process that received the report, according to the catalog. Default: this one.
   */
  renew(checkId: string, ttlMs: number, process = this.process): void {
    const at = this.options.now() + ttlMs
    this.deadlines.set(keyOf(checkId), { at, process })
    this.lookBy(at)
  }

  holdOutput(checkId: string, output: string): void {
    const key = keyOf(checkId)
    const share = (this.options.random.bytes(1)[0] ?? 0) / 256
    const writeAt = this.outputs.get(key)?.writeAt ?? this.options.now() + outputWriteMs(share)
    this.outputs.set(key, { output, writeAt })
    this.lookBy(writeAt)
  }

  dropOutput(checkId: string): void {
    this.outputs.delete(keyOf(checkId))
  }

  /** The output of a check, if it is newer than the catalog's. */
  outputOf(checkId: string): string | undefined {
    return this.outputs.get(keyOf(checkId))?.output
  }

  /** Drops a check that was removed, or of which another process has received a report. */
  forget(checkId: string): void {
    const key = keyOf(checkId)
    this.deadlines.delete(key)
    this.outputs.delete(key)
  }

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

/** IDs match case-insensitively. */
function keyOf(checkId: string): string {
  return checkId.toLowerCase()
}
