/** Collects what the reply of a request is rendered from. */
import type { EndpointName } from '@latchkey/contract'
import type { ReplyContext } from '../reply/render.ts'
import type { Freshness } from '../store/store.ts'
import type { AnswerHeader, HeaderFamily, HeaderSource } from './headers.ts'
import type { WireReply, WireRequest } from './wire.ts'

const ADOPTED: readonly AnswerHeader[] = [
  'index',
  'knownLeader',
  'lastContact',
  'effectiveConsistency',
  'queryBackend',
  'resultsFiltered',
  'defaultPolicy',
  'nextCursor',
  'contentHash',
  'reason',
  'translateAddresses',
]

export class RequestState implements ReplyContext {
  readonly request: WireRequest
  /** The families of the answer. */
  private readonly families: readonly HeaderFamily[]
  readonly headers: Record<string, string> = {}
  endpoint: EndpointName | undefined
  accessorId: string | undefined
  pretty = false
  /** The request is a write that a secondary forwarded to this primary. */
  isFromSecondary = false

  constructor(request: WireRequest, families: readonly HeaderFamily[]) {
    this.request = request
    this.families = families
  }

  /** Of a blocking read. Never 0, so that a client may send the index back. */
  setIndex(index: number): void {
    this.setHeader('index', String(Math.max(1, index)))
  }

  setFreshness(freshness: Freshness): void {
    this.setHeader('knownLeader', String(freshness.knownLeader))
    this.setHeader('lastContact', String(Math.round(freshness.lastContactMs)))
  }

  /** Sets a header in every family of the answer. */
  setHeader(name: AnswerHeader, value: string): void {
    for (const family of this.families) this.headers[family[name]] = value
  }

  /** Replaces what this server says of itself by what another one says, in one family. */
  adoptHeaders(reply: HeaderSource, of: HeaderFamily): void {
    for (const name of ADOPTED) {
      const value = reply.header(of[name].toLowerCase())
      if (value !== undefined) this.setHeader(name, value)
      else for (const family of this.families) delete this.headers[family[name]]
    }
  }

  /** A reply without a body. */
  empty(status: number, headers: Readonly<Record<string, string>>): WireReply {
    const { endpoint, accessorId } = this
    return { status, headers: { ...this.headers, ...headers }, body: undefined, endpoint, accessorId }
  }
}
