/** The options of all commands: what the help says about them, and how they are read. */
import { fileURLToPath } from 'node:url'
import { parseServiceVersion, readVersion, type ServiceVersion } from '@latchkey/contract'
import { InvalidArgumentError, Option } from 'commander'
import { SEVERITIES, type Severity } from '../findings/finding.ts'
import type { ModelName } from '../scenario/scenario.ts'

class Typed<T> extends Option {
  declare readonly value: T
}

function option<T = string>(flags: string, about: string, read?: (text: string) => T): Typed<T | undefined> {
  const made = new Typed<T | undefined>(flags, about)
  return read === undefined ? made : made.argParser(read)
}

function required<T>(made: Typed<T | undefined>): Typed<T> {
  return made.makeOptionMandatory() as Typed<T>
}

function withDefault<T>(made: Typed<T | undefined>, value: T): Typed<T> {
  return made.default(value) as Typed<T>
}

const flag = (flags: string, about: string) => new Typed<true | undefined>(flags, about)
const several = (flags: string, about: string) => new Typed<readonly string[] | undefined>(flags, about)

const SERVER_MAIN = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url))

const LIMITS = [...SEVERITIES, 'never'] as const

export const OPTIONS = {
  json: flag('--json', 'print one JSON document'),
  out: option('--out <file>', 'write to a file'),
  failOn: withDefault(
    option<Severity | 'never'>('--fail-on <severity>', 'exit with 3 from this severity on').choices(LIMITS),
    'critical',
  ),
  report: option('--report <directory>', 'write a report there, as HTML and JSON'),
  at: option('--at <time>', 'time of day at which the schedule starts, to show times of day', timeOfDay),

  scenario: option('--scenario <file>', 'scenario in YAML, - for standard input, or builtin:name'),
  dump: option('--dump <file>', 'read the legacy tokens from a dump, - for standard input'),
  model: option<ModelName>(
    '--model <model>',
    'service (the reference service, version by version) or latchkey',
  ).choices(['service', 'latchkey']),
  seed: option('--seed <n>', 'seed of all random choices', wholeNumber),
  to: option('--to <version>', 'plan every stop up to this version, instead of the schedule', version),
  target: required(option('--to <version>', 'the version to upgrade to', version)),
  since: option(
    '--from <version>',
    'current version: calls that already break there are not listed, and every change since is',
    version,
  ),
  list: flag('--list', 'list the built-in scenarios'),
  traffic: option('--traffic <log>', 'access log: calls that the newest version breaks are blockers'),
  examples: withDefault(option('--examples <n>', 'tokens to list for each finding', wholeNumber), 20),
  save: option('--save <folder>', 'write scenario.yaml and tokens.ndjson there, for plan and simulate'),
  outFolder: option('--out <folder>', 'write policies, plan.json, names.json, tokens.csv and apply.sh there'),
  names: option(
    '--names <file>',
    'names.json of an earlier run: your names, and groups to leave as they are',
  ),
  accessors: option('--accessors <file>', 'answer of GET /v1/acl/tokens, to name tokens by their accessor'),
  existing: several(
    '--existing <file...>',
    'answers of GET /v1/acl/policies and /v1/acl/roles: names to avoid, and what an earlier run made',
  ),
  identities: several(
    '--identities <file...>',
    'answers of GET /v1/catalog/nodes and /v1/catalog/services: use identities where rules are one',
  ),
  only: option('--only <file>', 'rows of tokens.csv: convert these tokens now, and the others later'),
  questions: withDefault(option('--questions <n>', 'random questions for each rule text', wholeNumber), 100),
  timeScale: withDefault(
    option(
      '--time-scale <factor>',
      'factor for the waits of the schedule, but not for the interval between batches',
      (text) => positive(text, 100),
    ),
    1,
  ),
  server: withDefault(option('--server <file>', 'main file of the server to start'), SERVER_MAIN),
  logFormat: option(
    '--log-format <pattern>',
    'regular expression for another form, with the groups method and path, and perhaps client, status, time, agent',
    pattern,
  ),
  next: several('--next <server...>', 'servers that are replaced next, and may still run the old version'),
  backupConfirmed: option('--backup-confirmed <text>', 'who restored which snapshot of the backup, and when'),

  from: option('--from <url>', 'a running server or agent to read from'),
  url: required(option('--url <url>', 'a server of the primary datacenter')),
  urls: required(several('--url <url...>', 'a server, or several: the first that answers is asked')),
  tokenFile: option('--token-file <file>', 'file with a management token (default: $LATCHKEY_TOKEN)'),
  caFile: option('--ca-file <file>', 'certificates of the authorities to trust, in PEM'),
  clientCert: option('--client-cert <file>', 'client certificate, in PEM'),
  clientKey: option('--client-key <file>', 'key of the client certificate, in PEM'),
  tlsServerName: option('--tls-server-name <name>', 'name that the certificate of the server must have'),
  tlsVerify: new Typed<boolean>('--no-tls-verify', 'accept any certificate of the server'),
  namespace: option('--namespace <name>', 'namespace to read'),
  timeout: withDefault(
    option('--timeout <seconds>', 'give up a request after this time without a byte', (text) =>
      positive(text, 3_600),
    ),
    30,
  ),
} as const

export const ANSWER = ['json', 'out', 'failOn'] as const
export const CONNECTION = [
  ...(['tokenFile', 'caFile', 'clientCert', 'clientKey', 'tlsServerName', 'tlsVerify'] as const),
  ...(['namespace', 'timeout'] as const),
] as const

export type OptionName = keyof typeof OPTIONS
export type OptionsOf<Name extends OptionName> = {
  readonly [Key in Name]: (typeof OPTIONS)[Key]['value']
}

function version(text: string): ServiceVersion {
  if (readVersion(text) === undefined)
    throw new InvalidArgumentError('Write a version such as 1.11 or 1.4.0.')
  return parseServiceVersion(text)
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 4_294_967_295) throw new InvalidArgumentError('Write a whole number.')
  return value
}

function positive(text: string, max: number): number {
  const value = Number(text)
  if (!(value > 0 && value <= max)) throw new InvalidArgumentError(`Write a number above 0, at most ${max}.`)
  return value
}

function timeOfDay(text: string): number {
  const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text) ?? []
  const [h = Number.NaN, m = 0, s = 0] = [hours, minutes, seconds].map(Number)
  if (h < 24 && m < 60 && s < 60) return h * 3_600 + m * 60 + s
  throw new InvalidArgumentError('Write a time of day such as 22:00 or 22:00:30.')
}

function pattern(text: string): RegExp {
  try {
    const read = new RegExp(text)
    if (/\(\?<method>/.test(text) && /\(\?<path>/.test(text)) return read
  } catch {
    // Refused below.
  }
  throw new InvalidArgumentError('Write a regular expression with the groups (?<method>…) and (?<path>…).')
}
