import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError, describeConfig, loadConfig, otherDatacenters } from './config.ts'
import { SETTINGS } from './settings.ts'
import { shareOf, workersOf } from './workers.ts'

const UUID = '11111111-1111-4111-8111-111111111111'

/** The problems of a configuration; none if it is valid. */
function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('values', () => {
  test('CFG-01: defaults are strict', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8500,
      databaseUrl: undefined,
      initialManagementToken: undefined,
      aclEnabled: true,
      defaultPolicy: 'deny',
      datacenter: 'dc1',
      primaryDatacenter: 'dc1',
      nodeName: hostname(),
      headerPrefixes: ['X-Service-', 'X-Consul-'],
      edition: 'standard',
      allowUnconvertedLegacy: false,
      maxConnectionsPerClient: undefined,
      trustedProxies: [],
      loginsPerSecond: 20,
      authMethodHttp: false,
      authMethodHosts: [],
      checkHosts: [],
      cacheBytes: 268_435_456,
      drainTimeMs: 2_000,
      shutdownTimeoutMs: 10_000,
    })
  })

  test('an empty variable is treated as unset', () => {
    expect(loadConfig({ PORT: '', LATCHKEY_DEFAULT_POLICY: '' })).toEqual(loadConfig({}))
  })

  test.each([
    ['PORT', '0', 'port', 0],
    [
      'DATABASE_URL',
      'postgresql://u:p@/tokens?host=/run/pg',
      'databaseUrl',
      'postgresql://u:p@/tokens?host=/run/pg',
    ],
    ['LATCHKEY_ACL_ENABLED', 'off', 'aclEnabled', false],
    ['LATCHKEY_CACHE_BYTES', '64MiB', 'cacheBytes', 67_108_864],
    ['LATCHKEY_SHUTDOWN_TIMEOUT', '1m30s', 'shutdownTimeoutMs', 90_000],
    ['LATCHKEY_HEADER_PREFIXES', 'X-Acme-, X-Service-', 'headerPrefixes', ['X-Acme-', 'X-Service-']],
    ['LATCHKEY_CHECK_HOSTS', 'Web.example,10.0.0.1', 'checkHosts', ['web.example', '10.0.0.1']],
    ['LATCHKEY_INITIAL_MANAGEMENT_TOKEN', UUID, 'initialManagementToken', UUID],
    ['LATCHKEY_SERVICE_VERSION', '1.6.3', 'serviceVersion', { text: '1.6.3', major: 1, minor: 6, patch: 3 }],
  ])('%s=%s', (name, value, key, expected) => {
    expect(loadConfig({ [name]: value })).toHaveProperty(key, expected)
  })

  test.each([
    ['PORT', '65536', 'PORT: "65536" is out of bounds; write a whole number from 0 to 65535'],
    ['PORT', '80 ', 'PORT: "80 " is not a whole number'],
    ['LATCHKEY_ACL_ENABLED', 'yes', 'LATCHKEY_ACL_ENABLED: "yes" is not on or off; write `on` or `off`'],
    [
      'LATCHKEY_DEFAULT_POLICY',
      'Allow',
      'LATCHKEY_DEFAULT_POLICY: "Allow" is not an accepted value; write one of `deny`, `allow`',
    ],
    ['LATCHKEY_CACHE_BYTES', '1GB', 'LATCHKEY_CACHE_BYTES: "1GB" is not a size'],
    [
      'LATCHKEY_CACHE_BYTES',
      '2048GiB',
      'LATCHKEY_CACHE_BYTES: "2048GiB" is out of bounds; write a number of bytes up to 1024GiB',
    ],
    ['LATCHKEY_SHUTDOWN_TIMEOUT', '10', 'LATCHKEY_SHUTDOWN_TIMEOUT: "10" is not a duration'],
    ['LATCHKEY_DATACENTER', 'DC1', 'LATCHKEY_DATACENTER: "DC1" has the wrong format'],
    ['LATCHKEY_HEADER_PREFIXES', 'X-A', 'LATCHKEY_HEADER_PREFIXES: "X-A" has a part with the wrong format'],
    ['LATCHKEY_HEADER_PREFIXES', 'X-A-,x-a-', 'LATCHKEY_HEADER_PREFIXES: "X-A-,x-a-" contains a duplicate'],
    ['LATCHKEY_DNS_TTL', '500ms', 'LATCHKEY_DNS_TTL: "500ms" is not in whole seconds'],
    ['LATCHKEY_CORS_ORIGINS', 'https://a.example/', 'LATCHKEY_CORS_ORIGINS: "https://a.example/" has a part'],
    ['LATCHKEY_TRUSTED_PROXIES', '10.0.0.0/33', 'LATCHKEY_TRUSTED_PROXIES: "10.0.0.0/33" has a part'],
    [
      'LATCHKEY_SERVICE_VERSION',
      '1.12',
      'LATCHKEY_SERVICE_VERSION: "1.12" is not a supported service version',
    ],
    ['LATCHKEY_PRIMARY_URL', 'ftp://a', 'LATCHKEY_PRIMARY_URL: "ftp://a" has the wrong scheme'],
  ])(
    'a bad value is refused with its name, its problem and the accepted form: %s=%s',
    (name, value, problem) => {
      expect(problemsOf({ [name]: value })[0]).toContain(problem)
    },
  )

  test('a secondary datacenter needs the URL of the primary; a primary must not have one', () => {
    const secondary = { LATCHKEY_DATACENTER: 'dc2', LATCHKEY_PRIMARY_DATACENTER: 'dc1' }
    expect(problemsOf(secondary)).toEqual([expect.stringContaining('LATCHKEY_PRIMARY_URL: is needed')])
    expect(problemsOf({ ...secondary, LATCHKEY_PRIMARY_URL: 'https://dc1.example' })).toEqual([])
    expect(problemsOf({ LATCHKEY_PRIMARY_URL: 'https://dc1.example' })).toHaveLength(1)
    const withToken = { ...secondary, LATCHKEY_PRIMARY_URL: 'https://dc1.example' }
    expect(problemsOf({ ...withToken, LATCHKEY_INITIAL_MANAGEMENT_TOKEN: UUID })).toEqual([
      expect.stringContaining('LATCHKEY_INITIAL_MANAGEMENT_TOKEN: is for the primary datacenter, "dc1"'),
    ])
    const before = { ...withToken, LATCHKEY_SERVICE_VERSION: '1.3.0' }
    expect(problemsOf({ ...before, LATCHKEY_INITIAL_MANAGEMENT_TOKEN: UUID })).toEqual([])
  })

  test('a replica needs its primary', () => {
    expect(problemsOf({ DATABASE_REPLICA_URL: 'postgresql://h/d' })).toEqual([
      expect.stringContaining('DATABASE_URL'),
    ])
  })
})

