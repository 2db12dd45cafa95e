/** Limits open connections per client address. Spec 8; decisions: status codes. */
import { type BlockList, isIPv6, type Server, type Socket } from 'node:net'

export interface ConnectionLimitOptions {
  /** Maximum number of connections per client; 0 for no limit. */
  readonly connectionsMax: number
  /** Whether a surplus connection gets an explanation (from 1.9), or is closed without a byte. */
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
 * Counts new connections by address, over all servers together. A server's own listener only sees admitted
 * connections, so nothing that a refused client sends reaches a request handler.
 */
export function limitConnections(servers: readonly Server[], options: ConnectionLimitOptions): void {
  if (options.connectionsMax === 0) return
  const open = new Map<string, number>()
  for (const server of servers) {
    const admit = server.listeners('connection')
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      if (!count(socket, open, options)) return
      for (const listener of admit) Reflect.apply(listener, server, [socket])
    })
  }
}

/** @returns whether the connection is admitted. */
function count(socket: Socket, open: Map<string, number>, options: ConnectionLimitOptions): boolean {
  const key = clientOf(socket, options.trustedProxies)
  if (key === undefined) return true
  const connections = (open.get(key) ?? 0) + 1
  if (connections > options.connectionsMax) {
    options.onRefused(key)
    refuse(socket, options.answers429)
    return false
  }
  open.set(key, connections)
  socket.on('close', () => {
    const left = (open.get(key) ?? 1) - 1
    if (left === 0) open.delete(key)
    else open.set(key, left)
  })
  return true
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
export function clientOf(
  { remoteAddress = '' }: Pick<Socket, 'remoteAddress'>,
  trustedProxies: BlockList,
): string | undefined {
  const address = plainAddress(remoteAddress)
  const isTrusted = trustedProxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return isTrusted ? undefined : clientKey(address)
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
