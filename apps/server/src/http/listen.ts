/** Ports: who may listen on one, alone or with others. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { platform } from 'node:os'
import { hasCode } from '../has-code.ts'
import { StartError } from '../start-error.ts'

export interface ListenAddress {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
}

/** Where the kernel spreads the connections of one port over all processes that listen on it. */
const CAN_SHARE = platform() === 'linux' || platform() === 'freebsd'

/**
 * Listens.
 *
 * @param options.isShared other workers of this server listen on the same port. The kernel gives each connection to one
 * of them; where it cannot, the main process does, which leaves clients without an answer when a worker dies.
 * @returns the port.
 * @throws StartError where the address cannot be listened on.
 */
export async function listen(
  server: Server,
  options: ListenAddress & { readonly isShared: boolean },
): Promise<number> {
  const { host, port, isShared } = options
  server.listen({ host, port, reusePort: isShared && CAN_SHARE })
  try {
    await once(server, 'listening')
  } catch (cause) {
    const reason = hasCode(cause, 'EADDRINUSE') ? 'another process listens there' : String(cause)
    throw new StartError(
      `Cannot listen on ${host}:${port}: ${reason}. Set HOST or PORT to another address.`,
      { cause },
    )
  }
  return (server.address() as AddressInfo).port
}

/**
 * Makes sure that nobody listens on an address, before several workers share it: to each other they are nobody.
 *
 * @returns the port.
 * @throws StartError where somebody does.
 */
export async function claimPort(address: ListenAddress): Promise<number> {
  const server = createServer()
  const port = await listen(server, { ...address, isShared: false })
  server.close()
  await once(server, 'close')
  return port
}
