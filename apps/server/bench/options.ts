/** What to measure, and for how long. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { PeerOptions } from './against/peer.ts'

export interface BenchOptions {
  /** Names of cases, or prefixes of them; empty: all. */
  readonly only: readonly string[]
  /** Duration of one measurement. */
  readonly seconds: number
  /** Measurements of a case; the median is reported. */
  readonly rounds: number
  readonly isMillion: boolean
  readonly logLevel: string
  readonly json: string
  readonly profileDir: string | undefined
  /** The server to compare with, and the page for the results. */
  readonly against: (PeerOptions & { readonly html: string }) | undefined
}

export const USAGE = `Measures the server against a bare Express route and raw node:http on this machine.

  pnpm bench [options]

  --only a,b        cases of these names, or whose names continue with a dash (default: all)
  --seconds 3       of one measurement
  --rounds 3        measurements of a case; the median counts
  --million         also a million tokens: takes minutes, and some gigabytes of disk
  --log-level info  of the server; its log is thrown away
  --json FILE       where the figures go (default bench/result.json)
  --cpu-prof DIR    let the server write a CPU profile there
  --against URL     compare with another server of this API, an empty one, in turn (A B A B, 5 rounds)
  --against-token S a management token of it (default LATCHKEY_AGAINST_TOKEN)
  --against-prefix P          family of its headers (default X-Service-)
  --against-start COMMAND     starts it in the foreground; without this, its processor time and memory are unknown
  --html FILE       where the page with charts of the comparison goes (default bench/against.html)
  --list, --help    print this text and the cases
  --version         print the version of Latchkey
`

interface Asked {
  readonly isHelp: boolean
  readonly isVersion: boolean
}

export function readOptions(args: readonly string[]): BenchOptions & Asked {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: args.length === 1 && args[0] === 'help',
    options: {
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string' },
      million: { type: 'boolean', default: false },
      'log-level': { type: 'string', default: 'info' },
      json: { type: 'string', default: join(import.meta.dirname, 'result.json') },
      'cpu-prof': { type: 'string' },
      against: { type: 'string' },
      'against-token': { type: 'string' },
      'against-prefix': { type: 'string', default: 'X-Service-' },
      'against-start': { type: 'string' },
      html: { type: 'string', default: join(import.meta.dirname, 'against.html') },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      version: { type: 'boolean', short: 'v', default: false },
    },
  })
  return {
    only: values.only.split(',').filter((part) => part !== ''),
    seconds: whole(values.seconds, 'seconds'),
    rounds: whole(values.rounds ?? (values.against === undefined ? '3' : '5'), 'rounds'),
    isMillion: values.million,
    logLevel: values['log-level'],
    json: values.json,
    profileDir: values['cpu-prof'],
    against: values.against === undefined ? undefined : againstOf(values.against, values),
    isHelp: values.list || values.help || positionals.length > 0,
    isVersion: values.version,
  }
}

interface AgainstValues {
  readonly 'against-token'?: string
  readonly 'against-prefix': string
  readonly 'against-start'?: string
  readonly html: string
}

function againstOf(url: string, values: AgainstValues): BenchOptions['against'] {
  const secret = values['against-token'] ?? process.env.LATCHKEY_AGAINST_TOKEN
  if (!/^https?:\/\//.test(url)) throw new TypeError(`--against must be a URL, not ${JSON.stringify(url)}`)
  if (secret === undefined)
    throw new TypeError('--against needs --against-token, a management token of that server')
  const { 'against-prefix': prefix, 'against-start': command, html } = values
  return { url: url.replace(/\/+$/, ''), secret, prefix, command, html }
}

function whole(text: string, name: string): number {
  const value = Number(text)
  if (!(Number.isInteger(value) && value > 0))
    throw new TypeError(`--${name} must be a whole number above 0, not ${JSON.stringify(text)}`)
  return value
}
