/** Many clients in blocking queries, and how long one write takes to reach the last of them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Measured, residentBytes } from './processes.ts'

interface WaitersResult {
  /** From the sending of the write until a client has its whole answer, in milliseconds. */
  readonly p50Ms: number
  readonly p99Ms: number
  /** Growth of the server's resident memory for one waiting client. */
  readonly bytesEach: number
}

interface WaitersOptions {
  readonly count: number
  /** Request lines and headers of a waiting client. */
  readonly request: string
  /** The write that wakes all. */
  readonly wake: () => Promise<unknown>
}

/** Time for the server to take note of all requests, in milliseconds. */
const SETTLE_MS = 1_500

/**
 * @throws where a client is answered before the write, or not within ten seconds after it.
 */
export async function measureWaiters(server: Measured, options: WaitersOptions): Promise<WaitersResult> {
  const before = residentBytes(server.pid)
  const clients = await connectAll(server, options.count)
  for (const { socket } of clients) socket.write(options.request)
  await sleep(SETTLE_MS)
  const early = clients.find(({ answeredAt }) => answeredAt > 0)
  if (early) throw new Error(`a client did not wait, but was answered: ${early.statusLine}`)
  const bytesEach = (residentBytes(server.pid) - before) / options.count
  const wokenAt = performance.now()
  await options.wake()
  await Promise.race([
    Promise.all(clients.map(({ answered }) => answered)),
    sleep(10_000, undefined, { ref: false }).then(() => Promise.reject(new Error('a client was not woken'))),
  ])
  const delays = clients.map(({ answeredAt }) => answeredAt - wokenAt).sort((a, b) => a - b)
  for (const { socket } of clients) socket.destroy()
  const at = (share: number) => delays[Math.ceil(delays.length * share) - 1] ?? 0
  return { p50Ms: at(0.5), p99Ms: at(0.99), bytesEach }
}

export function waitingRequest({ url, secret, prefix }: Measured, path: string, index: number): string {
  const query = `index=${index}&wait=5m`
  return `GET ${path}?${query} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${prefix}Token: ${secret}\r\n\r\n`
}

async function connectAll(server: Measured, count: number): Promise<readonly Waiter[]> {
  const { hostname, port } = new URL(server.url)
  const clients: Waiter[] = []
  // Not all at once: the queue of connections to accept is short.
  while (clients.length < count) {
    const batch = Array.from({ length: Math.min(100, count - clients.length) }, () => {
      return new Waiter(connect(Number(port), hostname))
    })
    await Promise.all(batch.map(({ socket }) => once(socket, 'connect')))
    clients.push(...batch)
  }
  return clients
}

const HEAD_END = Buffer.from('\r\n\r\n')

/** One client. Looks at as little of its answer as it must, for it shares the machine with the server. */
class Waiter {
  readonly socket: Socket
  answeredAt = 0
  statusLine = ''
  readonly answered: Promise<void>
  private bytesLeft = -1

  constructor(socket: Socket) {
    this.socket = socket
    this.answered = new Promise((resolve, reject) => {
      socket.on('data', (piece) => {
        this.take(piece)
        if (this.bytesLeft !== 0) return
        this.answeredAt = performance.now()
        resolve()
      })
      socket.on('error', reject)
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
    if (head < 0 || length === undefined) throw new Error('an answer without a length')
    this.bytesLeft = Number(length) - (piece.length - head - HEAD_END.length)
  }
}
