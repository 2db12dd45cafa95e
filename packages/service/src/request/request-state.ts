/** What becomes known of a request while it is answered, and what its reply is made from. */
import type { EndpointName } from '@latchkey/contract'
import type { ReplyContext } from '../reply/render.ts'
import type { Freshness } from '../store/store.ts'
import type { HeaderFamily } from './headers.ts'
import type { WireReply, WireRequest } from './wire.ts'

export class RequestState implements ReplyContext {
  readonly request: WireRequest
  readonly family: HeaderFamily
  readonly headers: Record<string, string> = {}
  endpoint: EndpointName | undefined
  accessorId: string | undefined
  pretty = false

  constructor(request: WireRequest, family: HeaderFamily) {
    this.request = request
    this.family = family
  }

  /** Headers of a blocking read. Never 0, so that a client may send the index back. Reference 4.2. */
  setIndex(index: number): void {
    this.headers[this.family.index] = String(Math.max(1, index))
  }

  setFreshness(freshness: Freshness): void {
    this.headers[this.family.knownLeader] = String(freshness.knownLeader)
    this.headers[this.family.lastContact] = String(Math.round(freshness.lastContactMs))
  }

  /** A reply of headers alone. */
  empty(status: number, headers: Readonly<Record<string, string>>): WireReply {
    const { endpoint, accessorId } = this
    return { status, headers: { ...this.headers, ...headers }, body: undefined, endpoint, accessorId }
  }
}
