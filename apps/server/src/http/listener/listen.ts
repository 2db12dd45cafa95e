/** Listens on a port, alone or shared with other workers. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { platform } from 'node:os'
import { invariant } from '@latchkey/contract'
import { hasCode } from '../../has-code.ts'
import { StartError } from '../../start-error.ts'

interface ListenAddress {
  readonly host: string
  /** Port to listen on; 0 picks a free one. */
  readonly port: number
}

/** Platforms whose kernel spreads the connections of one port over all sockets that listen on it. */
const CAN_SHARE = platform() === 'linux' || platform() === 'freebsd'

/**
 * Listening sockets per process. A turn of the event loop accepts one connection per socket, and the turns of a busy
 * process are long: with one socket, a new client waited two to three times longer (bench/README.md).
 */
export const LISTENERS = CAN_SHARE ? 8 : 1

/**
 * Listens with all servers on one port, over which the kernel spreads the connections.
 *
 * @param servers a single one if the platform cannot share a port.
 * @param options.isShared whether other workers of this server listen on the same port. If the kernel cannot spread the
 * connections, the main process does; then clients get no answer when a worker dies.
 * @returns the address and port.
 * @throws StartError if the address cannot be listened on.
 */
export async function listenTogether(
  servers: readonly Server[],
  options: ListenAddress & { readonly isShared: boolean },
): Promise<AddressInfo> {
  const [first, ...others] = servers
  invariant(first, 'at least one server listens')
  const isSharing = options.isShared || others.length > 0
  // A shared port can be bound twice. For workers, the main process has already ruled that out.
  const port = isSharing && !options.isShared && options.port !== 0 ? await claimPort(options) : options.port
  await listen(first, { host: options.host, port, isSharing })
  // A name may have several addresses, and port 0 means any port.
  const at = first.address() as AddressInfo
  for (const server of others) await listen(server, { host: at.address, port: at.port, isSharing })
  return at
}

/** @returns the port. @throws StartError if the address cannot be listened on. */
async function listen(
  server: Server,
  { host, port, isSharing }: ListenAddress & { readonly isSharing: boolean },
): Promise<number> {
  server.listen({ host, port, reusePort: isSharing && CAN_SHARE })
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

/** Checks that an address is free before workers share it. @throws StartError if it is not. */
export async function claimPort(address: ListenAddress): Promise<number> {
  const server = createServer()
  const port = await listen(server, { ...address, isSharing: false })
  server.close()
  await once(server, 'close')
  return port
}