test('CFG-01: DNS and HTTP share no port of one address: workers would take each other’s connections', () => {
  const problemsWith = (HOST: string, address: string, port: string) =>
    problemsOf({ HOST, PORT: port, LATCHKEY_DNS_ADDRESS: address, LATCHKEY_DNS_PORT: port })
  const refused = [expect.stringContaining('LATCHKEY_DNS_PORT: must differ from PORT')]
  expect(problemsWith('127.0.0.1', '127.0.0.1', '8600')).toEqual(refused)
  expect(problemsWith('localhost', '127.0.0.1', '8600')).toEqual(refused)
  expect(problemsWith('0.0.0.0', '10.0.0.1', '8600')).toEqual(refused)
  expect(problemsWith('10.0.0.1', '::', '8600')).toEqual(refused)
  expect(problemsWith('10.0.0.1', '127.0.0.1', '8600')).toEqual([])
  expect(problemsWith('127.0.0.1', '127.0.0.1', '0')).toEqual([])
})

test.each([
  ['PROTOCOL', 'grpc', 'is not an accepted value; write one of `http/protobuf`'],
  ['TRACES_PROTOCOL', 'http/json', 'is not an accepted value'],
  ['COMPRESSION', 'zip', 'is not an accepted value'],
  ['TIMEOUT', '10s', 'is not a whole number'],
  ['HEADERS', 'canary', 'has a part that does not have that form'],
  ['TRACES_HEADERS', 'api-key=canary%zz', 'has a part'],
  ['HEADERS', 'api key=canary', 'has a part'],
])(
  'CFG-01: what the exporter would ignore is refused if there is a collector: OTEL_EXPORTER_OTLP_%s=%s',
  (name, value, problem) => {
    const wrong = { [`OTEL_EXPORTER_OTLP_${name}`]: value }
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
    const problems = problemsOf({ ...traced, ...wrong })
    expect(problems).toEqual([expect.stringContaining(problem)])
    expect(problems[0]).toContain(`OTEL_EXPORTER_OTLP_${name}: `)
    expect(problems[0]).not.toContain('canary')
    expect(problemsOf(wrong)).toEqual([])
    expect(problemsOf({ ...traced, ...wrong, OTEL_SDK_DISABLED: 'true' })).toEqual([])
  },
)

