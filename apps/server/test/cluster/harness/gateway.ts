/** Sends requests to one server process: the only view of a server that these proofs have. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'

export interface Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Below `/v1`, with the query. */
  readonly path: string
  /** The secret to present. */
  readonly token?: string
  /** Values other than text are sent as JSON. */
  readonly body?: unknown
  /** Aborts the request, like a client that disconnects. */
  readonly signal?: AbortSignal
}

export interface Reply {
  readonly status: number
  readonly text: string
  /** `X-Service-Index`; 0 if absent. */
  readonly index: number
  /** `X-Service-LastContact`, in milliseconds; 0 if absent. */
  readonly lastContactMs: number
  /** `X-Service-KnownLeader`. */
  readonly knownLeader: boolean
}

export interface Gateway {
  /** @throws NoAnswer if the process ended or could not be reached. */
  ask(request: Request): Promise<Reply>
  /** Closes the connections. */
  close(): void
}

/** The process gave no answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  /** False if the request certainly never reached a process. */
  readonly maybeApplied: boolean

  constructor(cause: unknown, maybeApplied: boolean) {
    super('no answer', { cause })
    this.maybeApplied = maybeApplied
  }
}

/**
 * A gateway to a process that listens on a URL, with its own connections.
 *
 * @param url read for every request: a restarted process listens on another port.
 */
export function httpGateway(url: () => string): Gateway {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  return {
    ask: ({ method, path, token, body, signal }) =>
      new Promise((resolve, reject) => {
        const headers = token === undefined ? {} : { 'X-Service-Token': token }
        const options = { method, agent, headers, ...(signal ? { signal } : {}) }
        const sent = httpRequest(`${url()}/v1${path}`, options, (response) => {
          readText(response).then(
            (text) => resolve(replyOf(response, text)),
            (cause) => reject(new NoAnswer(cause, true)),
          )
        })
        sent.on('error', (cause: NodeJS.ErrnoException) => {
          reject(new NoAnswer(cause, cause.code !== 'ECONNREFUSED'))
        })
        sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
      }),
    close: () => agent.destroy(),
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}

function replyOf({ statusCode = 0, headers }: IncomingMessage, text: string): Reply {
  return {
    status: statusCode,
    text,
    index: Number(headers['x-service-index'] ?? 0),
    lastContactMs: Number(headers['x-service-lastcontact'] ?? 0),
    knownLeader: headers['x-service-knownleader'] === 'true',
  }
}

/** The answer's JSON; throws with the answer's text if the status is unexpected. */
export function jsonOf<T>(reply: Reply, status = 200): T {
  if (reply.status !== status) throw new Error(`answered ${reply.status}, not ${status}: ${reply.text}`)
  return JSON.parse(reply.text)
}
