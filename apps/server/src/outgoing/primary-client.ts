import { Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { exchange, NoAnswer } from './exchange.ts'
import type { TlsOptions } from './tls-files.ts'

/** Longer than any answer of the primary: a page or changes have about 4 million characters. */
const ANSWER_BYTES_MAX = 16 * 1024 ** 2

const LIMITS = { connectMsMax: 2_000, answerMsMax: 10_000, bodyMsMax: 300_000, silenceMsMax: 10_000 }

interface PrimaryClientOptions {
  readonly origins: readonly string[]
  readonly tls: () => Promise<TlsOptions>
  readonly limits?: Partial<typeof LIMITS>
}

interface PrimaryRequest {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** How long the primary may wait before it answers. */
  readonly waitMs?: number
  readonly signal?: AbortSignal
}

export interface PrimaryAnswer {
  readonly origin: string
  readonly status: number
  readonly body: Uint8Array
  /** First value of a header, by its name in lower case. */
  header(name: string): string | undefined
}

/** The primary is unreachable. The message contains no address, because status endpoints show it. */
export class PrimaryUnreachable extends Error {
  override readonly name = 'PrimaryUnreachable'
}

export class PrimaryClient {
  /** The most recently reached address comes first. */
  private origins: readonly string[]
  private readonly tls: () => Promise<TlsOptions>
  private readonly limits: typeof LIMITS
  private readonly agents = {
    http: new HttpAgent({ keepAlive: true, maxFreeSockets: 1 }),
    https: new HttpsAgent({ keepAlive: true, maxFreeSockets: 1 }),
  }

  constructor({ origins, tls, limits }: PrimaryClientOptions) {
    this.origins = origins
    this.tls = tls
    this.limits = { ...LIMITS, ...limits }
  }

  /** @throws PrimaryUnreachable, with the cause of the last attempt; the reason of `signal`. */
  async get(request: PrimaryRequest): Promise<PrimaryAnswer> {
    const tls = await this.tls()
    let failure: unknown
    for (const origin of this.origins) {
      try {
        const answer = await this.getFrom(origin, request, tls)
        if (failure) this.origins = [origin, ...this.origins.filter((other) => other !== origin)]
        return answer
      } catch (error) {
        request.signal?.throwIfAborted()
        failure = error instanceof NoAnswer ? error.cause : error
      }
    }
    throw new PrimaryUnreachable(reasonOf(failure), { cause: failure })
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy()
  }

  private async getFrom(origin: string, request: PrimaryRequest, tls: TlsOptions): Promise<PrimaryAnswer> {
    const { path, headers = {}, waitMs = 0, signal } = request
    const limits = { ...this.limits, answerMsMax: this.limits.answerMsMax + waitMs }
    const agent = origin.startsWith('https:') ? this.agents.https : this.agents.http
    const ask = () => exchange({ origin, method: 'GET', path, headers, tls, agent, limits, signal })
    const first = ask()
    const incoming = await first.answer.catch((error: unknown) => {
      // The primary may have closed a kept-alive connection just before the request arrived.
      if (first.outgoing.reusedSocket && !signal?.aborted && isReset(error)) return ask().answer
      throw error
    })
    return {
      origin,
      status: incoming.statusCode ?? 0,
      header: (name) => incoming.headersDistinct[name]?.[0],
      body: await readAll(incoming),
    }
  }
}

async function readAll(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > ANSWER_BYTES_MAX) throw new Error('the answer is too long')
  }
  return Buffer.concat(chunks, length)
}

function isReset(error: unknown): boolean {
  const { code } = ((error as NoAnswer).cause ?? {}) as { readonly code?: unknown }
  return code === 'ECONNRESET' || code === 'EPIPE'
}

const NAMES_UNKNOWN: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA'])

/** Why there was no complete answer, without an address. */
function reasonOf(failure: unknown): string {
  const { code, message = '' } = (failure ?? {}) as { readonly code?: unknown; readonly message?: string }
  if (NAMES_UNKNOWN.has(code)) return 'The name of the primary cannot be resolved'
  if (/^no (connection|answer|more|end)|^(the connection was closed|too many|status)|too long$/.test(message))
    return `The primary cannot be asked: ${message}`
  if (/CERT|TLS|SSL|EPROTO|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(String(code))) {
    return `The primary cannot be trusted: ${String(code)}`
  }
  if (message === 'aborted') return 'The primary cannot be asked: the answer was cut off'
  return `The primary cannot be asked: ${typeof code === 'string' ? code : 'the connection failed'}`
}
