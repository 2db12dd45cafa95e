/**
 * Sends requests to other datacenters, over HTTP. Only configured origins are asked; redirects and proxies are not followed. Every
 * request has a connection of its own: on a kept one, a write could meet the other end as it closes, and its outcome would
 * be unknown.
 */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { AclError, invariant } from '@latchkey/contract'
import {
  type Datacenters,
  datacenterUnreachable,
  type ForwardedReply,
  type ForwardedRequest,
} from '@latchkey/service'
import type { BaseLogger } from 'pino'
import type { DatacenterOrigin } from '../config/settings.ts'

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

/** An exchange without an answer. */
class Failure extends Error {
  /** Whether the other end may have received the request. */
  readonly isSent: boolean

  constructor(cause: unknown, isSent: boolean) {
    super('no answer', { cause })
    this.isSent = isSent
  }
}

interface HttpDatacentersOptions {
  readonly datacenters: readonly DatacenterOrigin[]
  readonly log: BaseLogger
  /** Replaces some limits; for tests. */
  readonly limits?: Partial<DatacenterLimits>
}

export class HttpDatacenters implements Datacenters {
  readonly names: readonly string[]
  private readonly origins: ReadonlyMap<string, string>
  private readonly log: BaseLogger
  private readonly limits: DatacenterLimits
  private readonly inFlight = new Map<string, number>()

  constructor({ datacenters, log, limits }: HttpDatacentersOptions) {
    this.names = datacenters.map(({ name }) => name)
    this.origins = new Map(datacenters.map(({ name, origin }) => [name, origin]))
    this.log = log
    this.limits = { ...LIMITS, ...limits }
  }

  /** Repeats a read once if the connection was lost before the answer began. */
  async send(name: string, request: ForwardedRequest): Promise<ForwardedReply> {
    try {
      return await this.exchange(name, request)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (!error.isSent) throw datacenterUnreachable(name, error.cause)
      if (request.method !== 'GET') throw silent(name, error.cause)
    }
    try {
      return await this.exchange(name, request)
    } catch (error) {
      throw error instanceof Failure ? datacenterUnreachable(name, error.cause) : error
    }
  }

  private exchange(name: string, request: ForwardedRequest): Promise<ForwardedReply> {
    const origin = this.origins.get(name)
    invariant(origin, 'only a configured datacenter is asked')
    const count = this.inFlight.get(name) ?? 0
    if (count >= this.limits.inFlightMax) {
      throw datacenterUnreachable(name, new Error(`${count} requests are in flight`))
    }
    const { method, url, headers, body, signal, waitMs } = request
    const isHttps = origin.startsWith('https:')
    return new Promise((done, failed) => {
      const send = isHttps ? requestHttps : requestHttp
      // As `path`, it is sent byte for byte. A `URL` would resolve `..`, and could lead to another endpoint or host.
      const options = { method, path: url, headers, agent: false, ...(signal ? { signal } : {}) }
      const outgoing = send(origin, options)
      this.inFlight.set(name, count + 1)
      let isSent = false
      let timer = endIn(outgoing, this.limits.connectMsMax, 'no connection in time')
      outgoing.once('socket', (socket) => {
        socket.once(isHttps ? 'secureConnect' : 'connect', () => {
          isSent = true
          clearTimeout(timer)
          timer = endIn(outgoing, this.limits.answerMsMax + waitMs, 'no answer in time')
        })
      })
      outgoing.once('response', (answer) => {
        clearTimeout(timer)
        answer.setTimeout(this.limits.silenceMsMax, () => answer.destroy(new Error('no more of the answer')))
        done(replyOf(answer))
      })
      outgoing.once('error', (error) => {
        if (!signal?.aborted) this.log.warn({ err: error, datacenter: name }, 'a datacenter did not answer')
        failed(new Failure(error, isSent))
      })
      outgoing.once('close', () => {
        clearTimeout(timer)
        this.inFlight.set(name, (this.inFlight.get(name) ?? 1) - 1)
      })
      outgoing.end(body)
    })
  }
}

function endIn(outgoing: ClientRequest, ms: number, reason: string): NodeJS.Timeout {
  return setTimeout(() => outgoing.destroy(new Error(reason)), ms)
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
