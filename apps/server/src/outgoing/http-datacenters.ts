/**
 * Sends requests to other datacenters, over HTTP. Only configured origins are asked; redirects and proxies are not followed. Every
 * request has a connection of its own: on a kept one, a write could meet the other end as it closes, and its outcome would
 * be unknown.
 */
import type { IncomingMessage } from 'node:http'
import { AclError, invariant } from '@latchkey/contract'
import {
  type Datacenters,
  datacenterUnreachable,
  type ForwardedReply,
  type ForwardedRequest,
} from '@latchkey/service'
import type { BaseLogger } from 'pino'
import type { OtherDatacenter } from '../config/config.ts'
import { exchange, NoAnswer } from './exchange.ts'
import type { TlsOptions } from './tls-files.ts'

interface DatacenterLimits {
  readonly connectMsMax: number
  /** Maximum time from the connection to the start of the answer, on top of the wait of a blocking query. */
  readonly answerMsMax: number
  /** Maximum time between two parts of the answer. */
  readonly silenceMsMax: number
  /** Maximum number of concurrent requests to one datacenter. */
  readonly inFlightMax: number
}

const LIMITS: DatacenterLimits = {
  connectMsMax: 2_000,
  answerMsMax: 10_000,
  silenceMsMax: 60_000,
  inFlightMax: 128,
}

interface HttpDatacentersOptions {
  readonly datacenters: readonly OtherDatacenter[]
  /** Default: what the system trusts, and no client certificate. */
  readonly tls?: () => Promise<TlsOptions>
  readonly log: BaseLogger
  /** Replaces some limits; for tests. */
  readonly limits?: Partial<DatacenterLimits>
}

export class HttpDatacenters implements Datacenters {
  readonly names: readonly string[]
  /** By name; the address that was reached last comes first. */
  private readonly origins: Map<string, readonly string[]>
  private readonly tls: () => Promise<TlsOptions>
  private readonly log: BaseLogger
  private readonly limits: DatacenterLimits
  private readonly inFlight = new Map<string, number>()

  constructor({ datacenters, tls, log, limits }: HttpDatacentersOptions) {
    this.names = datacenters.map(({ name }) => name)
    this.origins = new Map(datacenters.map(({ name, origins }) => [name, origins]))
    this.tls = tls ?? (async () => ({}))
    this.log = log
    this.limits = { ...LIMITS, ...limits }
  }

  /** Repeats a read once if the connection was lost before the answer began. */
  async send(name: string, request: ForwardedRequest): Promise<ForwardedReply> {
    try {
      return await this.sendInTurn(name, request)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      if (!error.isSent) throw datacenterUnreachable(name, error.cause)
      if (request.method !== 'GET') throw silent(name, error.cause)
    }
    try {
      return await this.sendInTurn(name, request)
    } catch (error) {
      throw error instanceof NoAnswer ? datacenterUnreachable(name, error.cause) : error
    }
  }

  /** Asks the next address only if there was no connection to the one before. */
  private async sendInTurn(name: string, request: ForwardedRequest): Promise<ForwardedReply> {
    const origins = this.origins.get(name)
    invariant(origins, 'only a configured datacenter is asked')
    let failure: unknown
    for (const origin of origins) {
      try {
        const reply = await this.exchange(name, origin, request)
        if (failure) this.origins.set(name, [origin, ...origins.filter((other) => other !== origin)])
        return reply
      } catch (error) {
        if (!(error instanceof NoAnswer) || error.isSent || request.signal?.aborted) throw error
        failure = error
      }
    }
    throw failure
  }

  private async exchange(name: string, origin: string, request: ForwardedRequest): Promise<ForwardedReply> {
    const tls = await this.tls()
    const count = this.inFlight.get(name) ?? 0
    if (count >= this.limits.inFlightMax) {
      throw datacenterUnreachable(name, new Error(`${count} requests are in flight`))
    }
    const { method, url, headers, body, signal, waitMs } = request
    const { connectMsMax, answerMsMax, silenceMsMax } = this.limits
    const { outgoing, answer } = exchange({
      origin,
      method,
      path: url,
      headers,
      body,
      tls,
      connectMsMax,
      answerMsMax: answerMsMax + waitMs,
      signal,
    })
    this.inFlight.set(name, count + 1)
    outgoing.once('close', () => this.inFlight.set(name, (this.inFlight.get(name) ?? 1) - 1))
    try {
      const incoming = await answer
      incoming.setTimeout(silenceMsMax, () => incoming.destroy(new Error('no more of the answer')))
      return replyOf(incoming)
    } catch (error) {
      if (error instanceof NoAnswer && !signal?.aborted) {
        this.log.warn({ err: error.cause, datacenter: name }, 'a datacenter did not answer')
      }
      throw error
    }
  }
}

function replyOf(answer: IncomingMessage): ForwardedReply {
  return {
    status: answer.statusCode ?? 0,
    header: (name) => answer.headersDistinct[name]?.[0],
    body: answer,
  }
}

function silent(name: string, cause: unknown): AclError {
  const message = `The datacenter ${name} did not answer; the outcome of the write is unknown`
  return new AclError('datacenter_silent', message, { cause })
}
