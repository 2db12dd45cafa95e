/** Which addresses and names the server connects to on behalf of an auth method. */
import { BlockList, isIP } from 'node:net'

/** Addresses that no provider has. A request for one is an attempt to use the server as a relay. */
const FORBIDDEN = new BlockList()
const LOOPBACK = new BlockList()

for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  FORBIDDEN.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['fe80::', 10],
  ['ff00::', 8],
  // IPv4 link-local addresses in their NAT64 and 6to4 forms.
  ['64:ff9b::a9fe:0', 112],
  ['2002:a9fe::', 32],
] as const) {
  FORBIDDEN.addSubnet(network, prefix, 'ipv6')
}
FORBIDDEN.addAddress('::', 'ipv6')
// Cloud services outside the link-local range that answer any process of a machine, some with its credentials: Alibaba,
// Azure, Oracle; AWS, which has several; Google.
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) {
  FORBIDDEN.addAddress(address, 'ipv4')
  FORBIDDEN.addAddress(`64:ff9b::${address}`, 'ipv6')
}
FORBIDDEN.addSubnet('fd00:ec2::', 32, 'ipv6')
FORBIDDEN.addAddress('fd20:ce::254', 'ipv6')
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Names of metadata services. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'instance-data',
])

/** Whether the server may connect to an address. IPv4 addresses in IPv6 notation are treated as IPv4. */
export function isAddressAllowed(address: string, allowLoopback: boolean): boolean {
  const family = isIP(address)
  if (family === 0) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  if (FORBIDDEN.check(address, type)) return false
  return allowLoopback || !LOOPBACK.check(address, type)
}

/** Whether a host is this machine, whatever its resolver says. */
export function isLoopback(host: string): boolean {
  const family = isIP(host)
  if (family === 0) return host === 'localhost'
  return LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

/** Whether a host name may be resolved at all. */
export function isNameAllowed(host: string): boolean {
  return !FORBIDDEN_NAMES.has(host.toLowerCase().replace(/\.$/, ''))
}
