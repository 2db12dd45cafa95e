import { limits } from '@latchkey/contract'
import { choice, custom, flag, SettingError, text } from './setting.ts'

const NAME_PATTERN = new RegExp(`^[a-z0-9]([a-z0-9_-]{0,${limits.DATACENTER_NAME_LENGTH_MAX - 2}}[a-z0-9])?$`)
const NAME_FORM = `up to ${limits.DATACENTER_NAME_LENGTH_MAX} of \`a\`–\`z\`, \`0\`–\`9\`, \`-\` and \`_\`, the first and last a letter or digit`
const FILE_FORM = 'the path of a PEM file'

/** Where the service of a datacenter answers. */
export interface DatacenterOrigin {
  readonly name: string
  readonly origin: string
}

/** The settings about datacenters, in the order of the documentation. */
export const DATACENTER_SETTINGS = {
  datacenter: text({
    env: 'LATCHKEY_DATACENTER',
    doc: 'The datacenter this server belongs to.',
    fallback: 'dc1',
    accepts: NAME_FORM,
    pattern: NAME_PATTERN,
  }),
  primaryDatacenter: text({
    env: 'LATCHKEY_PRIMARY_DATACENTER',
    doc: 'The datacenter whose policies, roles and global tokens this one replicates. The primary also leaves legacy mode first.',
    fallback: undefined,
    fallbackText: 'this datacenter',
    accepts: NAME_FORM,
    pattern: NAME_PATTERN,
  }),
  primaryUrls: custom<readonly string[]>({
    env: 'LATCHKEY_PRIMARY_URL',
    doc: 'The addresses of the service in the primary datacenter, tried in turn. Required in a secondary datacenter.',
    fallback: [],
    fallbackText: '',
    accepts: 'comma-separated origins, such as `https://acl.dc1.example.com`',
    parse: parseOrigins,
  }),
  replicationToken: text({
    env: 'LATCHKEY_REPLICATION_TOKEN',
    doc: 'The secret that a secondary datacenter replicates with. It must belong to a global token of the primary with `acl:write`. `PUT /v1/agent/token/replication` replaces it.',
    fallback: undefined,
    accepts: 'up to 256 printable characters without spaces',
    pattern: /^(?!<hidden>$)[\x21-\x7e]{1,256}$/,
    isSecret: true,
  }),
  replicationTokenFile: text({
    env: 'LATCHKEY_REPLICATION_TOKEN_FILE',
    doc: 'A file that contains this secret instead. The server reads it again when it changes.',
    fallback: undefined,
    accepts: 'a path',
  }),
  tokenReplication: flag({
    env: 'LATCHKEY_TOKEN_REPLICATION',
    doc: 'Whether a secondary datacenter also replicates tokens. With `off`, it asks the primary about each token, and supports neither local tokens nor logins.',
    fallback: true,
  }),
  downPolicy: choice({
    env: 'LATCHKEY_DOWN_POLICY',
    doc: 'With `LATCHKEY_TOKEN_REPLICATION=off`: what happens when a cached answer of the primary about a token is 30 seconds old. `extend-cache`: the server asks the primary, and uses the cached answer if the primary cannot be reached. `async-cache`: the server uses the cached answer at once and asks the primary in the background. `deny`: the server uses only a new answer.',
    fallback: 'extend-cache',
    choices: ['extend-cache', 'async-cache', 'deny'],
  }),
  replicationCa: text({
    env: 'LATCHKEY_REPLICATION_CA',
    doc: 'The certificate authorities to trust in requests to other datacenters, instead of those of the system.',
    fallback: undefined,
    accepts: FILE_FORM,
  }),
  replicationCert: text({
    env: 'LATCHKEY_REPLICATION_CERT',
    doc: 'The client certificate that requests to other datacenters present. The server reads all three files again when they change.',
    fallback: undefined,
    accepts: FILE_FORM,
  }),
  replicationKey: text({
    env: 'LATCHKEY_REPLICATION_KEY',
    doc: 'The private key of that certificate.',
    fallback: undefined,
    accepts: FILE_FORM,
  }),
  datacenters: custom<readonly DatacenterOrigin[]>({
    env: 'LATCHKEY_DATACENTERS',
    doc: 'The addresses of the services in other datacenters. `?dc=` may name these datacenters and the primary. A server ignores the entry for its own datacenter, so all servers can share one list.',
    fallback: [],
    fallbackText: '',
    accepts: 'comma-separated `name=origin`, such as `dc2=https://acl.dc2.example.com`',
    parse: parseDatacenters,
  }),
  datacenterHttp: flag({
    env: 'LATCHKEY_DATACENTER_HTTP',
    doc: 'Whether the server may send requests to other datacenters over plain `http`, although these requests carry secrets. Loopback addresses need no permission.',
    fallback: false,
  }),
} as const

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

function parseDatacenters(value: string): readonly DatacenterOrigin[] {
  const datacenters = value.split(',').map((part) => {
    const [name = '', origin = ''] = part.trim().split(/=(.*)/s)
    const url = /^https?:/i.test(origin) ? URL.parse(origin) : null
    if (!NAME_PATTERN.test(name) || url === null) throw new SettingError('has a part with the wrong format')
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
