/** Reads from a server over HTTP: GET only, with timeouts, bounded answers, and retries of transient failures. */
import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { HEADER, HEADER_PREFIXES_DEFAULT } from '@latchkey/contract'
import type * as z from 'zod'
import { EXIT, InputError, systemProblem } from '../errors.ts'
import type { Connection } from './connection.ts'

const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** Maximum time for an answer after its head, as a multiple of the timeout: an hour by default. */
const BODY_TIMEOUTS = 120
const TIMER_MS_MAX = 2 ** 31 - 1
const TRIES = 3
const RETRY_MS = 200
/** Answers of a proxy, or of a server that is busy or has no leader. */
const PASSING: readonly number[] = [429, 502, 503, 504]
const NO_LEADER = /no cluster leader/i
/** Permanent errors, such as unknown names and bad certificates, which are not retried. */
const LASTING = /^(ENOTFOUND|ENOENT|EACCES|ERR_TLS|CERT_|DEPTH_|UNABLE_TO|SELF_SIGNED|ERR_SSL|HOSTNAME_)/

interface Target {
  readonly server: string
  readonly path: string
}

/** A failed read. The message contains no secret. */
export class UnreadError extends InputError {
  readonly path: string
  readonly status: number | undefined

  constructor({ server, path }: Target, why: string, status?: number) {
    super(why, { place: { file: `${server}${path}` }, exitCode: EXIT.failed })
    this.path = path
    this.status = status
  }

  override get text(): string {
    const isUntrusted = /CERT|UNABLE_TO|SELF_SIGNED|ALTNAME/.test(this.message)
    const advice = isUntrusted
      ? ' (trust its authority with --ca-file, or name it with --tls-server-name)'
      : ''
    const rights = this.status === 403 ? '; give a management token with --token-file' : ''
    const why = this.status === undefined ? 'the server does not answer: ' : ''
    return `${this.place.file}: ${why}${this.message}${advice}${rights}`
  }
}

export function isRefusal(error: unknown): error is UnreadError {
  return error instanceof UnreadError && error.status !== undefined
}

export class HttpReader {
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

  /** @throws UnreadError unless the answer has status 200 and a JSON body of the expected form. */
  async json<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const text = await readText(await this.get(path), this.at(path))
    try {
      return schema.parse(JSON.parse(text))
    } catch {
      throw new UnreadError(this.at(path), 'the answer has another form than expected', 200)
    }
  }

  /** Streams the body of an answer. @throws UnreadError unless the status is 200. */
  async *stream(path: string): AsyncGenerator<Uint8Array> {
    yield* bodyOf(await this.get(path), this.at(path))
  }

  private at(path: string): Target {
    return { server: this.name, path }
  }

  /** Retries only until the headers of an answer have arrived. */
  private async get(path: string): Promise<IncomingMessage> {
    for (let tried = 1; ; tried++) {
      const isLast = tried === TRIES
      try {
        const answer = await this.send(path)
        if (answer.statusCode === 200) return answer
        const status = answer.statusCode ?? 0
        const text = await readText(answer, this.at(path)).catch(() => '')
        if (isLast || !(PASSING.includes(status) || NO_LEADER.test(text)))
          throw refusal(this.at(path), status, text)
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
    const options = { headers, signal: this.signal, ...(socketPath === undefined ? {} : { socketPath }) }
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
      throw new UnreadError(this.at(path), systemProblem(error))
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

function refusal(at: Target, status: number, text: string): UnreadError {
  // The legacy service uses status 500 for this, Latchkey 403.
  const told = /legacy mode/.test(text) ? 'the ACL system is in legacy mode' : /ACL not found/.exec(text)?.[0]
  const why = told ?? REFUSALS[status]
  const message = why === undefined ? `the server answered ${status}` : `${status}: ${why}`
  return new UnreadError(at, message, status)
}

const REFUSALS: Readonly<Record<number, string>> = {
  401: 'ACLs are off',
  403: 'the token may not read this',
  404: 'this version has no such endpoint',
  410: 'this version no longer has this endpoint',
}

async function readText(answer: IncomingMessage, at: Target): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bodyOf(answer, at)) {
    length += chunk.length
    if (length > ANSWER_BYTES_MAX)
      throw new UnreadError(at, `the answer is longer than ${ANSWER_BYTES_MAX} bytes`, answer.statusCode)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function* bodyOf(answer: IncomingMessage, at: Target): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of answer) yield chunk
  } catch (error) {
    throw new UnreadError(at, `the answer was cut off: ${systemProblem(error)}`, answer.statusCode)
  } finally {
    answer.destroy()
  }
}
