/** Ports on the loopback address. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** Makes a server (of `node:net` or `node:http`) listen on a free port, and returns the port. */
export async function listenOnFreePort(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** Ports that are free now, all different. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const holders = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(holders.map(listenOnFreePort))
  await Promise.all(holders.map((holder) => once(holder.close(), 'close')))
  return ports
}