test('what the exporter understands is accepted', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_TIMEOUT: '10000',
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YTpi==, x-scope = a b,',
  }
  expect(problemsOf(env)).toEqual([])
})

describe('names', () => {
  test.each([
    ['LATCHKEY_DATACENTR', 'LATCHKEY_DATACENTER'],
    ['LATCHKEY_DEFAULT_POLICIES', 'LATCHKEY_DEFAULT_POLICY'],
    ['latchkey_data_dir', 'LATCHKEY_DATA_DIR'],
    ['LATCHKEY_PORT', 'PORT'],
    ['LATCHKEY_DATABASE_URL', 'DATABASE_URL'],
  ])('an unknown %s stops the start and suggests %s', (name, meant) => {
    expect(problemsOf({ [name]: 'dc1' })).toEqual([
      `${name}: there is no such setting; did you mean ${meant}?`,
    ])
  })

  test.each(['LATCHKEY_FAVOURITE_COLOUR', 'LATCHKEY_FOO'])(
    '%s resembles no setting and gets no suggestion',
    (name) => {
      expect(problemsOf({ [name]: 'x' })).toEqual([`${name}: there is no such setting`])
    },
  )

  test('ignores variables of the SDK, of tests and of other programs', () => {
    const env = { LATCHKEY_TOKEN: UUID, LATCHKEY_ADDR: 'x', LATCHKEY_SEED: '7', PATH: '/bin', OTHER: 'x' }
    expect(loadConfig(env)).toEqual(loadConfig({}))
  })

  test.each(['auto ', 'Auto', '1.5', '0', '65'])('LATCHKEY_WORKERS=%j is refused', (value) => {
    expect(problemsOf({ LATCHKEY_WORKERS: value })).toHaveLength(1)
  })

  test.each([
    [1, 16, 1],
    [2, 16, 1],
    [3, 16, 2],
    [4, 16, 3],
    [9, 16, 8],
    [64, 16, 8],
    [4, 1, 2],
    [4, 0.5, 1],
    [4, 0.25, 1],
  ])('by default, %i cores and %s GiB have %i workers', (cores, gibibytes, workers) => {
    const machine = { cores, memoryBytes: gibibytes * 1024 ** 3 }
    const { fallback } = SETTINGS.workers
    expect(workersOf(fallback, { dnsPort: undefined, ...machine })).toBe(workers)
    // With port 0, only one process knows the DNS port.
    expect(workersOf(fallback, { dnsPort: 0, ...machine })).toBe(1)
    expect(workersOf(4, { dnsPort: 53, ...machine })).toBe(4)
  })

  test.each([
    [1, 10, 256, 10],
    [3, 10, 85, 4],
    [8, 10, 32, 3],
    [8, 2, 32, 2],
  ])('%i workers share %i connections', (workers, connections, cacheBytes, each) => {
    expect(shareOf({ workers, cacheBytes: 256, databaseConnections: connections })).toEqual({
      cacheBytes,
      databaseConnections: each,
    })
  })

  test('reports all problems at once', () => {
    const env = { PORT: 'x', LATCHKEY_DATACENTR: 'x', LATCHKEY_WORKERS: '0' }
    expect(problemsOf(env)).toHaveLength(3)
    expect(() => loadConfig(env)).toThrow('The configuration has 3 problems:')
  })
})

