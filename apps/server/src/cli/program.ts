/** The command line of the server: commands, help, and exit codes. */
import { PRODUCT_VERSION } from '@latchkey/contract'
import { Command, CommanderError } from 'commander'
import { checkFiles } from '../config/check-files.ts'
import { ConfigError, loadConfig } from '../config/config.ts'
import { runDoctor } from '../doctor/doctor.ts'
import { serve, servePostgres } from '../serve.ts'
import { StartError } from '../start-error.ts'
import { backUp } from './archives/backup.ts'
import { inspectArchive } from './archives/inspect.ts'
import { restoreArchive } from './archives/restore.ts'
import { exportLegacyTokens } from './export-legacy.ts'
import { importLegacyTokens } from './import-legacy.ts'
import { complain, print } from './print.ts'
import { compareWithOld } from './replication/compare.ts'
import { acceptCluster, promoteDatacenter, showReplication } from './replication/decide.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2

const SETTINGS_HELP = `
Settings come from the environment: see docs/configuration.md. The commands import, export, backup, restore and replication
call the server at LATCHKEY_ADDR (default http://127.0.0.1:8500) with the token in LATCHKEY_TOKEN.
`

/** @returns the exit code: 1 failed, 2 unusable command line or setting; undefined while a server runs. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number | undefined> {
  let exitCode: number | undefined
  const program = new Command('latchkey-server')
    .description('Latchkey stores access tokens and authorizes operations with them.')
    .version(`Latchkey ${PRODUCT_VERSION}`, '-v, --version', 'print the version')
    .helpCommand(true)
    .allowExcessArguments(false)
    .showSuggestionAfterError(true)
    .addHelpText('after', SETTINGS_HELP)
    .exitOverride()
  const command = (
    name: string,
    description: string,
    run: (...words: string[]) => Promise<number | undefined>,
    parent = program,
  ) =>
    parent
      .command(name)
      .description(description)
      .allowExcessArguments(false)
      .exitOverride()
      .action(async (...words: string[]) => {
        exitCode = await run(...words)
      })
  command('serve', 'start the server (default)', async () => {
    await serve(loadConfig(env))
    return undefined
  })
  command('check-config', 'check the settings and exit', async () => {
    await checkFiles(loadConfig(env))
    print('The configuration is valid.\n')
    return 0
  })
  command('doctor', 'check settings, machine, database and keys, and print what to do', () => runDoctor(env))
  command('postgres', 'run only the embedded PostgreSQL, for several servers on one machine', async () => {
    await servePostgres(loadConfig(env))
    return undefined
  })
  command('import <file>', 'import the token list of a legacy cluster, all or nothing', (file) =>
    importLegacyTokens(file ?? '', env),
  )
  command('export', 'write the legacy tokens, with their secrets, to standard output', () =>
    exportLegacyTokens(env),
  )
  command('backup <file>', 'write an archive of the whole store to a file', (file) => backUp(file ?? '', env))
  command('inspect <file>', 'verify an archive and print a summary of its contents', (file) =>
    inspectArchive(file ?? ''),
  )
  const restore: Command = command(
    'restore <file>',
    'replace the whole store of the server with an archive, all or nothing',
    (file) => {
      const { force, unauthenticated } = restore.opts()
      return restoreArchive(file ?? '', env, {
        isForced: force === true,
        isUnauthenticated: unauthenticated === true,
      })
    },
  )
    .option('--force', 'do not ask for confirmation')
    .option(
      '--unauthenticated',
      'also restore an archive without an HMAC, such as one of an older version: anyone may have changed it',
    )
  const replication = program
    .command('replication')
    .description('inspect and control replication between datacenters')
    .exitOverride()
  command('status', 'print the state and progress of replication', () => showReplication(env), replication)
  command(
    'accept <cluster>',
    'accept another primary store: its records replace those of the server',
    (cluster) => acceptCluster(cluster ?? '', env),
    replication,
  )
  const promote: Command = command(
    'promote <datacenter>',
    'make the datacenter of the server the primary; the argument is its name, as a confirmation',
    (datacenter) => promoteDatacenter(datacenter ?? '', env, { isForced: promote.opts().force === true }),
    replication,
  ).option('--force', 'promote even though the primary answered within the last minute')
  command(
    'compare <old-address>',
    'list records that an old primary has and the server lacks; if the old primary needs another token, set LATCHKEY_OLD_TOKEN',
    (old) => compareWithOld(old ?? '', env),
    replication,
  )
  command('version', 'print the version', async () => {
    print(`Latchkey ${PRODUCT_VERSION}\n`)
    return 0
  })
  try {
    // Commander itself reads only one word after `help`.
    const isHelp = args[0] === 'help' && args.length > 2
    const line = args.length === 0 ? ['serve'] : isHelp ? [...args.slice(1), '--help'] : [...args]
    await program.parseAsync(line, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
    if (!(error instanceof StartError)) throw error
    complain(`${error.message}\n`)
    return error instanceof ConfigError ? EXIT_USAGE : EXIT_FAILED
  }
}
