/** The sockets of DNS: UDP and TCP on one port. RFC 1035, 4.2. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, isIPv6 } from 'node:net'
import { hasCode } from '../has-code.ts'
import { StartError } from '../start-error.ts'
import type { Responder } from './responder.ts'
import { createTcpServer, type TcpServer } from './tcp-server.ts'

interface DnsServerOptions {
  readonly address: string
  /** 0 picks a free port. */
  readonly port: number
  /** Whether other processes of this server listen on the same port. */
  readonly isShared: boolean
  readonly responder: Responder
  readonly onError: (error: Error) => void
  /** Maximum time without a question on a TCP connection. Default: 10 seconds. */
  readonly idleMs?: number
}

export interface DnsServer {
  readonly port: number
  close(): Promise<void>
}

const ATTEMPTS_MAX = 20

/** @throws StartError if the address cannot be listened on. */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const { address, port, responder, idleMs } = options
  for (let attempt = 1; ; attempt += 1) {
    const tcp = createTcpServer(responder, idleMs)
    try {
      return await listen(tcp, options)
    } catch (cause) {
      if (tcp.server.listening) await tcp.close()
      if (port === 0 && attempt < ATTEMPTS_MAX && hasCode(cause, 'EADDRINUSE')) continue
      const reason = hasCode(cause, 'EADDRINUSE') ? 'another process listens there' : String(cause)
      throw new StartError(
        `Cannot answer DNS on ${address}:${port}: ${reason}. Set LATCHKEY_DNS_ADDRESS or LATCHKEY_DNS_PORT to another address.`,
        { cause },
      )
    }
  }
}

async function listen(tcp: TcpServer, options: DnsServerOptions): Promise<DnsServer> {
  const { address, isShared, onError } = options
  tcp.server.listen({ host: address, port: options.port, reusePort: isShared })
  await once(tcp.server, 'listening')
  const { port } = tcp.server.address() as AddressInfo
  const udp = udpSocket(options)
  try {
    udp.bind({ address, port })
    await once(udp, 'listening')
  } catch (error) {
    udp.close()
    throw error
  }
  udp.on('error', onError)
  return {
    port,
    async close() {
      const closed = new Promise<void>((resolve) => udp.close(resolve))
      await Promise.all([closed, tcp.close()])
    },
  }
}

function udpSocket({ address, isShared, responder }: DnsServerOptions): Socket {
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', reusePort: isShared })
  socket.on('message', (message, { address: client, port }) => {
    // Nothing can be sent to port 0.
    if (port === 0) return
    const answer = responder.respond(message, 'udp', client)
    // The client may have left, or the server may be closing.
    const send = (bytes: Buffer | undefined) => {
      if (bytes) socket.send(bytes, port, client, () => {})
    }
    if (answer instanceof Promise) void answer.then(send).catch(() => {})
    else send(answer)
  })
  return socket
}
