/** Parses the command line. */
import { parseArgs } from 'node:util'

export interface Arguments {
  readonly url: string
  readonly prefix: string
  readonly token: string
  readonly report: 'text' | 'json'
  /** Prefixes of case ids or spec rows: only matching cases run. Empty: all. */
  readonly only: readonly string[]
  /** Whether to run cases that take minutes. */
  readonly slow: boolean
  /** Whether the service reads login credentials without verifying them. */
  readonly decodesOnly: boolean
}

export const USAGE = `pnpm conformance --url http://127.0.0.1:8500 [options]

Runs the conformance suite against a running service and reports which rows of the spec it shows.

  --url <address>     where the service is, without /v1
  --token <secret>    a management token; else LATCHKEY_TOKEN, else none
  --prefix <prefix>   family of its headers (default X-Service-)
  --only <start>      only cases whose id, or row of the spec, begins so; may be repeated
  --slow              also cases that wait for tokens to expire, which takes minutes
  --decodes-only      the service reads the credentials of logins without verifying them, as mocks do
  --report text|json  form of the report (default text)
  --help, --version   print this text, or the version of Latchkey

The suite creates tokens, policies, roles and keys with unique names, and removes them. Exit code: 0 if nothing failed,
1 if a case failed, 2 if the suite could not run.`

/** Misuse of the command line, with a message for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** @throws UsageError for missing or unknown arguments. */
export function readArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Arguments | 'help' | 'version' {
  if (args.length === 1 && args[0] === 'help') return 'help'
  const { values } = parse(args)
  if (values.help) return 'help'
  if (values.version) return 'version'
  const { url, report } = values
  if (url === undefined) throw new UsageError('--url is missing: the address of a running service')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`--url ${url} is not an http or https URL`)
  }
  if (report !== 'text' && report !== 'json') throw new UsageError(`--report ${report}: write text or json`)
  return {
    url: url.replace(/\/+$/, '').replace(/\/v1$/, ''),
    prefix: values.prefix,
    token: values.token ?? env.LATCHKEY_TOKEN ?? '',
    report,
    only: values.only,
    slow: values.slow,
    decodesOnly: values['decodes-only'],
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: { type: 'string' },
        token: { type: 'string' },
        prefix: { type: 'string', default: 'X-Service-' },
        only: { type: 'string', multiple: true, default: [] },
        slow: { type: 'boolean', default: false },
        'decodes-only': { type: 'boolean', default: false },
        report: { type: 'string', default: 'text' },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', short: 'v', default: false },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
