import { hostname } from 'node:os'
import {
  AclError,
  HEADER_PREFIXES_DEFAULT,
  parseServiceVersion,
  SERVICE_VERSION_NEWEST,
  SERVICE_VERSION_OLDEST,
  type ServiceVersion,
} from '@latchkey/contract'
import { type AccessChoice, parseAccessChoice } from '../logging/access-choice.ts'
import { ENCRYPTION_KEYS_FORM, type EncryptionKey, parseEncryptionKeys } from '../secrets/encryption-keys.ts'
import { StartError } from '../start-error.ts'
import { DATACENTER_SETTINGS } from './datacenter-settings.ts'
import { DNS_SETTINGS } from './dns-settings.ts'
import {
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
import { TLS_SETTINGS } from './tls-settings.ts'
import { TRACING_SETTINGS } from './tracing-settings.ts'
import { parseWorkers, WORKERS_MAX } from './workers.ts'

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const DATABASE_SCHEMES = ['postgres', 'postgresql']
const MIB = 1024 ** 2

/** Every setting of the server, in the order of the documentation. The name here is its name in `Config`. */
export const SETTINGS = {
  host: text({
    env: 'HOST',
    doc: 'The address to listen on. `0.0.0.0` or `::` opens the service to the network.',
    fallback: '127.0.0.1',
    accepts: 'an address or host name',
    pattern: /^[A-Za-z0-9.:_-]+$/,
  }),
  port: integer({
    env: 'PORT',
    doc: 'The port to listen on; 0 picks a free one.',
    fallback: 8500,
    min: 0,
    max: 65_535,
  }),
  ...TLS_SETTINGS,
  databaseUrl: url({
    env: 'DATABASE_URL',
    doc: 'The PostgreSQL database to use. If unset, the server runs an embedded PostgreSQL in the data directory.',
    fallback: undefined,
    fallbackText: 'embedded',
    accepts: 'a URL such as `postgresql://user:password@host:5432/database`',
    schemes: DATABASE_SCHEMES,
    isSecret: true,
  }),
  databaseReplicaUrl: url({
    env: 'DATABASE_REPLICA_URL',
    doc: 'A streaming replica of that database, for `stale` reads.',
    fallback: undefined,
    accepts: 'a URL such as `postgresql://user:password@host:5432/database`',
    schemes: DATABASE_SCHEMES,
    isSecret: true,
  }),
  databaseConnections: integer({
    env: 'LATCHKEY_DATABASE_CONNECTIONS',
    doc: 'Maximum number of database connections. Workers share them; each has at least 3.',
    fallback: 10,
    min: 1,
    max: 1_000,
  }),
  dataDir: text({
    env: 'LATCHKEY_DATA_DIR',
    doc: 'The directory of the embedded PostgreSQL and of generated keys.',
    fallback: '.latchkey',
    accepts: 'a path',
  }),
  encryptionKeys: custom<readonly EncryptionKey[] | undefined>({
    env: 'LATCHKEY_ENCRYPTION_KEYS',
    doc: 'The keys that encrypt secrets in the database. Servers that share a database need the same keys.',
    fallback: undefined,
    fallbackText: 'generated into `<data directory>/encryption.keys`',
    accepts: ENCRYPTION_KEYS_FORM,
    isSecret: true,
    parse: parseKeys,
  }),
  initialManagementToken: text({
    env: 'LATCHKEY_INITIAL_MANAGEMENT_TOKEN',
    doc: 'The secret of a management token that the first start creates. If unset, `PUT /v1/acl/bootstrap` creates the token.',
    fallback: undefined,
    accepts: 'a UUID that does not begin with `00000000-0000-0000-0000-0000000000`',
    pattern: new RegExp(`^(?!00000000-0000-0000-0000-0000000000)${UUID_PATTERN.source.slice(1)}`, 'i'),
    isSecret: true,
  }),
  aclEnabled: flag({
    env: 'LATCHKEY_ACL_ENABLED',
    doc: 'Whether ACLs are enabled. With `off`, the ACL API answers 401.',
    fallback: true,
  }),
  defaultPolicy: choice({
    env: 'LATCHKEY_DEFAULT_POLICY',
    doc: 'The decision when no rule matches.',
    fallback: 'deny',
    choices: ['deny', 'allow'],
  }),
  ...DATACENTER_SETTINGS,
  nodeName: text({
    env: 'LATCHKEY_NODE_NAME',
    doc: 'The name of this server. A process replaces an earlier process of the same name that has ended.',
    fallback: hostname(),
    fallbackText: 'the host’s name',
    accepts: 'up to 256 printable characters without spaces',
    pattern: /^[\x21-\x7e]{1,256}$/,
  }),
  headerPrefixes: list({
    env: 'LATCHKEY_HEADER_PREFIXES',
    doc: 'Accepted header families. An answer uses the header family of its request, or every family if the request uses none.',
    fallback: HEADER_PREFIXES_DEFAULT,
    accepts: 'comma-separated header name prefixes that end with `-`',
    isPart: (part) => /^[A-Za-z][A-Za-z0-9-]{0,62}-$/.test(part),
  }),
  edition: choice({
    env: 'LATCHKEY_EDITION',
    doc: 'The edition: `extended` adds namespaces and OpenID Connect logins.',
    fallback: 'standard',
    choices: ['standard', 'extended'],
  }),
  serviceVersion: custom<ServiceVersion>({
    env: 'LATCHKEY_SERVICE_VERSION',
    doc: 'The service version whose API the server provides.',
    fallback: parseServiceVersion(SERVICE_VERSION_NEWEST),
    fallbackText: SERVICE_VERSION_NEWEST,
    accepts: `\`major.minor\` or \`major.minor.patch\`, from ${SERVICE_VERSION_OLDEST} to ${SERVICE_VERSION_NEWEST}`,
    parse: parseVersion,
  }),
  allowUnconvertedLegacy: flag({
    env: 'LATCHKEY_ALLOW_UNCONVERTED_LEGACY',
    doc: 'Whether a service version without the legacy API may start while unconverted legacy tokens remain, which only that API can change.',
    fallback: false,
  }),
  maxConnectionsPerClient: integer({
    env: 'LATCHKEY_MAX_CONNECTIONS_PER_CLIENT',
    doc: 'Maximum number of open connections per client address; 0 for no limit.',
    fallback: undefined,
    fallbackText: 'the limit of the service version: 200 from 1.7.1',
    min: 0,
    max: 1_000_000,
  }),
  allowedHosts: list({
    env: 'LATCHKEY_ALLOWED_HOSTS',
    doc: 'Host names that clients use for the server, besides `localhost`, `HOST` and the addresses it listens on; `*` allows any. Requests for other hosts get a 421.',
    fallback: [],
    accepts: 'comma-separated host names or addresses without port, or `*`',
    isPart: isHost,
  }),
  corsOrigins: list({
    env: 'LATCHKEY_CORS_ORIGINS',
    doc: 'Origins whose web pages may call the server from a browser; `*` lets pages from every origin read.',
    fallback: [],
    accepts: 'comma-separated origins such as `https://app.example.com`, or `*`',
    isPart: isOrigin,
  }),
  trustedProxies: list({
    env: 'LATCHKEY_TRUSTED_PROXIES',
    doc: 'Proxies whose addresses are exempt from the limits per client address, because many clients share them.',
    fallback: [],
    accepts: 'comma-separated addresses or ranges such as `10.0.0.0/8`',
    isPart: isAddressRange,
  }),
  loginsPerSecond: integer({
    env: 'LATCHKEY_LOGINS_PER_SECOND',
    doc: 'Maximum number of logins per second from one client address, with bursts of five seconds’ worth. Each auth method accepts fifty times as many from all clients. 0 removes both limits. Trusted proxies are exempt from the limit per address.',
    fallback: 20,
    min: 0,
    max: 1_000_000,
  }),
  authMethodHttp: flag({
    env: 'LATCHKEY_AUTH_METHOD_HTTP',
    doc: 'Whether auth methods may name `http` URLs and loopback addresses. For development only: anyone on the network path can replace keys that are fetched over HTTP.',
    fallback: false,
  }),
  authMethodHosts: list({
    env: 'LATCHKEY_AUTH_METHOD_HOSTS',
    doc: 'The only hosts that the server connects to on behalf of auth methods, including hosts that a discovery document names. Link-local, multicast and metadata addresses are refused even if they are listed.',
    fallback: [],
    fallbackText: 'any host',
    accepts: 'comma-separated host names or addresses without port',
    isPart: (part) => part !== '*' && isHost(part),
    isCaseless: true,
  }),
  checkHosts: list({
    env: 'LATCHKEY_CHECK_HOSTS',
    doc: 'The only hosts that HTTP and TCP checks connect to. The value `public` forbids loopback and private addresses, whatever their names, and allows any public host if it stands alone. Link-local, multicast and metadata addresses are refused even if they are listed.',
    fallback: [],
    fallbackText: 'any host',
    accepts: 'comma-separated host names or addresses without port, or `public`',
    isPart: (part) => part !== '*' && isHost(part),
    isCaseless: true,
  }),
  translateAddresses: flag({
    env: 'LATCHKEY_TRANSLATE_ADDRESSES',
    doc: 'Whether a header on every answer says that addresses are translated for other datacenters.',
    fallback: false,
  }),
  ...DNS_SETTINGS,
  cacheBytes: size({
    env: 'LATCHKEY_CACHE_BYTES',
    doc: 'Maximum memory for caches, shared by all workers. With `0`, every read asks the database: answers are the same but slower.',
    fallback: 256 * MIB,
    fallbackText: '256MiB',
    maxBytes: 1024 ** 4,
  }),
  fastLane: flag({
    env: 'LATCHKEY_FAST_LANE',
    doc: 'Whether reads that are usually answered from memory bypass Express, and requests with known headers also bypass the HTTP parser. With `off`, every request goes through both; answers are the same but slower.',
    fallback: true,
  }),
  ui: flag({
    env: 'LATCHKEY_UI',
    doc: 'Whether the server serves the web console at `/ui`.',
    fallback: true,
  }),
  workers: custom<number | 'auto'>({
    env: 'LATCHKEY_WORKERS',
    doc: 'Number of server processes on this port. `auto`: one fewer than the number of cores, at least 1, at most 8, and at most one per 512 MiB of memory.',
    fallback: 'auto',
    accepts: `\`auto\`, or a whole number from 1 to ${WORKERS_MAX}`,
    parse: parseWorkers,
  }),
  logLevel: choice({
    env: 'LATCHKEY_LOG_LEVEL',
    doc: 'The minimum severity of log lines, which go to standard error. Access log lines have severity `info`.',
    fallback: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
  }),
  accessLog: custom<AccessChoice>({
    env: 'LATCHKEY_ACCESS_LOG',
    doc: 'Which requests are logged. `writes`: writes, refused requests, and requests that took a second or more; `1/N`: these, and every N-th of the others.',
    fallback: 'writes',
    accepts: '`all`, `writes`, `1/N` such as `1/100`, or `off`',
    parse: parseAccessChoice,
  }),
  logFormat: choice({
    env: 'LATCHKEY_LOG_FORMAT',
    doc: 'The format of log lines: `json` for machines, `text` for people. `auto` writes text to a terminal and JSON to anything else.',
    fallback: 'auto',
    choices: ['auto', 'json', 'text'],
  }),
  ...TRACING_SETTINGS,
  drainTimeMs: duration({
    env: 'LATCHKEY_DRAIN_TIME',
    doc: 'How long the server keeps serving after SIGTERM while `/readyz` answers 503, so that a load balancer notices. If `/readyz` was not probed within the last minute, the server skips the delay.',
    fallback: 2_000,
    minMs: 0,
    maxMs: 600_000,
  }),
  shutdownTimeoutMs: duration({
    env: 'LATCHKEY_SHUTDOWN_TIMEOUT',
    doc: 'Maximum time for requests in flight to finish after the drain, and again for the last traces to be exported.',
    fallback: 10_000,
    minMs: 0,
    maxMs: 600_000,
  }),
} as const satisfies Readonly<Record<string, Setting<unknown>>>

function parseKeys(value: string): readonly EncryptionKey[] {
  try {
    return parseEncryptionKeys(value)
  } catch (error) {
    if (error instanceof StartError) throw new SettingError(`is invalid: ${error.message}`)
    throw error
  }
}

function parseVersion(value: string): ServiceVersion {
  try {
    return parseServiceVersion(value)
  } catch (error) {
    if (error instanceof AclError) throw new SettingError('is not a supported service version')
    throw error
  }
}
