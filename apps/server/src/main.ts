#!/usr/bin/env node
/** The command line of the server. The only reader of the environment and of the arguments. */
import { exportLegacyTokens } from './cli/export-legacy.ts'
import { importLegacyTokens } from './cli/import-legacy.ts'
import { ConfigError, loadConfig } from './config/config.ts'
import { serve, servePostgres } from './serve.ts'
import { StartError } from './start-error.ts'

const USAGE = `Latchkey keeps access tokens and authorizes operations with them.

  latchkey                     start the server (settings come from the environment, see README.md)
  latchkey check-config        read the settings, say what is wrong with them, and end
  latchkey postgres            run only the embedded PostgreSQL of the data directory, for several servers on it
  latchkey import FILE         import the token list of a legacy cluster into a running server: all of it, or nothing
  latchkey export              write the legacy tokens of a running server, with their secrets, to standard output
  latchkey --help              this text

Import and export ask the server that LATCHKEY_ADDR names (http://127.0.0.1:8500) with the token in LATCHKEY_TOKEN.
`

const EXIT_USAGE = 2

async function main(args: readonly string[]): Promise<number | undefined> {
  const [command, ...rest] = args
  switch (command) {
    case undefined:
      await serve(loadConfig(process.env))
      return undefined
    case 'postgres':
      await servePostgres(loadConfig(process.env))
      return undefined
    case 'check-config':
      loadConfig(process.env)
      process.stdout.write('The configuration is valid.\n')
      return 0
    case 'import':
      return importLegacyTokens(rest, process.env)
    case 'export':
      return exportLegacyTokens(rest, process.env)
    case '--help':
    case '-h':
      process.stdout.write(USAGE)
      return 0
    default:
      process.stderr.write(`There is no command ${JSON.stringify(command)}.\n\n${USAGE}`)
      return EXIT_USAGE
  }
}

try {
  const exitCode = await main(process.argv.slice(2))
  if (exitCode !== undefined) process.exitCode = exitCode
} catch (error) {
  if (!(error instanceof StartError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = error instanceof ConfigError ? EXIT_USAGE : 1
}
