/** Collects the data from which the reply to a request is rendered. */
import { type Dialect, dialectOf, type EndpointName, type StatusCodes } from '@latchkey/contract'
import type { ReplyContext } from '../reply/render.ts'
import type { Freshness } from '../store/store.ts'
import type { AnswerHeader, Forwarding, HeaderFamily, HeaderSource } from './headers.ts'
import { ANSWER_HEADERS, DATACENTER_FAMILY } from './headers.ts'
import type { WireReply, WireRequest } from './wire.ts'

/** The headers about a read. */
const ADOPTED = ANSWER_HEADERS.filter((name) => name !== 'replicationLag')

export class RequestState implements ReplyContext {
  readonly request: WireRequest
  readonly forwarding: Forwarding | undefined
  private readonly families: readonly HeaderFamily[]
  private readonly statusCodes: StatusCodes
  readonly headers: Record<string, string> = {}
  endpoint: EndpointName | undefined
  params: Readonly<Record<string, string>> | undefined
  accessorId: string | undefined
  pretty = false
  /** Whether a secondary forwarded this write to this primary. */
  isFromSecondary = false
  /** Whether a blocking read found nothing new at first. */
  hasWaited = false
  private lastContactMs = 0

  constructor(
    request: WireRequest,
    families: readonly HeaderFamily[],
    {
      forwarding,
      statusCodes,
    }: { readonly forwarding: Forwarding | undefined; readonly statusCodes: StatusCodes },
  ) {
    this.request = request
    this.families = families
    this.forwarding = forwarding
    this.statusCodes = statusCodes
  }

  get dialect(): Dialect {
    return this.forwarding ? 'service' : dialectOf(this.families[0]?.prefix ?? '', this.statusCodes)
  }

  /** The family of the request, or the first one of the service. */
  get family(): HeaderFamily {
    const [family = DATACENTER_FAMILY] = this.families
    return family
  }

  /** Sets the index of a blocking read. Never 0, so that the client can send it back. */
  setIndex(index: number): void {
    this.setHeader('index', String(Math.max(1, index)))
  }

  setFreshness(freshness: Freshness): void {
    this.lastContactMs = freshness.lastContactMs
    this.setHeader('knownLeader', String(freshness.knownLeader))
    this.setHeader('lastContact', String(Math.round(freshness.lastContactMs)))
  }

  /** The memory of this server is the cache: a read finds its answer there, unless it waits for a change. */
  setCacheHeaders(): void {
    this.headers['X-Cache'] = this.hasWaited ? 'MISS' : 'HIT'
    if (!this.hasWaited) this.headers.Age = String(Math.round(this.lastContactMs / 1_000))
  }

  setHeader(name: AnswerHeader, value: string): void {
    for (const family of this.families) this.headers[family[name]] = value
  }

  /** Replaces this server's headers about a read with those in another server's reply, which uses one family. */
  adoptHeaders(reply: HeaderSource, of: HeaderFamily): void {
    for (const name of ADOPTED) {
      const value = reply.header(of[name].toLowerCase())
      if (value !== undefined) this.setHeader(name, value)
      else for (const family of this.families) delete this.headers[family[name]]
    }
  }

  empty(status: number, headers: Readonly<Record<string, string>>): WireReply {
    const { endpoint, accessorId } = this
    return { status, headers: { ...this.headers, ...headers }, body: undefined, endpoint, accessorId }
  }
}
