import { createClient, LatchkeyError } from '@latchkey/sdk'
import { EXIT, InputError } from '../../errors.ts'
import { formatWatchLine, watchMigration } from '../../watch/watch.ts'
import type { AddCommand } from '../add-command.ts'
import { loadToken } from '../inputs.ts'
import { createProgress, write } from '../io.ts'

interface Options {
  readonly url: string
  readonly tokenFile?: string
  readonly json?: true
}

const INTERVAL_MS = 500

export const addWatch: AddCommand = (program, io, done) => {
  program
    .command('watch')
    .description('Shows the accessor migration of a running server until it is done.')
    .requiredOption('--url <url>', 'the server')
    .option('--token-file <file>', 'a file with a secret that has acl:read; else LATCHKEY_TOKEN')
    .option('--json', 'one JSON document a line, also on a terminal')
    .addHelpText(
      'after',
      `
On a terminal a bar with rate and time left, else one JSON document a line. Ctrl-C ends it with 4: the migration goes
on without it, and the same command watches on.

Example:
  $ latchkey-migrator watch --url http://127.0.0.1:8500 --token-file management.token`,
    )
    .action(async ({ url, tokenFile, json }: Options) => {
      const client = createClient({ address: url, token: await loadToken(tokenFile, io), env: false })
      const progress = createProgress(io)
      const isBar = io.stdout.isTTY === true && io.stderr.isTTY === true && !json
      try {
        for await (const line of watchMigration(client, { intervalMs: INTERVAL_MS, signal: io.signal })) {
          if (isBar) progress.show(formatWatchLine(line))
          else await write(io.stdout, `${JSON.stringify(line)}\n`)
          if (isBar && line.state === 'done') await write(io.stdout, `${formatWatchLine(line)}\n`)
        }
        done(EXIT.done)
      } catch (error) {
        if (io.signal.aborted) {
          await write(
            io.stderr,
            'interrupted; the migration continues, and the same command resumes the watch\n',
          )
          done(EXIT.resumable)
          return
        }
        if (error instanceof LatchkeyError) throw new InputError(error.message, { exitCode: EXIT.failed })
        throw error
      } finally {
        progress.clear()
      }
    })
}
