/** One HTTP request to an origin that an operator configured: no redirects, no proxies. */
import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { TlsOptions } from './tls-files.ts'

/** An exchange without an answer. The cause may contain addresses: it is only for the log. */
export class NoAnswer extends Error {
  /** Whether the server may have received the request. */
  readonly isSent: boolean

  constructor(cause: unknown, isSent: boolean) {
    super('no answer', { cause })
    this.isSent = isSent
  }
}

/** Statuses that an answer to a client may have. */
const STATUS_MIN = 200
const STATUS_MAX = 599

export interface ExchangeLimits {
  readonly connectMsMax: number
  /** From the connection to the start of the answer. */
  readonly answerMsMax: number
  /** From the start of the answer to its end. */
  readonly bodyMsMax: number
  /** Between two parts of the answer. */
  readonly silenceMsMax: number
}

interface ExchangeOptions {
  readonly origin: string
  readonly method: string
  /** Path and query, sent byte for byte: a `URL` would resolve `..`, and could lead to another endpoint or host. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  readonly tls: TlsOptions
  /** Keeps the connection for the next request. Absent: every request has its own. */
  readonly agent?: Agent | undefined
  readonly limits: ExchangeLimits
  readonly signal?: AbortSignal | undefined
}

/**
 * @returns the request, and its answer once the head has arrived. The answer rejects with {@link NoAnswer}.
 * @throws TypeError for a header that cannot be written.
 */
export function exchange(options: ExchangeOptions): {
  readonly outgoing: ClientRequest
  readonly answer: Promise<IncomingMessage>
} {
  const { origin, method, path, headers, body, tls, limits, agent = false, signal } = options
  const isHttps = origin.startsWith('https:')
  const send = isHttps ? requestHttps : requestHttp
  const outgoing = send(origin, { method, path, headers, agent, ...tls, ...(signal ? { signal } : {}) })
  // A deadline rejects by itself: a request whose connection is gone reports no further error.
  const late = Promise.withResolvers<never>()
  const endIn = (ms: number, reason: string) =>
    setTimeout(() => {
      late.reject(new Error(reason))
      outgoing.destroy()
    }, ms)
  let isSent = false
  let timer = endIn(limits.connectMsMax, 'no connection in time')
  const connected = () => {
    isSent = true
    clearTimeout(timer)
    timer = endIn(limits.answerMsMax, 'no answer in time')
  }
  outgoing.once('socket', (socket) => {
    if (outgoing.reusedSocket) connected()
    else socket.once(isHttps ? 'secureConnect' : 'connect', connected)
  })
  const answer = Promise.race([headOf(outgoing), late.promise])
    .then((incoming) => {
      const { statusCode = 0 } = incoming
      if (statusCode < STATUS_MIN || statusCode > STATUS_MAX) {
        outgoing.destroy()
        throw new Error(`status ${statusCode}`)
      }
      const endBody = (reason: string) => incoming.destroy(new Error(reason))
      const bodyTimer = setTimeout(endBody, limits.bodyMsMax, 'no end of the answer in time')
      incoming.once('close', () => clearTimeout(bodyTimer))
      incoming.setTimeout(limits.silenceMsMax, () => endBody('no more of the answer'))
      return incoming
    })
    .catch((error: unknown) => {
      throw new NoAnswer(error, isSent)
    })
    .finally(() => clearTimeout(timer))
  outgoing.end(body)
  return { outgoing, answer }
}

/** Maximum informational answers (1xx) before the answer. */
const INFORMATIONAL_MAX = 8

/**
 * The answer of a request once its head has arrived. Rejects if the request ends in any other way: with an error, a
 * closed connection, another protocol, or informational answers without an end.
 */
export function headOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((done, failed) => {
    let informational = 0
    outgoing.once('response', done)
    // More than one error may follow, and one without a listener would end the process.
    outgoing.on('error', failed)
    outgoing.on('information', () => {
      informational += 1
      if (informational > INFORMATIONAL_MAX) outgoing.destroy(new Error('too many informational answers'))
    })
    // Without a listener, Node destroys a request whose connection changes its protocol, and reports no error.
    outgoing.once('close', () => failed(new Error('the connection was closed without an answer')))
  })
}
