/** The address by which other machines know a server that listens on every address. */
import { isIP } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { classOfAddress } from '../../outgoing/address-rules.ts'

/** Better ones first. Link-local addresses have no class, and do not lead here from other machines. */
const PREFERENCE = ['private 4', 'public 4', 'public 6', 'private 6']

/**
 * @param address host and port on which the server listens.
 * @param interfaces those of this machine.
 * @returns the same with a real address in place of a wildcard: a private IPv4 address if there is one, otherwise the
 * next in {@link PREFERENCE}, and loopback on a machine without a network.
 */
export function advertisedAddress(
  address: string,
  interfaces: readonly Pick<NetworkInterfaceInfo, 'address' | 'internal'>[] = ofMachine(),
): string {
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? []
  if (host !== '0.0.0.0' && host !== '::') return address
  const ranked = interfaces
    .filter(({ internal }) => !internal)
    .map((one) => ({
      ...one,
      rank: PREFERENCE.indexOf(`${classOfAddress(one.address)} ${isIP(one.address)}`),
    }))
    .filter(({ address: own, rank }) => rank >= 0 && (host === '::' || isIP(own) === 4))
    .toSorted((a, b) => a.rank - b.rank)
  const found = ranked[0]?.address ?? '127.0.0.1'
  return isIP(found) === 6 ? `[${found}]:${port}` : `${found}:${port}`
}

function ofMachine(): NetworkInterfaceInfo[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
}
