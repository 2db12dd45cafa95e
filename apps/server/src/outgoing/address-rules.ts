/** Which addresses and names the server connects to on behalf of auth methods and checks. */
import { BlockList, isIP } from 'node:net'

/** Where an address leads: to this machine, to a private network, or anywhere. */
export type AddressClass = 'loopback' | 'private' | 'public'

/** Addresses that no provider has. A request for one is an attempt to use the server as a relay. */
const FORBIDDEN = new BlockList()
const LOOPBACK = new BlockList()
const PRIVATE = new BlockList()

// Cloud services outside the link-local range that answer any process of a machine, some with its credentials: Alibaba,
// Azure, Oracle.
const METADATA = ['100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32']
for (const [list, networks] of [
  [FORBIDDEN, ['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4', ...METADATA]],
  [LOOPBACK, ['127.0.0.0/8']],
  [
    PRIVATE,
    ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ],
] as const) {
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/')
    list.addSubnet(address, Number(prefix), 'ipv4')
    // The forms NAT64 and 6to4.
    list.addSubnet(`64:ff9b::${address}`, 96 + Number(prefix), 'ipv6')
    const [a, b, c, d] = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))
    list.addSubnet(`2002:${a}${b}:${c}${d}::`, 16 + Number(prefix), 'ipv6')
  }
}
for (const [list, address, prefix] of [
  [FORBIDDEN, 'fe80::', 10],
  [FORBIDDEN, 'ff00::', 8],
  [FORBIDDEN, '::', 128],
  // AWS, which has several, and Google.
  [FORBIDDEN, 'fd00:ec2::', 32],
  [FORBIDDEN, 'fd20:ce::254', 128],
  [LOOPBACK, '::1', 128],
  [PRIVATE, '::', 96],
  [PRIVATE, 'fc00::', 7],
  [PRIVATE, 'fec0::', 10],
  [PRIVATE, '64:ff9b:1::', 48],
] as const) {
  list.addSubnet(address, prefix, 'ipv6')
}

/** Names of metadata services. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'instance-data',
])

/** `undefined` if the server may never connect to it. IPv4 addresses in IPv6 notation are treated as IPv4. */
export function classOfAddress(address: string): AddressClass | undefined {
  const family = isIP(address)
  if (family === 0) return undefined
  const type = family === 4 ? 'ipv4' : 'ipv6'
  if (FORBIDDEN.check(address, type)) return undefined
  if (LOOPBACK.check(address, type)) return 'loopback'
  return PRIVATE.check(address, type) ? 'private' : 'public'
}

/** Whether the server may connect to an address: it has one of the classes. */
export function isAddressAllowed(address: string, classes: readonly AddressClass[]): boolean {
  const found = classOfAddress(address)
  return found !== undefined && classes.includes(found)
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

/** The host of a URL, in lower case and without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.toLowerCase().replace(/^\[|\]$/g, '')
}
