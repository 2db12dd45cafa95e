/** What to measure, and for how long. */
import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Cases, by their names or the first parts of them; empty: all. */
  readonly only: readonly string[]
  /** Of one measurement. */
  readonly seconds: number
  /** Measurements of a case; the median counts. */
  readonly rounds: number
  readonly isMillion: boolean
  readonly logLevel: string
  readonly json: string
  readonly profileDir: string | undefined
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
      rounds: { type: 'string', default: '3' },
      million: { type: 'boolean', default: false },
      'log-level': { type: 'string', default: 'info' },
      json: { type: 'string', default: new URL('result.json', import.meta.url).pathname },
      'cpu-prof': { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      version: { type: 'boolean', short: 'v', default: false },
    },
  })
  return {
    only: values.only.split(',').filter((part) => part !== ''),
    seconds: whole(values.seconds, 'seconds'),
    rounds: whole(values.rounds, 'rounds'),
    isMillion: values.million,
    logLevel: values['log-level'],
    json: values.json,
    profileDir: values['cpu-prof'],
    isHelp: values.list || values.help || positionals.length > 0,
    isVersion: values.version,
  }
}

function whole(text: string, name: string): number {
  const value = Number(text)
  if (!(Number.isInteger(value) && value > 0))
    throw new TypeError(`--${name} must be a whole number above 0, not ${JSON.stringify(text)}`)
  return value
}
