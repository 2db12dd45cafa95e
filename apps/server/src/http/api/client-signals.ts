import type { ServerResponse } from 'node:http'

/** Why a wait was given up. Made once: an error for every client that leaves would cost more than its wait did. */
const GONE = new Error('nobody waits for the answer any more')

/**
 * Signals for requests that wait: aborted when the client has gone, or the server ends its waits. One listener serves
 * all of them at the end, as a signal looks through its listeners at each new one, and there may be thousands (MEM-02).
 */
export class ClientSignals {
  private readonly closing: AbortSignal
  private readonly waiting = new Set<AbortController>()

  /** @param closing aborted when the server ends its waits. */
  constructor(closing: AbortSignal) {
    this.closing = closing
    closing.addEventListener('abort', () => {
      for (const client of this.waiting) client.abort(GONE)
    })
  }

  /** The signal of the request that this response answers. */
  signalOf(response: ServerResponse): AbortSignal {
    const client = new AbortController()
    if (this.closing.aborted) client.abort(GONE)
    this.waiting.add(client)
    response.once('close', () => {
      this.waiting.delete(client)
      // After its answer nobody listens any more.
      if (!response.writableFinished) client.abort(GONE)
    })
    return client.signal
  }
}
