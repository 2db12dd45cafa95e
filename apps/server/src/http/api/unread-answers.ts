/** What the clients of a process have not read of their answers. Decisions: bounds. */
import type { ServerResponse } from 'node:http'
import { limits } from '@latchkey/contract'

/** Less is not counted: a connection holds as much for what it reads. */
const COUNTED_BYTES_MIN = 65_536

interface Unread {
  readonly body: Uint8Array | string
  readonly bytes: number
}

/**
 * Counts what waits to be written, and closes the connections that have left theirs unread for longest where it is too
 * much. Bytes that several answers share are counted once.
 */
export class UnreadAnswers {
  private bytes = 0
  /** The one that was written first is first. */
  private readonly answers = new Map<ServerResponse, Unread>()
  private readonly shared = new Map<Uint8Array, number>()

  /** After a write that ends the answer, or that was not taken at once. */
  add(response: ServerResponse, body: Uint8Array | string | undefined): void {
    const bytes = body?.length ?? 0
    if (body === undefined || bytes < COUNTED_BYTES_MIN || response.writableFinished) return
    if (!this.answers.has(response)) response.once('close', () => this.remove(response))
    this.remove(response)
    this.answers.set(response, { body, bytes })
    this.count({ body, bytes }, 1)
    while (this.bytes > limits.UNREAD_ANSWERS_BYTES_MAX && this.answers.size > 0) this.closeOldest()
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

  private closeOldest(): void {
    for (const [response] of this.answers) {
      this.remove(response)
      response.destroy()
      return
    }
  }
}