describe('secrets', () => {
  const key = randomBytes(32).toString('base64')
  const secrets = {
    DATABASE_URL: 'postgresql://latchkey:canary-database@db.example/tokens?password=canary-query',
    DATABASE_REPLICA_URL: 'postgresql://latchkey:canary-replica@replica.example/tokens',
    LATCHKEY_ENCRYPTION_KEYS: `k1:${key}`,
    LATCHKEY_INITIAL_MANAGEMENT_TOKEN: UUID,
    LATCHKEY_REPLICATION_TOKEN: 'canary-replication',
  }
  const canaries = ['canary', UUID, key]

  test('LEAK-02: the printed configuration names databases, and shows no secret', () => {
    const shown = JSON.stringify(describeConfig(loadConfig(secrets)))
    expect(JSON.parse(shown)).toMatchObject({
      databaseUrl: 'latchkey@db.example:5432/tokens',
      encryptionKeys: 'set',
      initialManagementToken: 'set',
      serviceVersion: '1.11',
    })
    for (const canary of canaries) expect(shown).not.toContain(canary)
  })

  test('LEAK-02: a malformed secret is refused without being shown', () => {
    const malformed = {
      DATABASE_URL: 'mysql://u:canary@h/d',
      DATABASE_REPLICA_URL: 'canary not a url',
      LATCHKEY_ENCRYPTION_KEYS: key.slice(1),
      LATCHKEY_INITIAL_MANAGEMENT_TOKEN: UUID.slice(1),
      LATCHKEY_PRIMARY_URL: 'https://user:canary@dc1.example',
      LATCHKEY_REPLICATION_TOKEN: 'canary with a space',
    }
    const problems = problemsOf(malformed).join('\n')
    for (const name of Object.keys(malformed)) expect(problems).toContain(`${name}: the value`)
    for (const canary of ['canary', UUID.slice(1), key.slice(1)]) expect(problems).not.toContain(canary)
  })

  test('an initial management token in the reserved range is refused', () => {
    expect(
      problemsOf({ LATCHKEY_INITIAL_MANAGEMENT_TOKEN: '00000000-0000-0000-0000-000000000001' }),
    ).toHaveLength(1)
  })

  test('any text in any setting gives a configuration or a ConfigError, and never a secret in it', () => {
    const names = Object.values(SETTINGS).map(({ env }) => env)
    const anyValue = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.uuid(),
      fc.base64String(),
      fc.integer().map(String),
    )
    fc.assert(
      fc.property(fc.constantFrom(...names), anyValue, (name, value) => {
        const isSecret = Object.values(SETTINGS).find(({ env }) => env === name)?.isSecret
        const problems = problemsOf({ [name]: value }).join()
        if (isSecret && value.length > 12) expect(problems).not.toContain(value)
      }),
      { numRuns: 500 },
    )
  })
})

