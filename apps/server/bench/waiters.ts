/** Many clients in blocking queries, and how long one write takes to reach the last of them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Measured } from './processes.ts'

interface WaitersResult {
  /** From sending the write until a client has its whole answer, in milliseconds. */
  readonly p50Ms: number
  readonly p99Ms: number
}

interface WaitersOptions {
  readonly count: number
  /** Request line and headers of the read before the wait. */
  readonly first: string
  /** Request line and headers of the waiting request, on the same connection. */
  readonly request: string
  /** The write that wakes all clients. */
  readonly wake: () => Promise<unknown>
}

/** Time for the server to register all requests, in milliseconds. */
const SETTLE_MS = 1_500
/** Clients that connect or read concurrently. */
const CLIENTS_AT_ONCE = 100

/**
 * @throws if a client is answered before the write, or later than ten seconds after it.
 */
export async function measureWaiters(server: Measured, options: WaitersOptions): Promise<WaitersResult> {
  const clients = await connectAll(server, options.count)
  for (let at = 0; at < clients.length; at += CLIENTS_AT_ONCE) {
    await Promise.all(clients.slice(at, at + CLIENTS_AT_ONCE).map((client) => client.ask(options.first)))
  }
  const answers = clients.map((client) => client.ask(options.request))
  await sleep(SETTLE_MS)
  const early = clients.find(({ answeredAt }) => answeredAt > 0)
  if (early) throw new Error(`a client did not wait, but was answered: ${early.statusLine}`)
  const wokenAt = performance.now()
  await options.wake()
  await Promise.race([
    Promise.all(answers),
    sleep(10_000, undefined, { ref: false }).then(() => Promise.reject(new Error('a client was not woken'))),
  ])
  const delays = clients.map(({ answeredAt }) => answeredAt - wokenAt).sort((a, b) => a - b)
  for (const { socket } of clients) socket.destroy()
  const at = (share: number) => delays[Math.ceil(delays.length * share) - 1] ?? 0
  return { p50Ms: at(0.5), p99Ms: at(0.99) }
}

/** Requests of a client that reads a path, then waits for changes since an index. */
export function waitingRequests(
  { url, secret, prefix }: Measured,
  path: string,
  index: number,
): Pick<WaitersOptions, 'first' | 'request'> {
  const to = (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${prefix}Token: ${secret}\r\n\r\n`
  return { first: to(path), request: to(`${path}?index=${index}&wait=5m`) }
}

async function connectAll(server: Measured, count: number): Promise<readonly Waiter[]> {
  const { hostname, port } = new URL(server.url)
  const clients: Waiter[] = []
  // Not all at once: the accept queue is short.
  while (clients.length < count) {
    const batch = Array.from({ length: Math.min(CLIENTS_AT_ONCE, count - clients.length) }, () => {
      return new Waiter(connect(Number(port), hostname))
    })
    await Promise.all(batch.map(({ socket }) => once(socket, 'connect')))
    clients.push(...batch)
  }
  return clients
}

const HEAD_END = Buffer.from('\r\n\r\n')

/** One client. Parses as little of its answer as possible, because it shares the machine with the server. */
class Waiter {
  readonly socket: Socket
  answeredAt = 0
  statusLine = ''
  private bytesLeft = -1
  private onAnswer: () => void = () => {}
  private onError: (error: Error) => void = () => {}

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (piece) => {
      this.take(piece)
      if (this.bytesLeft !== 0) return
      this.answeredAt = performance.now()
      this.onAnswer()
    })
    socket.on('error', (error) => this.onError(error))
  }

  /** Resolves with the end of the answer. */
  ask(request: string): Promise<void> {
    this.answeredAt = 0
    this.bytesLeft = -1
    this.socket.write(request)
    return new Promise((resolve, reject) => {
      this.onAnswer = resolve
      this.onError = reject
    })
  }

  private take(piece: Buffer): void {
    if (this.bytesLeft >= 0) {
      this.bytesLeft -= piece.length
      return
    }
    const head = piece.indexOf(HEAD_END)
    this.statusLine = piece.toString('latin1', 0, piece.indexOf('\r\n'))
    const length = /content-length: (\d+)/i.exec(piece.toString('latin1', 0, head))?.[1]
    if (head < 0 || length === undefined) {
      this.onError(new Error('an answer without a length: this row cannot be measured on this server'))
      return
    }
    this.bytesLeft = Number(length) - (piece.length - head - HEAD_END.length)
  }
}
