import type { ServerResponse } from 'node:http'

/** The abort reason of all signals: an error per lost client would cost more than its wait. */
const GONE = new Error('the client no longer waits for the answer')

/**
 * Signals for waiting requests: aborted when the client has left or the server ends its waits. One listener serves all
 * of them at shutdown: a signal scans its listeners when one is added, and there may be thousands (MEM-02).
 */
export class ClientSignals {
  private readonly closing: AbortSignal
  private readonly waiting = new Set<AbortController>()

  constructor(closing: AbortSignal) {
    this.closing = closing
    closing.addEventListener('abort', () => {
      for (const client of this.waiting) client.abort(GONE)
    })
  }

  /** Adds a waiting client. The controller's signal is the signal of its request. */
  begin(): AbortController {
    const client = new AbortController()
    if (this.closing.aborted) client.abort(GONE)
    this.waiting.add(client)
    return client
  }

  end(client: AbortController, isAnswered: boolean): void {
    this.waiting.delete(client)
    // After the answer, nothing listens.
    if (!isAnswered) client.abort(GONE)
  }

  /** The signal of the request that this response answers. */
  signalOf(response: ServerResponse): AbortSignal {
    const client = this.begin()
    // `once` would keep 200 bytes more per connection, and a connection closes only once anyway.
    response.on('close', () => this.end(client, response.writableFinished))
    return client.signal
  }
}

const WAITS_BY_QUERY = /[?&](?:index=|dc=|[^=&?]*%)/
const TAKES_TURNS_OR_HIDES = /\/(?:who-can|what-if|lint)|^[^?]*%/

/**
 * Whether a request can outlive its client; only such requests pay for a signal. These are blocking queries (`index`),
 * requests for another datacenter (`dc`), work that takes many turns, URLs whose encoding may hide one of these, and,
 * in a secondary datacenter, writes that it forwards to the primary.
 */
export function canOutliveClient(
  { method, url }: { readonly method?: string | undefined; readonly url?: string | undefined },
  forwardsWrites: boolean,
): boolean {
  if (forwardsWrites && method !== 'GET') return true
  if (url === undefined) return false
  return (url.includes('?') && WAITS_BY_QUERY.test(url)) || TAKES_TURNS_OR_HIDES.test(url)
}
