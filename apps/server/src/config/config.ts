import { nearestName, profileOf } from '@latchkey/contract'
import pg from 'pg'
import { hostOf, isLoopback } from '../outgoing/address-rules.ts'
import { StartError } from '../start-error.ts'
import { EXPORTER_SETTINGS, type ExporterFile, exporterFilesOf } from './exporter-settings.ts'
import { type Setting, SettingError } from './setting.ts'
import { SETTINGS } from './settings.ts'
import { workersOf } from './workers.ts'

type ValueOf<S> = S extends Setting<infer T> ? T : never
type Written = { readonly [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> }

interface Values extends Omit<Written, 'workers'> {
  readonly workers: number
}

export interface Config extends Values {
  /** The server's own datacenter if none is configured. */
  readonly primaryDatacenter: string
  /** Empty if nothing is traced. */
  readonly exporterFiles: readonly ExporterFile[]
}

export class ConfigError extends StartError {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n` +
        `${problems.map((problem) => `  ${problem}`).join('\n')}\n` +
        'docs/configuration.md lists every setting.',
    )
    this.problems = problems
  }
}

const PREFIX = 'LATCHKEY_'

/** Variables of the SDK, the command line and the tests, which may also be set in the server's environment. */
const NOT_OURS = /^LATCHKEY_(?:ADDR|TOKEN|OLD_TOKEN|TOKEN_FILE|NAMESPACE|TIMEOUT_MS|SEED|FUZZ)$/

/** At most 80 characters of a value are shown. */
const LONG_VALUE = /^(.{80}).+$/s

/**
 * Reads the configuration from environment variables. Nothing else in the server reads them. An empty variable is
 * treated as unset.
 *
 * @throws ConfigError with every unknown `LATCHKEY_…` variable, bad value and missing companion. It contains no secret.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const read = Object.entries<Setting<unknown>>(SETTINGS).map(([name, setting]) => [
    name,
    readSetting(setting, env[setting.env], problems),
  ])
  problems.push(...findUnknown(env))
  // The entries have the names and types of the table, which TypeScript loses in Object.entries.
  const written = Object.fromEntries(read) as Written
  const values: Values = { ...written, workers: workersOf(written.workers, written) }
  problems.push(...findContradictions(values))
  if (isTraced(values))
    for (const setting of EXPORTER_SETTINGS) readSetting(setting, env[setting.env], problems)
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze({
    ...values,
    primaryDatacenter: values.primaryDatacenter ?? values.datacenter,
    exporterFiles: exporterFilesOf(isTraced(values) ? env : {}),
  })
}

export function isTraced(
  values: Pick<Config, 'otelDisabled' | 'otlpEndpoint' | 'otlpTracesEndpoint'>,
): boolean {
  return !values.otelDisabled && (values.otlpEndpoint ?? values.otlpTracesEndpoint) !== undefined
}

/** The configuration for the log and for operators: secrets only as "set", database URLs without password. */
export function describeConfig(config: Config): Record<string, unknown> {
  const shown = Object.entries(SETTINGS).map(([name, setting]) => {
    const value = config[name as keyof Config]
    if (value === undefined) return [name, undefined]
    if (setting === SETTINGS.databaseUrl || setting === SETTINGS.databaseReplicaUrl) {
      return [name, describeDatabase(String(value))]
    }
    return [name, setting.isSecret ? 'set' : value]
  })
  return { ...Object.fromEntries(shown), serviceVersion: config.serviceVersion.text }
}

/** A database URL for messages: `user@host:port/database`, never the password or other parameters. */
export function describeDatabase(url: string): string {
  const { user, host, port, database } = new pg.Client({ connectionString: url })
  return `${user ?? ''}@${host}:${port}/${database ?? ''}`
}

function readSetting<T>(setting: Setting<T>, written: string | undefined, problems: string[]): T {
  if (written === undefined || written === '') return setting.fallback
  try {
    return setting.parse(written)
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    // The text before an @ may be a password, even in a malformed URL.
    const isShown = !setting.isSecret && !written.includes('@')
    const shown = isShown ? JSON.stringify(written.replace(LONG_VALUE, '$1…')) : 'the value'
    problems.push(`${setting.env}: ${shown} ${error.message}; write ${setting.accepts}`)
    return setting.fallback
  }
}

function findUnknown(env: Readonly<Record<string, string | undefined>>): string[] {
  // Some settings have no prefix: LATCHKEY_PORT suggests PORT. The prefix is ignored in the comparison.
  const known = new Map(Object.values(SETTINGS).map(({ env: name }) => [name.replace(PREFIX, ''), name]))
  return Object.keys(env)
    .filter((name) => name.toUpperCase().startsWith(PREFIX) && !NOT_OURS.test(name))
    .filter((name) => known.get(name.slice(PREFIX.length)) !== name)
    .map((name) => {
      const meant = known.get(nearestName(name.slice(PREFIX.length), [...known.keys()]) ?? '')
      return `${name}: there is no such setting${meant === undefined ? '' : `; did you mean ${meant}?`}`
    })
}

export interface OtherDatacenter {
  readonly name: string
  /** At least one; tried in turn. */
  readonly origins: readonly string[]
}

/** The datacenters that this one can reach: the configured list, and the primary. */
export function otherDatacenters(
  values: Pick<Values, 'datacenter' | 'datacenters' | 'primaryDatacenter' | 'primaryUrls'>,
): readonly OtherDatacenter[] {
  const { datacenter, datacenters, primaryDatacenter, primaryUrls } = values
  const isPrimary = (name: string) => name === primaryDatacenter && primaryUrls.length > 0
  const others = datacenters
    .filter(({ name }) => name !== datacenter)
    .map(({ name, origin }) => ({ name, origins: isPrimary(name) ? primaryUrls : [origin] }))
  const isListed = others.some(({ name }) => isPrimary(name))
  if (primaryDatacenter === undefined || primaryUrls.length === 0 || isListed) return others
  return [{ name: primaryDatacenter, origins: primaryUrls }, ...others]
}

function isExposed(origin: string): boolean {
  const url = new URL(origin)
  return url.protocol === 'http:' && !isLoopback(hostOf(url))
}

/** Whether clients on other machines may send secrets to the listener unencrypted, without TLS or a proxy. */
export function isListenerExposed({ host, tlsCert, trustedProxies }: Config): boolean {
  return !isLoopback(host) && tlsCert === undefined && trustedProxies.length === 0
}

/** Maximum number of open connections per client; 0 for no limit. Spec 8. */
export function connectionsMaxOf({ maxConnectionsPerClient, serviceVersion }: Config): number {
  return maxConnectionsPerClient ?? profileOf(serviceVersion).connectionLimit
}

function findContradictions(values: Values): string[] {
  const { databaseReplicaUrl, databaseUrl } = values
  const contradictions: readonly Contradiction[] = [
    [
      databaseReplicaUrl !== undefined && databaseUrl === undefined,
      'DATABASE_REPLICA_URL: needs DATABASE_URL; the embedded database has no replicas',
    ],
    [
      values.dnsPort === 0 && values.workers > 1,
      'LATCHKEY_DNS_PORT: must name a port, which all workers share, because LATCHKEY_WORKERS is more than 1',
    ],
    [
      values.dnsPort !== 0 && values.dnsPort === values.port && overlap(values.host, values.dnsAddress),
      'LATCHKEY_DNS_PORT: must differ from PORT, because both are for the same address',
    ],
    [
      (values.tlsCert === undefined) !== (values.tlsKey === undefined),
      'LATCHKEY_TLS_CERT: needs LATCHKEY_TLS_KEY, and the other way round',
    ],
    [
      values.tlsClientCa !== undefined && values.tlsCert === undefined,
      'LATCHKEY_TLS_CLIENT_CA: needs LATCHKEY_TLS_CERT',
    ],
    ...datacenterContradictions(values),
  ]
  return contradictions.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []))
}

const ALL_ADDRESSES: readonly string[] = ['0.0.0.0', '::']

/** Whether one port cannot serve both addresses. */
function overlap(host: string, address: string): boolean {
  if (host === 'localhost') return isLoopback(address)
  return host === address || [host, address].some((each) => ALL_ADDRESSES.includes(each))
}

type Contradiction = readonly [isWrong: boolean, problem: string]

function datacenterContradictions(values: Values): readonly Contradiction[] {
  const { datacenter, primaryDatacenter, primaryUrls, datacenters } = values
  const isSecondary = primaryDatacenter !== undefined && primaryDatacenter !== datacenter
  const originOf = (wanted: string | undefined) => datacenters.find(({ name }) => name === wanted)?.origin
  const ownOrigin = originOf(datacenter)
  const primaryOrigin = originOf(primaryDatacenter)
  return [
    [
      isSecondary &&
        values.initialManagementToken !== undefined &&
        profileOf(values.serviceVersion).has('upgrade.legacyMode'),
      `LATCHKEY_INITIAL_MANAGEMENT_TOKEN: is for the primary datacenter, "${primaryDatacenter}"; its tokens arrive here by replication`,
    ],
    [
      isSecondary && primaryUrls.length === 0,
      `LATCHKEY_PRIMARY_URL: is needed, because LATCHKEY_PRIMARY_DATACENTER differs from LATCHKEY_DATACENTER ("${datacenter}")`,
    ],
    [
      !isSecondary && primaryUrls.length > 0,
      'LATCHKEY_PRIMARY_URL: needs a LATCHKEY_PRIMARY_DATACENTER that differs from LATCHKEY_DATACENTER',
    ],
    [
      isSecondary && primaryOrigin !== undefined && !primaryUrls.includes(primaryOrigin),
      `LATCHKEY_DATACENTERS: has another address for "${primaryDatacenter}" than LATCHKEY_PRIMARY_URL`,
    ],
    [
      ownOrigin !== undefined && primaryUrls.includes(ownOrigin),
      `LATCHKEY_PRIMARY_URL: contains the address that LATCHKEY_DATACENTERS has for this datacenter ("${datacenter}")`,
    ],
    [
      values.replicationToken !== undefined && values.replicationTokenFile !== undefined,
      'LATCHKEY_REPLICATION_TOKEN_FILE: excludes LATCHKEY_REPLICATION_TOKEN; set one of them',
    ],
    [
      (values.replicationCert === undefined) !== (values.replicationKey === undefined),
      'LATCHKEY_REPLICATION_CERT: needs LATCHKEY_REPLICATION_KEY, and the other way round',
    ],
    ...otherDatacenters(values).flatMap(({ name, origins }) =>
      origins.map(
        (origin): Contradiction => [
          !values.datacenterHttp && isExposed(origin),
          `LATCHKEY_DATACENTER_HTTP: must be on to reach "${name}" over http at ${origin}; prefer https, which encrypts the secrets in requests`,
        ],
      ),
    ),
  ]
}
