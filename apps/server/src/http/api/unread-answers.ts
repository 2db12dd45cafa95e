/** What the clients of a process have not read of their answers. Decisions: bounds. */
import type { ServerResponse } from 'node:http'
import { limits } from '@latchkey/contract'

/** Less is not counted: a connection holds as much for what it reads. */
const COUNTED_BYTES_MIN = 65_536
/** How long an answer may stay unread while others wait for room. */
const UNREAD_MS_MAX = 1_000
const LOOK_INTERVAL_MS = 50

interface Unread {
  readonly body: Uint8Array | string
  readonly bytes: number
  /** `performance.now()` when it was written. */
  readonly since: number
}

/**
 * Counts what waits to be written. Where it is too much, a text that is yet to be made waits for room, and until then
 * the connections that have left theirs unread for long are closed; at twice as much, that is done at once. Bytes that
 * several answers share are counted once.
 */
export class UnreadAnswers {
  private bytes = 0
  /** The one that was written first is first. */
  private readonly answers = new Map<ServerResponse, Unread>()
  private readonly shared = new Map<Uint8Array, number>()
  private readonly waiting = new Set<() => void>()
  private looking: NodeJS.Timeout | undefined

  /** Resolves when there is room for a long answer. */
  async room(): Promise<void> {
    if (this.bytes < limits.UNREAD_ANSWERS_BYTES_MAX) return
    this.looking ??= setInterval(() => this.look(), LOOK_INTERVAL_MS)
    await new Promise<void>((resolve) => this.waiting.add(resolve))
  }

  private look(): void {
    const latest = performance.now() - UNREAD_MS_MAX
    for (const [response, { since }] of this.answers) {
      if (since > latest || this.bytes < limits.UNREAD_ANSWERS_BYTES_MAX) break
      this.close(response)
    }
    if (this.bytes >= limits.UNREAD_ANSWERS_BYTES_MAX) return
    clearInterval(this.looking)
    this.looking = undefined
    for (const resolve of this.waiting) resolve()
    this.waiting.clear()
  }

  /** After a write that ends the answer, or that was not taken at once. */
  add(response: ServerResponse, body: Uint8Array | string | undefined): void {
    const bytes = body?.length ?? 0
    if (body === undefined || bytes < COUNTED_BYTES_MIN || response.writableFinished) return
    if (!this.answers.has(response)) response.once('close', () => this.remove(response))
    this.remove(response)
    const unread = { body, bytes, since: performance.now() }
    this.answers.set(response, unread)
    this.count(unread, 1)
    for (const [oldest] of this.answers) {
      if (this.bytes <= 2 * limits.UNREAD_ANSWERS_BYTES_MAX) return
      this.close(oldest)
    }
  }

  /** What was written has left the process. */
  remove(response: ServerResponse): void {
    const unread = this.answers.get(response)
    if (!unread) return
    this.answers.delete(response)
    this.count(unread, -1)
  }

  private count({ body, bytes }: Unread, readers: 1 | -1): void {
    if (typeof body === 'string') {
      this.bytes += readers * bytes
      return
    }
    const before = this.shared.get(body) ?? 0
    const after = before + readers
    if (after === 0) this.shared.delete(body)
    else this.shared.set(body, after)
    if (before === 0) this.bytes += bytes
    if (after === 0) this.bytes -= bytes
  }

  private close(response: ServerResponse): void {
    this.remove(response)
    response.destroy()
  }
}