describe('other datacenters', () => {
  const LIST = 'dc1=https://one.example, dc2=https://two.example:8500/,dc3=http://127.0.0.1:8503'

  test('all servers can share one list: each leaves out its own entry, and the primary needs none', () => {
    expect(otherDatacenters(loadConfig({ LATCHKEY_DATACENTERS: LIST }))).toEqual([
      { name: 'dc2', origins: ['https://two.example:8500'] },
      { name: 'dc3', origins: ['http://127.0.0.1:8503'] },
    ])
    const secondary = {
      LATCHKEY_DATACENTER: 'dc2',
      LATCHKEY_PRIMARY_DATACENTER: 'dc1',
      LATCHKEY_PRIMARY_URL: 'https://one.example/, https://spare.example:8500',
    }
    const primary = { name: 'dc1', origins: ['https://one.example', 'https://spare.example:8500'] }
    expect(otherDatacenters(loadConfig(secondary))).toEqual([primary])
    const listed = otherDatacenters(loadConfig({ ...secondary, LATCHKEY_DATACENTERS: LIST }))
    expect(listed).toEqual([primary, { name: 'dc3', origins: ['http://127.0.0.1:8503'] }])
  })

  test.each([
    ['dc2', 'wrong format'],
    ['dc2=two.example', 'wrong format'],
    ['dc2=ftp://two.example', 'wrong format'],
    ['DC2=https://two.example', 'wrong format'],
    ['dc2=https://two.example/v1', 'more than scheme, host and port at "dc2"'],
    ['dc2=https://two.example?x', 'more than scheme, host and port at "dc2"'],
    ['dc2=https://user:password@two.example', 'more than scheme, host and port at "dc2"'],
    ['dc2=https://two.example,dc2=https://three.example', 'names a datacenter twice'],
  ])('CFG-01: %s is refused', (value, problem) => {
    const [found] = problemsOf({ LATCHKEY_DATACENTERS: value })
    expect(found).toContain(problem)
    expect(found).not.toContain('password')
  })

  test('CFG-01: SEC-03: plain http to another machine needs its switch, for the primary too', () => {
    const exposed = { LATCHKEY_DATACENTERS: 'dc2=http://two.example,dc3=https://three.example' }
    expect(problemsOf(exposed)).toEqual([expect.stringContaining('to reach "dc2" over http')])
    expect(problemsOf({ ...exposed, LATCHKEY_DATACENTER_HTTP: 'on' })).toEqual([])
    const secondary = { LATCHKEY_PRIMARY_DATACENTER: 'dc2', LATCHKEY_PRIMARY_URL: 'http://10.0.0.1:8500' }
    expect(problemsOf(secondary)).toEqual([expect.stringContaining('to reach "dc2" over http')])
    expect(problemsOf({ LATCHKEY_DATACENTERS: 'dc1=http://one.example,dc3=http://[::1]:8500' })).toEqual([])
  })

  test.each([
    ['https://dc1.example/v1', 'more than scheme, host and port'],
    ['https://dc1.example,https://dc1.example/', 'contains a duplicate'],
    ['https://dc1.example,dc1.example', 'is not a URL'],
    ['https://dc2.example', 'contains the address that LATCHKEY_DATACENTERS has for this datacenter'],
  ])('CFG-01: LATCHKEY_PRIMARY_URL=%s is refused', (LATCHKEY_PRIMARY_URL, problem) => {
    const secondary = {
      LATCHKEY_DATACENTER: 'dc2',
      LATCHKEY_PRIMARY_DATACENTER: 'dc1',
      LATCHKEY_DATACENTERS: 'dc2=https://dc2.example',
    }
    expect(problemsOf({ ...secondary, LATCHKEY_PRIMARY_URL })[0]).toContain(problem)
  })

  test('CFG-01: two sources of the replication token, and half of a client certificate, are refused', () => {
    const token = { LATCHKEY_REPLICATION_TOKEN: UUID, LATCHKEY_REPLICATION_TOKEN_FILE: '/run/token' }
    expect(problemsOf(token)).toEqual([expect.stringContaining('set one of them')])
    expect(problemsOf({ LATCHKEY_REPLICATION_TOKEN: '<hidden>' })).toHaveLength(1)
    expect(problemsOf({ LATCHKEY_REPLICATION_CERT: '/run/cert.pem' })).toHaveLength(1)
    expect(problemsOf({ LATCHKEY_REPLICATION_KEY: '/run/key.pem' })).toHaveLength(1)
  })

  test('CFG-01: two addresses of the primary are refused', () => {
    const problems = problemsOf({
      LATCHKEY_DATACENTERS: 'dc2=https://two.example',
      LATCHKEY_PRIMARY_DATACENTER: 'dc2',
      LATCHKEY_PRIMARY_URL: 'https://other.example',
    })
    expect(problems).toEqual([expect.stringContaining('another address for "dc2"')])
  })
})
