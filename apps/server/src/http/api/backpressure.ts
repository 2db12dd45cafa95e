/** Limits the memory of answers that clients have not read yet. Decisions: bounds. */
import type { ServerResponse } from 'node:http'
import { limits } from '@latchkey/contract'

/** Smaller answers are not counted: connections buffer as much anyway. Longer texts become bytes. */
export const COUNTED_BYTES_MIN = 65_536
const UNREAD_MS_MAX = 1_000
const LOOK_INTERVAL_MS = 50

interface Unread {
  readonly bytes: Uint8Array
  readonly since: number
}

/**
 * Counts the bytes that wait to be written. Above the limit, `room` makes further answers wait, and connections that
 * have read nothing of their answers for `UNREAD_MS_MAX` are closed, oldest first; above twice the limit, they are
 * closed at once. Bytes that several answers share are counted once, and may exceed the limit on their own, so that a
 * long list can always be read.
 */
export class Backpressure {
  private bytes = 0
  /** Unread answers, oldest first. */
  private readonly answers = new Map<ServerResponse, Unread>()
  private readonly shared = new Map<Uint8Array, number>()
  /** Answers with a counted piece. A long answer has thousands of pieces. */
  private readonly watched = new WeakSet<ServerResponse>()
  private readonly waiting = new Set<() => void>()
  private looking: NodeJS.Timeout | undefined

  async room(): Promise<void> {
    if (this.hasRoom()) return
    this.looking ??= setInterval(() => this.look(), LOOK_INTERVAL_MS)
    await new Promise<void>((resolve) => this.waiting.add(resolve))
  }

  private hasRoom(): boolean {
    return this.bytes < limits.UNREAD_ANSWERS_BYTES_MAX || this.shared.size === 1
  }

  private look(): void {
    const latest = performance.now() - UNREAD_MS_MAX
    for (const [response, { since }] of this.answers) {
      if (since > latest || this.hasRoom()) break
      this.close(response)
    }
    if (!this.hasRoom()) return
    clearInterval(this.looking)
    this.looking = undefined
    for (const resolve of this.waiting) resolve()
    this.waiting.clear()
  }

  /** Call before each piece of an answer is written, with all bytes that the piece contains. */
  add(response: ServerResponse, bytes: Uint8Array | string | undefined): void {
    if (!(bytes instanceof Uint8Array) || bytes.length < COUNTED_BYTES_MIN || response.writableFinished)
      return
    if (!this.watched.has(response)) response.once('close', () => this.remove(response))
    this.watched.add(response)
    this.remove(response)
    const unread = { bytes, since: performance.now() }
    this.answers.set(response, unread)
    this.count(unread, 1)
    for (const [oldest, { bytes: others }] of this.answers) {
      if (this.bytes <= 2 * limits.UNREAD_ANSWERS_BYTES_MAX) return
      // Closing an answer that shares the new bytes would free nothing.
      if (others !== bytes) this.close(oldest)
    }
  }

  remove(response: ServerResponse): void {
    const unread = this.answers.get(response)
    if (!unread) return
    this.answers.delete(response)
    this.count(unread, -1)
  }

  private count({ bytes }: Unread, readers: 1 | -1): void {
    const before = this.shared.get(bytes) ?? 0
    const after = before + readers
    if (after === 0) this.shared.delete(bytes)
    else this.shared.set(bytes, after)
    if (before === 0) this.bytes += bytes.length
    if (after === 0) this.bytes -= bytes.length
  }

  private close(response: ServerResponse): void {
    this.remove(response)
    response.destroy()
  }
}
