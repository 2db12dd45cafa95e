/**
 * One HTTP request to an origin that an operator configured. It follows no redirects and ignores proxies from the
 * environment.
 */
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
  readonly connectMsMax: number
  /** Maximum time from the connection to the start of the answer. */
  readonly answerMsMax: number
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
  const { origin, method, path, headers, body, tls, agent = false, signal } = options
  const isHttps = origin.startsWith('https:')
  const send = isHttps ? requestHttps : requestHttp
  const outgoing = send(origin, { method, path, headers, agent, ...tls, ...(signal ? { signal } : {}) })
  const answer = new Promise<IncomingMessage>((done, failed) => {
    let isSent = false
    let timer = endIn(outgoing, options.connectMsMax, 'no connection in time')
    const connected = () => {
      isSent = true
      clearTimeout(timer)
      timer = endIn(outgoing, options.answerMsMax, 'no answer in time')
    }
    outgoing.once('socket', (socket) => {
      if (outgoing.reusedSocket) connected()
      else socket.once(isHttps ? 'secureConnect' : 'connect', connected)
    })
    outgoing.once('response', (incoming) => {
      clearTimeout(timer)
      done(incoming)
    })
    outgoing.once('error', (error) => failed(new NoAnswer(error, isSent)))
    outgoing.once('close', () => clearTimeout(timer))
  })
  outgoing.end(body)
  return { outgoing, answer }
}

function endIn(outgoing: ClientRequest, ms: number, reason: string): NodeJS.Timeout {
  return setTimeout(() => outgoing.destroy(new Error(reason)), ms)
}
