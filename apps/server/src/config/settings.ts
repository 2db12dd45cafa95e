import { isIP } from 'node:net'
import { hostname } from 'node:os'
import {
  AclError,
  HEADER_PREFIXES_DEFAULT,
  limits,
  parseServiceVersion,
  SERVICE_VERSION_NEWEST,
  SERVICE_VERSION_OLDEST,
  type ServiceVersion,
  STATUS_CODES,
} from '@latchkey/contract'
import { type AccessChoice, parseAccessChoice } from '../logging/access-choice.ts'
import { type EncryptionKey, parseEncryptionKeys } from '../secrets/encryption-keys.ts'
import { StartError } from '../start-error.ts'
import {
  attempt,
  choice,
  custom,
  duration,
  flag,
  integer,
  isAddressRange,
  isHost,
  isOrigin,
  list,
  type Setting,
  SettingError,
  size,
  text,
  url,
} from './setting.ts'

const UUID_PATTERN =
  /^(?!00000000-0000-0000-0000-0000000000)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const DOMAIN_PATTERN =
  /^(?=.{1,180}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i
const DATABASE = {
  accepts: 'a URL such as `postgresql://user:password@host:5432/database`',
  schemes: ['postgres', 'postgresql'],
  isSecret: true,
} as const
const COLLECTOR = { accepts: 'a URL such as `http://collector:4318`', schemes: ['http', 'https'] } as const
const PEM = { accepts: 'the path of a PEM file' } as const
const PATH = { accepts: 'a path' } as const
const PRINTABLE = 'up to 256 printable characters without spaces'
const SECRET = { accepts: PRINTABLE, pattern: /^(?!<hidden>$)[\x21-\x7e]{1,256}$/, isSecret: true } as const
const { DATACENTER_NAME_LENGTH_MAX: LENGTH_MAX } = limits
const NAME = {
  accepts: `up to ${LENGTH_MAX} of \`a\`–\`z\`, \`0\`–\`9\`, \`-\` and \`_\`, the first and last a letter or digit`,
  pattern: new RegExp(`^[a-z0-9]([a-z0-9_-]{0,${LENGTH_MAX - 2}}[a-z0-9])?$`),
} as const
const HOSTS = {
  accepts: 'comma-separated host names or addresses without port',
  isPart: (part: string) => part !== '*' && isHost(part),
  isCaseless: true,
  fallbackText: 'any host',
} as const
const WORKERS_MAX = 64

/** Every setting of the server, in the order of the documentation. The name here is its name in `Config`. */
export const SETTINGS = {
  host: text({
    env: 'HOST',
    fallback: '127.0.0.1',
    accepts: 'an address or host name',
    pattern: /^[A-Za-z0-9.:_-]+$/,
  }),
  port: integer({ env: 'PORT', fallback: 8500, min: 0, max: 65_535 }),
  tlsCert: text({ env: 'LATCHKEY_TLS_CERT', ...PEM }),
  tlsKey: text({ env: 'LATCHKEY_TLS_KEY', ...PEM }),
  tlsClientCa: text({ env: 'LATCHKEY_TLS_CLIENT_CA', ...PEM }),
  databaseUrl: url({ env: 'DATABASE_URL', fallbackText: 'embedded', ...DATABASE }),
  databaseReplicaUrl: url({ env: 'DATABASE_REPLICA_URL', ...DATABASE }),
  databaseConnections: integer({ env: 'LATCHKEY_DATABASE_CONNECTIONS', fallback: 10, min: 1, max: 1_000 }),
  dataDir: text({ env: 'LATCHKEY_DATA_DIR', fallback: '.latchkey', ...PATH }),
  encryptionKeys: custom<readonly EncryptionKey[] | undefined>(
    {
      env: 'LATCHKEY_ENCRYPTION_KEYS',
      fallbackText: 'generated into `<data directory>/encryption.keys`',
      accepts:
        '`id:key` parts between commas, the first for new data; a key is 32 bytes in base64 (`openssl rand -base64 32`)',
      isSecret: true,
    },
    (value) => attempt(parseEncryptionKeys, value, StartError, ({ message }) => `is invalid: ${message}`),
  ),
  initialManagementToken: text({
    env: 'LATCHKEY_INITIAL_MANAGEMENT_TOKEN',
    accepts: 'a UUID that does not begin with `00000000-0000-0000-0000-0000000000`',
    pattern: UUID_PATTERN,
    isSecret: true,
  }),
  aclEnabled: flag({ env: 'LATCHKEY_ACL_ENABLED', fallback: true }),
  defaultPolicy: choice({ env: 'LATCHKEY_DEFAULT_POLICY', fallback: 'deny', choices: ['deny', 'allow'] }),
  datacenter: text({ env: 'LATCHKEY_DATACENTER', fallback: 'dc1', ...NAME }),
  primaryDatacenter: text({ env: 'LATCHKEY_PRIMARY_DATACENTER', fallbackText: 'this datacenter', ...NAME }),
  primaryUrls: custom<readonly string[]>(
    {
      env: 'LATCHKEY_PRIMARY_URL',
      fallback: [],
      accepts: 'comma-separated origins, such as `https://acl.dc1.example.com`',
    },
    parseOrigins,
  ),
  replicationToken: text({ env: 'LATCHKEY_REPLICATION_TOKEN', ...SECRET }),
  replicationTokenFile: text({ env: 'LATCHKEY_REPLICATION_TOKEN_FILE', ...PATH }),
  tokenReplication: flag({ env: 'LATCHKEY_TOKEN_REPLICATION', fallback: true }),
  downPolicy: choice({
    env: 'LATCHKEY_DOWN_POLICY',
    fallback: 'extend-cache',
    choices: ['extend-cache', 'async-cache', 'deny'],
  }),
  replicationCa: text({ env: 'LATCHKEY_REPLICATION_CA', ...PEM }),
  replicationCert: text({ env: 'LATCHKEY_REPLICATION_CERT', ...PEM }),
  replicationKey: text({ env: 'LATCHKEY_REPLICATION_KEY', ...PEM }),
  datacenters: custom<readonly { readonly name: string; readonly origin: string }[]>(
    {
      env: 'LATCHKEY_DATACENTERS',
      fallback: [],
      accepts: 'comma-separated `name=origin`, such as `dc2=https://acl.dc2.example.com`',
    },
    parseDatacenters,
  ),
  datacenterHttp: flag({ env: 'LATCHKEY_DATACENTER_HTTP', fallback: false }),
  nodeName: text({
    env: 'LATCHKEY_NODE_NAME',
    fallback: hostname(),
    fallbackText: 'the host’s name',
    accepts: PRINTABLE,
    pattern: /^[\x21-\x7e]{1,256}$/,
  }),
  headerPrefixes: list({
    env: 'LATCHKEY_HEADER_PREFIXES',
    fallback: HEADER_PREFIXES_DEFAULT,
    accepts: 'comma-separated header name prefixes that end with `-`',
    isPart: (part) => /^[A-Za-z][A-Za-z0-9-]{0,62}-$/.test(part),
  }),
  ownService: text({
    env: 'LATCHKEY_OWN_SERVICE',
    fallbackText: '`consul` if the first header prefix is `X-Consul-`, otherwise `latchkey`',
    accepts: 'a name of lower-case letters, digits and `-`',
    pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
  }),
  statusCodes: choice({ env: 'LATCHKEY_STATUS_CODES', fallback: 'family', choices: STATUS_CODES }),
  edition: choice({ env: 'LATCHKEY_EDITION', fallback: 'standard', choices: ['standard', 'extended'] }),
  serviceVersion: custom<ServiceVersion>(
    {
      env: 'LATCHKEY_SERVICE_VERSION',
      fallback: parseServiceVersion(SERVICE_VERSION_NEWEST),
      fallbackText: SERVICE_VERSION_NEWEST,
      accepts: `\`major.minor\` or \`major.minor.patch\`, from ${SERVICE_VERSION_OLDEST} to ${SERVICE_VERSION_NEWEST}`,
    },
    (value) =>
      attempt((each) => parseServiceVersion(each), value, AclError, 'is not a supported service version'),
  ),
  allowUnconvertedLegacy: flag({ env: 'LATCHKEY_ALLOW_UNCONVERTED_LEGACY', fallback: false }),
  maxConnectionsPerClient: integer({
    env: 'LATCHKEY_MAX_CONNECTIONS_PER_CLIENT',
    fallbackText: 'the limit of the service version: 200 from 1.7.1',
    min: 0,
    max: 1_000_000,
  }),
  allowedHosts: list({
    env: 'LATCHKEY_ALLOWED_HOSTS',
    accepts: 'comma-separated host names or addresses without port, or `*`',
    isPart: isHost,
  }),
  corsOrigins: list({
    env: 'LATCHKEY_CORS_ORIGINS',
    accepts: 'comma-separated origins such as `https://app.example.com`, or `*`',
    isPart: isOrigin,
  }),
  trustedProxies: list({
    env: 'LATCHKEY_TRUSTED_PROXIES',
    accepts: 'comma-separated addresses or ranges such as `10.0.0.0/8`',
    isPart: isAddressRange,
  }),
  loginsPerSecond: integer({ env: 'LATCHKEY_LOGINS_PER_SECOND', fallback: 20, min: 0, max: 1_000_000 }),
  authMethodHttp: flag({ env: 'LATCHKEY_AUTH_METHOD_HTTP', fallback: false }),
  authMethodHosts: list({ env: 'LATCHKEY_AUTH_METHOD_HOSTS', ...HOSTS }),
  checkHosts: list({
    env: 'LATCHKEY_CHECK_HOSTS',
    ...HOSTS,
    accepts: 'comma-separated host names or addresses without port, or `public`',
  }),
  translateAddresses: flag({ env: 'LATCHKEY_TRANSLATE_ADDRESSES', fallback: false }),
  dnsPort: integer({ env: 'LATCHKEY_DNS_PORT', fallbackText: 'DNS is off', min: 0, max: 65_535 }),
  dnsAddress: custom<string>(
    { env: 'LATCHKEY_DNS_ADDRESS', fallback: '127.0.0.1', accepts: 'an IP address' },
    (value) => {
      if (isIP(value) === 0) throw new SettingError('is not an IP address')
      return value
    },
  ),
  dnsDomains: custom<readonly string[]>(
    {
      env: 'LATCHKEY_DNS_DOMAIN',
      fallback: ['consul'],
      accepts: 'comma-separated domain names, such as `consul` or `svc.example.com`',
    },
    (value) => {
      const domains = value.split(',').map((each) => each.trim().toLowerCase())
      const wrong = domains.find((each) => !DOMAIN_PATTERN.test(each))
      if (wrong !== undefined) throw new SettingError(`has "${wrong}", which is not a domain name`)
      return domains
    },
  ),
  dnsToken: text({ env: 'LATCHKEY_DNS_TOKEN', ...SECRET }),
  dnsTtlMs: duration({ env: 'LATCHKEY_DNS_TTL', fallback: 0, maxMs: 7 * 86_400_000, isInSeconds: true }),
  dnsOnlyPassing: flag({ env: 'LATCHKEY_DNS_ONLY_PASSING', fallback: false }),
  dnsAnswersPerSecond: integer({
    env: 'LATCHKEY_DNS_ANSWERS_PER_SECOND',
    fallback: 1_000,
    min: 0,
    max: 10_000_000,
  }),
  cacheBytes: size({
    env: 'LATCHKEY_CACHE_BYTES',
    fallback: 256 * 1024 ** 2,
    fallbackText: '256MiB',
    maxBytes: 1024 ** 4,
  }),
  fastLane: flag({ env: 'LATCHKEY_FAST_LANE', fallback: true }),
  ui: flag({ env: 'LATCHKEY_UI', fallback: true }),
  workers: custom<number | 'auto'>(
    {
      env: 'LATCHKEY_WORKERS',
      fallback: 'auto',
      accepts: `\`auto\`, or a whole number from 1 to ${WORKERS_MAX}`,
    },
    parseWorkers,
  ),
  logLevel: choice({
    env: 'LATCHKEY_LOG_LEVEL',
    fallback: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
  }),
  accessLog: custom<AccessChoice>(
    {
      env: 'LATCHKEY_ACCESS_LOG',
      fallback: 'writes',
      accepts: '`all`, `writes`, `1/N` such as `1/100`, or `off`',
    },
    parseAccessChoice,
  ),
  logFormat: choice({ env: 'LATCHKEY_LOG_FORMAT', fallback: 'auto', choices: ['auto', 'json', 'text'] }),
  otlpEndpoint: url({ env: 'OTEL_EXPORTER_OTLP_ENDPOINT', ...COLLECTOR }),
  otlpTracesEndpoint: url({ env: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ...COLLECTOR }),
  otelDisabled: flag({ env: 'OTEL_SDK_DISABLED', fallback: false }),
  tracesSampler: choice({
    env: 'OTEL_TRACES_SAMPLER',
    fallback: 'parentbased_always_on',
    choices: [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
  }),
  tracesSamplerArg: custom(
    { env: 'OTEL_TRACES_SAMPLER_ARG', fallback: 1, accepts: 'a number from 0 to 1' },
    (value) => {
      const part = Number(value)
      if (!(part >= 0 && part <= 1)) throw new SettingError('is not a number from 0 to 1')
      return part
    },
  ),
  drainTimeMs: duration({ env: 'LATCHKEY_DRAIN_TIME', fallback: 2_000, maxMs: 600_000 }),
  shutdownTimeoutMs: duration({ env: 'LATCHKEY_SHUTDOWN_TIMEOUT', fallback: 10_000, maxMs: 600_000 }),
} as const satisfies Readonly<Record<string, Setting<unknown>>>

function parseOrigins(value: string): readonly string[] {
  const origins = value.split(',').map((part) => {
    const url = URL.parse(part.trim())
    if (url === null) throw new SettingError('is not a URL')
    if (!['http:', 'https:'].includes(url.protocol)) throw new SettingError('has the wrong scheme')
    if (url.username + url.password !== '') throw new SettingError('must not contain a user or password')
    if (!isOnlyOrigin(url)) throw new SettingError('has more than scheme, host and port')
    return url.origin
  })
  if (new Set(origins).size < origins.length) throw new SettingError('contains a duplicate')
  return origins
}

function parseDatacenters(value: string) {
  const datacenters = value.split(',').map((part) => {
    const [name = '', origin = ''] = part.trim().split(/=(.*)/s)
    const url = /^https?:/i.test(origin) ? URL.parse(origin) : null
    if (!NAME.pattern.test(name) || url === null) throw new SettingError('has a part with the wrong format')
    if (url.username + url.password !== '' || !isOnlyOrigin(url)) {
      throw new SettingError(`has more than scheme, host and port at "${name}"`)
    }
    return { name, origin: url.origin }
  })
  const names = new Set(datacenters.map(({ name }) => name))
  if (names.size < datacenters.length) throw new SettingError('names a datacenter twice')
  return datacenters
}

function isOnlyOrigin({ search, hash, pathname }: URL): boolean {
  return search + hash === '' && pathname === '/'
}

function parseWorkers(value: string): number | 'auto' {
  if (value === 'auto') return 'auto'
  if (!/^\d+$/.test(value)) throw new SettingError('is neither `auto` nor a whole number')
  const count = Number(value)
  if (count < 1 || count > WORKERS_MAX) throw new SettingError('is out of bounds')
  return count
}
