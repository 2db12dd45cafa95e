import { visibleJson } from '@latchkey/contract'
import { EXIT, type ExitCode } from '../../errors.ts'
import type { ConnectionOptions } from '../../scan/connection.ts'
import { formatLine, watch } from '../../watch/watch.ts'
import { addConnectionOptions, CONNECTION_HELP, openReader } from '../connection-options.ts'
import { type AddCommand, type Io, write } from '../io.ts'

interface Options extends Omit<ConnectionOptions, 'from'> {
  readonly url: readonly string[]
  readonly json?: true
}

const INTERVAL_MS = 500

export const addWatch: AddCommand = (program, io, done) => {
  addConnectionOptions(program.command('watch'))
    .description(
      'Follows the upgrade of a running service, of any version, until every token has its accessor.',
    )
    .requiredOption('--url <url...>', 'a server, or several: the first that answers is asked')
    .option('--json', 'print one JSON document per line, also on a terminal')
    .addHelpText(
      'after',
      `
Prints progress and servers whenever they change: as text on a terminal, otherwise as one JSON document per line. It asks
/v1/agent/members and the token API, and only reads. Servers that restart are waited for. Ctrl-C exits with 4: the upgrade
continues without it, and the same command resumes the watch.
${CONNECTION_HELP}

Examples:
  $ latchkey-migrator watch --url http://127.0.0.1:8500 --token-file management.token
  $ latchkey-migrator watch --url http://s1:8500 http://s2:8500 --json > day.ndjson`,
    )
    .action(async (options: Options) => done(await follow(options, io)))
}

async function follow({ url, json, ...options }: Options, io: Io): Promise<ExitCode> {
  const readers = await Promise.all(url.map((from) => openReader({ ...options, from }, io)))
  const isText = io.stdout.isTTY === true && !json
  try {
    for await (const line of watch(readers, { intervalMs: INTERVAL_MS, signal: io.signal })) {
      await write(io.stdout, isText ? `${formatLine(line)}\n` : `${visibleJson(JSON.stringify(line))}\n`)
    }
    return EXIT.done
  } catch (error) {
    if (io.signal.aborted) {
      await write(io.stderr, 'interrupted; the upgrade continues, and the same command resumes the watch\n')
      return EXIT.resumable
    }
    throw error
  }
}
