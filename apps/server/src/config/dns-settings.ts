import { isIP } from 'node:net'
import { custom, duration, flag, integer, SettingError, text } from './setting.ts'

const DOMAIN_FORM = 'a domain name, such as `consul` or `svc.example.com`'
const DOMAIN_PATTERN =
  /^(?=.{1,180}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i
const TTL = { fallback: 0, minMs: 0, maxMs: 7 * 86_400_000, isInSeconds: true } as const

/** The settings about DNS, in the order of the documentation. */
export const DNS_SETTINGS = {
  dnsPort: integer({
    env: 'LATCHKEY_DNS_PORT',
    doc: 'The port for DNS queries, over UDP and TCP; 0 picks a free one.',
    fallback: undefined,
    fallbackText: 'DNS is off',
    min: 0,
    max: 65_535,
  }),
  dnsAddress: custom<string>({
    env: 'LATCHKEY_DNS_ADDRESS',
    doc: 'The address to listen on for DNS queries.',
    fallback: '127.0.0.1',
    accepts: 'an IP address',
    parse: (value) => {
      if (isIP(value) === 0) throw new SettingError('is not an IP address')
      return value
    },
  }),
  dnsDomain: text({
    env: 'LATCHKEY_DNS_DOMAIN',
    doc: 'The domain of all names.',
    fallback: 'consul',
    accepts: DOMAIN_FORM,
    pattern: DOMAIN_PATTERN,
  }),
  dnsAltDomain: text({
    env: 'LATCHKEY_DNS_ALT_DOMAIN',
    doc: 'A second domain with the same names.',
    fallback: undefined,
    accepts: DOMAIN_FORM,
    pattern: DOMAIN_PATTERN,
  }),
  dnsToken: text({
    env: 'LATCHKEY_DNS_TOKEN',
    doc: 'The secret of the token whose rights decide which names exist. If unset, the rights of the anonymous token apply.',
    fallback: undefined,
    accepts: 'up to 256 printable characters without spaces',
    pattern: /^(?!<hidden>$)[\x21-\x7e]{1,256}$/,
    isSecret: true,
  }),
  dnsNodeTtlMs: duration({
    env: 'LATCHKEY_DNS_NODE_TTL',
    doc: 'How long resolvers may cache answers about nodes, in whole seconds.',
    ...TTL,
  }),
  dnsServiceTtlMs: duration({
    env: 'LATCHKEY_DNS_SERVICE_TTL',
    doc: 'How long resolvers may cache answers about services, in whole seconds.',
    ...TTL,
  }),
  dnsOnlyPassing: flag({
    env: 'LATCHKEY_DNS_ONLY_PASSING',
    doc: 'Whether answers omit instances in the warning state, as they omit critical ones.',
    fallback: false,
  }),
  dnsUdpAnswers: integer({
    env: 'LATCHKEY_DNS_UDP_ANSWERS',
    doc: 'Maximum number of instances of a service in a UDP answer to a client that accepts no more than 512 bytes.',
    fallback: 3,
    min: 1,
    max: 8,
  }),
  dnsAddresses: integer({
    env: 'LATCHKEY_DNS_ADDRESSES',
    doc: 'Maximum number of addresses of one service in an answer; 0 for no limit.',
    fallback: 0,
    min: 0,
    max: 4_096,
  }),
  dnsTruncate: flag({
    env: 'LATCHKEY_DNS_TRUNCATE',
    doc: 'Whether a UDP answer that omits instances of a service says so, so that clients ask again over TCP.',
    fallback: false,
  }),
  dnsNodeMetadata: flag({
    env: 'LATCHKEY_DNS_NODE_METADATA',
    doc: 'Whether answers include the metadata of nodes as TXT records, in addition to their addresses.',
    fallback: true,
  }),
  dnsStrict: flag({
    env: 'LATCHKEY_DNS_STRICT',
    doc: 'Whether response codes follow the RFCs where existing services deviate from them. `docs/decisions/dns.md` lists the differences.',
    fallback: false,
  }),
  dnsAnswersPerSecond: integer({
    env: 'LATCHKEY_DNS_ANSWERS_PER_SECOND',
    doc: 'Maximum number of answers per second to one client address, with bursts of two seconds’ worth. Further queries are dropped. 0 for no limit.',
    fallback: 1_000,
    min: 0,
    max: 10_000_000,
  }),
} as const
