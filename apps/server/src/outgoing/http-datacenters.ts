/**
 * Sends requests to other datacenters over HTTP, only to configured origins, without redirects and proxies. Every
 * request has its own connection: on a kept-alive connection, a write could arrive just as the other side closes it,
 * and its outcome would be unknown.
 */
import type { IncomingMessage } from 'node:http'
import { AclError, invariant } from '@latchkey/contract'
import {
  type Datacenters,
  datacenterSilent,
  datacenterUnreachable,
  type ForwardedReply,
  type ForwardedRequest,
  Semaphore,
} from '@latchkey/service'
import type { BaseLogger } from 'pino'
import type { OtherDatacenter } from '../config/config.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { exchange, NoAnswer } from './exchange.ts'
import type { TlsOptions } from './tls-files.ts'

const LIMITS = {
  /** For all addresses of a datacenter together. */
  connectMsMax: 2_000,
  /** On top of the wait of a blocking query. */
  answerMsMax: 10_000,
  bodyMsMax: 600_000,
  silenceMsMax: 60_000,
  inFlightMax: 64,
  /** Requests without a token known here, which leave room for others. */
  unknownCallersMax: 16,
  /** Blocking queries, which take minutes and leave room for writes. */
  waitersMax: 32,
}

interface HttpDatacentersOptions {
  readonly datacenters: readonly OtherDatacenter[]
  /** Default: what the system trusts, and no client certificate. */
  readonly tls?: () => Promise<TlsOptions>
  readonly log: BaseLogger
  /** Called when a request has been answered or refused. `undefined`: the client left. */
  readonly onAnswer?: (datacenter: string, status: number | undefined, seconds: number) => void
  readonly now?: () => number
  readonly limits?: Partial<typeof LIMITS>
}

interface Reached {
  readonly name: string
  /** The most recently reached address comes first. */
  origins: readonly string[]
  readonly circuit: CircuitBreaker
  readonly inFlight: Semaphore
}

export class HttpDatacenters implements Datacenters {
  readonly names: readonly string[]
  private readonly options: HttpDatacentersOptions
  private readonly limits: typeof LIMITS
  private readonly reached: ReadonlyMap<string, Reached>
  private readonly now: () => number

  constructor(options: HttpDatacentersOptions) {
    this.options = options
    this.names = options.datacenters.map(({ name }) => name)
    this.now = options.now ?? (() => performance.now())
    this.limits = { ...LIMITS, ...options.limits }
    this.reached = new Map(
      options.datacenters.map(({ name, origins }) => {
        const inFlight = new Semaphore(this.limits.inFlightMax)
        return [name, { name, origins, circuit: new CircuitBreaker(), inFlight }]
      }),
    )
  }

  async send(name: string, request: ForwardedRequest): Promise<ForwardedReply> {
    const datacenter = this.reached.get(name)
    invariant(datacenter, 'only a configured datacenter is asked')
    const startedAt = this.now()
    let status: number | undefined
    try {
      const reply = await this.sendOrRepeat(datacenter, request)
      status = reply.status
      return reply
    } catch (error) {
      if (error instanceof AclError && !request.signal?.aborted) status = error.status
      throw error
    } finally {
      this.options.onAnswer?.(name, status, (this.now() - startedAt) / 1_000)
    }
  }

  /** Repeats a read once if the connection was lost before the answer began. */
  private async sendOrRepeat(datacenter: Reached, request: ForwardedRequest): Promise<ForwardedReply> {
    const { name } = datacenter
    try {
      return await this.sendOnce(datacenter, request)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      if (!error.isSent) throw datacenterUnreachable(name, error.cause)
      if (request.method !== 'GET') throw datacenterSilent(name, error.cause)
    }
    try {
      return await this.sendOnce(datacenter, request)
    } catch (error) {
      throw error instanceof NoAnswer ? datacenterUnreachable(name, error.cause) : error
    }
  }

  private async sendOnce(datacenter: Reached, request: ForwardedRequest): Promise<ForwardedReply> {
    const { circuit, name } = datacenter
    const tls = (await this.options.tls?.()) ?? {}
    if (!circuit.admits(this.now())) throw datacenterUnreachable(name, new Error('the circuit is open'))
    try {
      const reply = await this.sendInTurn(datacenter, request, tls)
      circuit.succeeded()
      return reply
    } catch (error) {
      if (error instanceof NoAnswer && !request.signal?.aborted) {
        circuit.failed(this.now())
        this.options.log.warn({ err: error.cause, datacenter: name }, 'a datacenter did not answer')
      }
      throw error
    }
  }

  /** Tries the next address only if no connection to the previous one was made. */
  private async sendInTurn(
    datacenter: Reached,
    request: ForwardedRequest,
    tls: TlsOptions,
  ): Promise<ForwardedReply> {
    const { origins } = datacenter
    let failure: unknown
    for (const origin of origins) {
      try {
        const reply = await this.exchange(datacenter, origin, request, tls)
        if (failure) datacenter.origins = [origin, ...origins.filter((other) => other !== origin)]
        return reply
      } catch (error) {
        if (!(error instanceof NoAnswer) || error.isSent || request.signal?.aborted) throw error
        failure = error
      }
    }
    throw failure
  }

  private async exchange(
    { name, origins, inFlight }: Reached,
    origin: string,
    request: ForwardedRequest,
    tls: TlsOptions,
  ): Promise<ForwardedReply> {
    const { method, url, headers, body, signal, waitMs, isOfKnownCaller } = request
    const { connectMsMax, answerMsMax, unknownCallersMax, waitersMax } = this.limits
    const release = inFlight.tryAcquire({
      shares: [
        ...(isOfKnownCaller ? [] : [{ key: 'unknown callers', max: unknownCallersMax }]),
        ...(waitMs > 0 ? [{ key: 'waiters', max: waitersMax }] : []),
      ],
    })
    if (!release) throw datacenterUnreachable(name, new Error('too many requests are in flight'))
    try {
      const limits = {
        ...this.limits,
        connectMsMax: connectMsMax / origins.length,
        answerMsMax: answerMsMax + waitMs,
      }
      const { outgoing, answer } = exchange({ origin, method, path: url, headers, body, tls, limits, signal })
      outgoing.once('close', release)
      return replyOf(await answer)
    } catch (error) {
      // Now, because a repeated read needs the place before the connection has closed.
      release()
      throw error
    }
  }
}

function replyOf(answer: IncomingMessage): ForwardedReply {
  return { status: answer.statusCode ?? 0, header: (name) => answer.headersDistinct[name]?.[0], body: answer }
}
