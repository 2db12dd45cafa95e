/** Terminates TLS in front of a URL, like a datacenter's load balancer, with a replaceable certificate. */
import { connect } from 'node:net'
import { createServer, type SecureContextOptions, type TLSSocket } from 'node:tls'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'

export interface TlsFront {
  readonly url: string
  /** Presents this certificate from now on, and cuts every connection. */
  present(certificate: SecureContextOptions): void
  close(): Promise<void>
}

export async function openTlsFront(target: string, certificate: SecureContextOptions): Promise<TlsFront> {
  const sockets = new Set<TLSSocket>()
  const server = createServer(certificate, (inbound) => {
    sockets.add(inbound)
    const { hostname, port } = new URL(target)
    const outbound = connect(Number(port), hostname)
    inbound.pipe(outbound).pipe(inbound)
    inbound.on('close', () => {
      sockets.delete(inbound)
      outbound.destroy()
    })
    outbound.on('close', () => inbound.destroy())
    inbound.on('error', () => {})
    outbound.on('error', () => {})
  })
  // A client that does not trust the certificate aborts the handshake.
  server.on('tlsClientError', () => {})
  const port = await listenOnFreePort(server)
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `https://127.0.0.1:${port}`,
    present(next) {
      server.setSecureContext(next)
      cut()
    },
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
