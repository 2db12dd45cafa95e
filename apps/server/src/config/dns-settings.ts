import { isIP } from 'node:net'
import { custom, duration, flag, integer, SettingError, text } from './setting.ts'

const DOMAIN_PATTERN =
  /^(?=.{1,180}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i

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
  dnsDomains: custom<readonly string[]>({
    env: 'LATCHKEY_DNS_DOMAIN',
    doc: 'The domain of all names, and further domains with the same names. Answers without a domain of their own use the first.',
    fallback: ['consul'],
    fallbackText: 'consul',
    accepts: `comma-separated domain names, such as \`consul\` or \`svc.example.com\``,
    parse: (value) => {
      const domains = value.split(',').map((each) => each.trim().toLowerCase())
      const wrong = domains.find((each) => !DOMAIN_PATTERN.test(each))
      if (wrong !== undefined) throw new SettingError(`has "${wrong}", which is not a domain name`)
      return domains
    },
  }),
  dnsToken: text({
    env: 'LATCHKEY_DNS_TOKEN',
    doc: 'The secret of the token whose rights decide which names exist. If unset, the rights of the anonymous token apply.',
    fallback: undefined,
    accepts: 'up to 256 printable characters without spaces',
    pattern: /^(?!<hidden>$)[\x21-\x7e]{1,256}$/,
    isSecret: true,
  }),
  dnsTtlMs: duration({
    env: 'LATCHKEY_DNS_TTL',
    doc: 'How long resolvers may cache answers, in whole seconds.',
    fallback: 0,
    minMs: 0,
    maxMs: 7 * 86_400_000,
    isInSeconds: true,
  }),
  dnsOnlyPassing: flag({
    env: 'LATCHKEY_DNS_ONLY_PASSING',
    doc: 'Whether answers omit instances in the warning state, as they omit critical ones.',
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
