/** Reads from a server over HTTP: GET only, with timeouts, bounded answers, and retries of transient failures. */
import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { HEADER, HEADER_PREFIXES_DEFAULT } from '@latchkey/contract'
import { systemProblem } from '../errors.ts'
import type { Connection } from './connection.ts'

/** Maximum size of an answer that is read into memory. Token lists are streamed. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** Maximum length of a server's error text in a message. */
const TEXT_LENGTH_MAX = 200
/** Maximum time for an answer after its head, as a multiple of the timeout: an hour by default. */
const BODY_TIMEOUTS = 120
/** Maximum duration of a Node timer. */
const TIMER_MS_MAX = 2 ** 31 - 1
const TRIES = 3
const RETRY_MS = 200
/** Answers of a proxy, or of a server that is busy or has no leader. */
const PASSING: readonly number[] = [429, 502, 503, 504]
const NO_LEADER = /no cluster leader/i
/** Permanent errors, such as unknown names and bad certificates, which are not retried. */
const LASTING = /^(ENOTFOUND|ENOENT|EACCES|ERR_TLS|CERT_|DEPTH_|UNABLE_TO|SELF_SIGNED|ERR_SSL|HOSTNAME_)/

/** A failed read. The message contains no secret. */
export class UnreadError extends Error {
  override readonly name = 'UnreadError'
  readonly path: string
  /** Undefined without an answer. */
  readonly status: number | undefined

  constructor(path: string, why: string, status?: number) {
    super(why)
    this.path = path
    this.status = status
  }
}

export class HttpReader {
  /** The address, for messages. */
  readonly name: string
  private readonly connection: Connection
  /** Keeps connections open, because rules are read token by token. Node's own agent would time them out. */
  private readonly agents = { http: new Agent({ keepAlive: true }), https: new TlsAgent({ keepAlive: true }) }
  private readonly signal: AbortSignal
  private readonly retryMs: number

  constructor(connection: Connection, signal: AbortSignal, retryMs: number = RETRY_MS) {
    this.connection = connection
    this.signal = signal
    this.retryMs = retryMs
    const { address, socketPath } = connection
    this.name =
      socketPath === undefined
        ? `${address.origin}${address.pathname}`.replace(/\/$/, '')
        : `unix://${socketPath}`
  }

  /** @throws UnreadError unless the answer has status 200 and a JSON body. */
  async json(path: string): Promise<unknown> {
    const answer = await this.get(path)
    const text = await readText(answer, path, ANSWER_BYTES_MAX)
    try {
      return JSON.parse(text)
    } catch {
      throw new UnreadError(path, 'the answer is not JSON', 200)
    }
  }

  /** Streams the body of an answer. @throws UnreadError unless the status is 200. */
  async *stream(path: string): AsyncGenerator<Uint8Array> {
    yield* bodyOf(await this.get(path), path)
  }

  /** Retries only until the headers of an answer have arrived. */
  private async get(path: string): Promise<IncomingMessage> {
    for (let tried = 1; ; tried++) {
      const isLast = tried === TRIES
      try {
        const answer = await this.send(path)
        if (answer.statusCode === 200) return answer
        const status = answer.statusCode ?? 0
        const text = await readText(answer, path, ANSWER_BYTES_MAX).catch(() => '')
        if (isLast || !(PASSING.includes(status) || NO_LEADER.test(text))) throw refusal(path, status, text)
      } catch (error) {
        this.signal.throwIfAborted()
        if (!(error instanceof UnreadError) || error.status !== undefined) throw error
        if (isLast || LASTING.test(error.message)) throw error
      }
      await sleep(this.retryMs * 2 ** (tried - 1), undefined, { signal: this.signal })
    }
  }

  private async send(path: string): Promise<IncomingMessage> {
    const { address, socketPath, token, namespace, tls, timeoutMs } = this.connection
    const url = new URL(`${address.origin}${address.pathname.replace(/\/$/, '')}${path}`)
    const headers = Object.fromEntries(
      HEADER_PREFIXES_DEFAULT.flatMap((prefix) => [
        ...(token === undefined ? [] : [[`${prefix}${HEADER.token}`, token]]),
        ...(namespace === undefined ? [] : [[`${prefix}${HEADER.namespace}`, namespace]]),
      ]),
    )
    const options = {
      headers,
      signal: this.signal,
      ...(socketPath === undefined ? {} : { socketPath }),
    }
    const { servername, ...certificates } = tls
    const names = servername === undefined ? {} : { servername }
    const request =
      url.protocol === 'https:'
        ? requestHttps(url, { ...options, ...certificates, ...names, agent: this.agents.https })
        : requestHttp(url, { ...options, agent: this.agents.http })
    request.end()
    try {
      const answer = await headOf(request, timeoutMs)
      const end = () => answer.destroy(timedOut())
      answer.setTimeout(timeoutMs, end)
      const timer = setTimeout(end, Math.min(BODY_TIMEOUTS * timeoutMs, TIMER_MS_MAX))
      answer.once('close', () => clearTimeout(timer))
      return answer
    } catch (error) {
      throw new UnreadError(path, systemProblem(error))
    }
  }
}

/** The answer of a request once its head has arrived. Rejects if the request ends in any other way, or takes too long. */
function headOf(request: ClientRequest, msMax: number): Promise<IncomingMessage> {
  return new Promise<IncomingMessage>((done, failed) => {
    const timer = setTimeout(
      () => {
        failed(timedOut())
        request.destroy()
      },
      Math.min(msMax, TIMER_MS_MAX),
    )
    for (const end of ['response', 'close']) request.once(end, () => clearTimeout(timer))
    request.once('response', done)
    request.on('error', failed)
    // Node reports no error if the connection changes its protocol.
    request.once('close', () => failed(Object.assign(new Error(), { code: 'ECONNRESET' })))
  })
}

function timedOut(): Error {
  return Object.assign(new Error(), { code: 'ETIMEDOUT' })
}

/** Explains an answer other than 200. The text is from the service, which never repeats a secret. */
function refusal(path: string, status: number, text: string): UnreadError {
  const plain = text.replaceAll(/\s+/g, ' ').trim().slice(0, TEXT_LENGTH_MAX)
  // The legacy service uses status 500 for this, Latchkey 403.
  if (/legacy mode/.test(plain))
    return new UnreadError(path, `${status}: the ACL system is in legacy mode`, status)
  if (status === 403) return new UnreadError(path, `403: the token may not read this`, status)
  if (status === 404) return new UnreadError(path, '404: this version has no such endpoint', status)
  if (status === 401) return new UnreadError(path, '401: ACLs are off', status)
  if (status === 410) return new UnreadError(path, '410: this version no longer has this endpoint', status)
  return new UnreadError(path, `the server answered ${status}`, status)
}

async function readText(answer: IncomingMessage, path: string, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bodyOf(answer, path)) {
    length += chunk.length
    if (length > bytesMax)
      throw new UnreadError(path, `the answer is longer than ${bytesMax} bytes`, answer.statusCode)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function* bodyOf(answer: IncomingMessage, path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of answer) yield chunk
  } catch (error) {
    throw new UnreadError(path, `the answer was cut off: ${systemProblem(error)}`, answer.statusCode)
  } finally {
    answer.destroy()
  }
}
