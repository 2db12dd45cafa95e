import { join } from 'node:path'
import { readLegacyRecord } from '@latchkey/acl'
import type { LegacyToken } from '@latchkey/contract'
import { InvalidArgumentError } from 'commander'
import { readDump } from '../../dump/read-dump.ts'
import { openDump } from '../../dump/source.ts'
import { EXIT, InputError } from '../../errors.ts'
import { formatRehearsal, renderRehearsalHtml, renderRehearsalMarkdown } from '../../rehearse/format.ts'
import { type Rehearsal, rehearse } from '../../rehearse/rehearsal.ts'
import { SERVER_MAIN } from '../../rehearse/server-process.ts'
import type { AddCommand } from '../add-command.ts'
import { loadScenario } from '../inputs.ts'
import { createProgress, type Io, painterFor, write } from '../io.ts'
import { makeOutputDirectory, writeOutputFile } from '../output-file.ts'

interface Options {
  readonly dump?: string
  readonly server: string
  readonly timeScale: number
  readonly json?: true
  readonly report?: string
}

/** Maximum number of tokens in a rehearsal, which checks the rights of each one. */
const TOKENS_MAX = 100_000

export const addRehearse: AddCommand = (program, io, done) => {
  program
    .command('rehearse')
    .description('Runs an upgrade on real servers on this machine, and proves what came of it.')
    .argument('<scenario>', 'scenario in YAML, - for standard input, or builtin:name; one datacenter')
    .option('--dump <file>', 'the legacy tokens to import; else they are made from the scenario')
    .option(
      '--time-scale <factor>',
      'multiplies the waits of the schedule, never those between batches',
      scaleOption,
      1,
    )
    .option('--server <file>', 'main file of the server to start', SERVER_MAIN)
    .option('--json', 'one JSON document')
    .option('--report <directory>', 'write rehearsal.html, rehearsal.json and rehearsal.md there')
    .addHelpText(
      'after',
      `
Starts a PostgreSQL and the servers of the scenario in a temporary directory, imports the tokens, runs the schedule,
calls the servers all the time as legacy and new clients do, and ends everything again, also after Ctrl-C. With
DATABASE_URL set, that database is used; it must be empty. Ends with 1 where a proof fails.

Examples:
  $ latchkey-migrator rehearse cluster.yaml
  $ latchkey-migrator rehearse cluster.yaml --dump legacy-tokens.json --time-scale 0.1 --report report/`,
    )
    .action(async (path: string, options: Options) => {
      const scenario = await loadScenario(path, io)
      const tokens = options.dump === undefined ? undefined : await readTokens(options.dump, io)
      const progress = createProgress(io)
      const rehearsal = await rehearse({
        scenario,
        tokens,
        serverMain: options.server,
        databaseUrl: io.env.DATABASE_URL,
        timeScale: options.timeScale,
        signal: io.signal,
        onProgress: progress.show,
      }).finally(progress.clear)
      if (options.report !== undefined) writeRehearsal(options.report, rehearsal)
      await write(
        io.stdout,
        options.json ? `${JSON.stringify(rehearsal)}\n` : formatRehearsal(rehearsal, painterFor(io)),
      )
      done(rehearsal.verdict === 'proved' ? EXIT.done : EXIT.failed)
    })
}

function writeRehearsal(directory: string, rehearsal: Rehearsal): void {
  makeOutputDirectory(directory)
  writeOutputFile(join(directory, 'rehearsal.html'), renderRehearsalHtml(rehearsal))
  writeOutputFile(join(directory, 'rehearsal.md'), renderRehearsalMarkdown(rehearsal))
  writeOutputFile(join(directory, 'rehearsal.json'), `${JSON.stringify(rehearsal)}\n`)
}

/** Tokens that can be imported; `plan` says what is wrong with the others. */
async function readTokens(path: string, io: Io): Promise<readonly LegacyToken[]> {
  const seen = new Map<string, number>()
  const tokens: LegacyToken[] = []
  for await (const group of readDump(await openDump(path, io.stdin))) {
    for (const { position, value } of group) {
      const { token } = readLegacyRecord(value, { position, seen })
      // Every server creates this one itself.
      if (token && token.ID !== 'anonymous') tokens.push(token)
    }
    if (tokens.length > TOKENS_MAX)
      throw new InputError(`a rehearsal takes at most ${TOKENS_MAX} tokens; simulate has no such bound`)
  }
  return tokens
}

function scaleOption(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= 100)) throw new InvalidArgumentError('Write a factor above 0 and up to 100.')
  return value
}
