/** Limits open connections per client address. Spec 8; decisions: status codes. */
import { type BlockList, isIPv6, type Server, type Socket } from 'node:net'
import { type Release, Semaphore } from '@latchkey/service'

export interface ConnectionSlots {
  /** Takes a slot for a client. @returns undefined if none is free. */
  take(client: string): Release | undefined | Promise<Release | undefined>
}

/** The slots of this process. @param max per client; 0 for no limit. */
export function connectionSlots(max: number) {
  const open = new Semaphore(Number.POSITIVE_INFINITY)
  const ofClient = max === 0 ? Number.POSITIVE_INFINITY : max
  return {
    take: (client) => open.tryAcquire({ shares: [{ key: client, max: ofClient }] }),
  } satisfies ConnectionSlots
}

export interface ConnectionLimitOptions {
  readonly slots: ConnectionSlots
  /** Whether an excess connection gets a 429 (from 1.9), or is closed without a byte. */
  readonly answers429: boolean
  /** Addresses of proxies, which carry the connections of many clients and are not limited. */
  readonly trustedProxies: BlockList
  readonly onRefused: (address: string) => void
}

const REFUSAL_TEXT = 'Your IP is issuing too many concurrent connections, please rate limit your calls\n'
const REFUSAL = [
  'HTTP/1.1 429 Too Many Requests',
  'Content-Type: text/plain',
  `Content-Length: ${REFUSAL_TEXT.length}`,
  'Connection: close',
  '',
  REFUSAL_TEXT,
].join('\r\n')

/** Time for the refusal to be sent, in milliseconds, before the connection is closed. */
const REFUSAL_MS_MAX = 100

/**
 * Counts new connections by address, over all servers together. A server's own listener only sees admitted connections,
 * so no request of a refused client reaches a handler.
 */
export function limitConnections(servers: readonly Server[], options: ConnectionLimitOptions): void {
  for (const server of servers) {
    const listeners = server.listeners('connection')
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      const admit = () => {
        for (const listener of listeners) Reflect.apply(listener, server, [socket])
      }
      limit(socket, admit, options)
    })
  }
}

function limit(socket: Socket, admit: () => void, options: ConnectionLimitOptions): void {
  const { slots, trustedProxies } = options
  const client = clientOf(socket, trustedProxies)
  if (client === undefined) {
    admit()
    return
  }
  const decide = (release: Release | undefined) => {
    if (release && socket.destroyed) release()
    else if (release) {
      socket.on('close', release)
      admit()
    } else {
      options.onRefused(client)
      refuse(socket, options.answers429)
    }
  }
  const taken = slots.take(client)
  if (!(taken instanceof Promise)) {
    decide(taken)
    return
  }
  // Data sent before admission stays in the socket, and an error is followed by `close`.
  const ignore = () => {}
  socket.pause().on('error', ignore)
  void taken.then((release) => {
    socket.off('error', ignore)
    decide(release)
    socket.resume()
  })
}

function refuse(socket: Socket, answers429: boolean): void {
  if (!answers429) {
    socket.destroy()
    return
  }
  socket.on('error', () => socket.destroy())
  socket.end(REFUSAL, () => socket.destroySoon())
  setTimeout(() => socket.destroy(), REFUSAL_MS_MAX).unref()
}

/** The key by which a client is limited; undefined for a trusted proxy. */
function clientOf(
  { remoteAddress = '' }: Pick<Socket, 'remoteAddress'>,
  trustedProxies: BlockList,
): string | undefined {
  const address = plainAddress(remoteAddress)
  const isTrusted = trustedProxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return isTrusted ? undefined : clientKey(address)
}

/** Caches {@link clientOf} per connection: it takes 2 µs, and a request may need it several times. */
export function rememberClients(
  trustedProxies: BlockList,
): (request: { readonly socket: Socket }) => string | undefined {
  const known = new WeakMap<Socket, { readonly client: string | undefined }>()
  return ({ socket }) => {
    let entry = known.get(socket)
    if (!entry) {
      entry = { client: clientOf(socket, trustedProxies) }
      known.set(socket, entry)
    }
    return entry.client
  }
}

/** Unwraps an IPv4 address in IPv6 form; drops the zone of a link-local one. */
export function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.split('%', 1)[0] ?? ''
}

/** An IPv6 client owns a /64: one key for all of it (DOS-07). */
export function clientKey(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...start, ...Array.from({ length: 8 - start.length - end.length }, () => '0'), ...end]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
