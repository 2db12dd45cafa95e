/** The network link between a secondary and its primary: a proxy that can be cut. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { RunningServer } from './cluster.ts'

/**
 * Forwards each connection to a running server of the primary, like a load balancer. Cutting the link closes all
 * connections, and new ones are refused until it heals.
 */
export class Link {
  private readonly upstreams: () => readonly RunningServer[]
  private readonly listener = createServer((socket) => this.join(socket))
  private readonly sockets = new Set<Socket>()
  private isCut = false

  constructor(upstreams: () => readonly RunningServer[]) {
    this.upstreams = upstreams
  }

  async open(): Promise<string> {
    this.listener.listen(0, '127.0.0.1')
    await once(this.listener, 'listening')
    return `http://127.0.0.1:${(this.listener.address() as AddressInfo).port}`
  }

  cut(): void {
    this.isCut = true
    for (const socket of this.sockets) socket.destroy()
  }

  heal(): void {
    this.isCut = false
  }

  async close(): Promise<void> {
    if (!this.listener.listening) return
    this.cut()
    this.listener.close()
    await once(this.listener, 'close')
  }

  private join(client: Socket): void {
    const [server] = this.upstreams()
    if (this.isCut || server === undefined) {
      client.destroy()
      return
    }
    const { hostname, port } = new URL(server.url)
    const upstream = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  }
}
