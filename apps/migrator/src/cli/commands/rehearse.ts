import { readLegacyRecord } from '@latchkey/acl'
import { type LegacyToken, visibleJson } from '@latchkey/contract'
import { InvalidArgumentError } from 'commander'
import { shellQuote } from '../../convert/files/commands.ts'
import { readDump } from '../../dump/read-dump.ts'
import { openDump } from '../../dump/source.ts'
import { EXIT, InputError } from '../../errors.ts'
import { agrees, counted } from '../../findings/finding.ts'
import { formatRehearsal } from '../../rehearse/format.ts'
import { rehearse } from '../../rehearse/rehearsal.ts'
import { SERVER_MAIN } from '../../rehearse/server-process.ts'
import { timeOfDayOption } from '../../report/clock.ts'
import { hashed, hideSecrets } from '../../report/inputs.ts'
import { renderRehearsal } from '../../report/rehearsal-page.ts'
import { loadScenarioText } from '../inputs.ts'
import { type AddCommand, createProgress, type Io, painterFor, write } from '../io.ts'
import { writeReport } from '../output-file.ts'

interface Options {
  readonly dump?: string
  readonly server: string
  readonly timeScale: number
  readonly json?: true
  readonly report?: string
  readonly at?: number
}

/** Maximum number of tokens in a rehearsal, which checks the rights of each one. */
const TOKENS_MAX = 100_000

export const addRehearse: AddCommand = (program, io, done) => {
  program
    .command('rehearse')
    .description('Runs an upgrade on real servers on this machine, and checks the result.')
    .argument('<scenario>', 'scenario in YAML, - for standard input, or builtin:name')
    .option('--dump <file>', 'dump of the legacy tokens to import; default: generated from the scenario')
    .option(
      '--time-scale <factor>',
      'factor for the waits of the schedule, but not for the interval between batches',
      scaleOption,
      1,
    )
    .option('--server <file>', 'main file of the server to start', SERVER_MAIN)
    .option('--json', 'print one JSON document')
    .option('--report <directory>', 'write rehearsal.html and rehearsal.json there')
    .option('--at <time>', 'time of day at which the schedule starts, for the report', timeOfDayOption)
    .addHelpText(
      'after',
      `
Starts a PostgreSQL for each datacenter and the servers of the scenario in a temporary directory, imports the tokens, runs
the schedule, calls the servers continuously as legacy and new clients do, and stops all processes at the end, also after
Ctrl-C. With DATABASE_URL set, one datacenter uses that database, which must be empty. Exits with 1 if a proof fails, and with 3 if all hold and
the simulation, which they confirm, says no-go.

Examples:
  $ latchkey-migrator rehearse cluster.yaml
  $ latchkey-migrator rehearse cluster.yaml --dump legacy-tokens.json --time-scale 0.1 --report report/`,
    )
    .action(async (path: string, options: Options) => {
      const { scenario, text } = await loadScenarioText(path, io)
      const dump = options.dump === undefined ? undefined : await readTokens(options.dump, io)
      const progress = createProgress(io)
      const rehearsal = await rehearse({
        scenario,
        tokens: dump?.tokens,
        refusedRecords: dump?.refused,
        serverMain: options.server,
        databaseUrl: io.env.DATABASE_URL,
        timeScale: options.timeScale,
        signal: io.signal,
        onProgress: progress.show,
      }).finally(progress.clear)
      if (options.report !== undefined) {
        const inputs = {
          scenarioText: hideSecrets(text, scenario),
          dumpHash: dump?.hash,
          startsAt: options.at,
        }
        const html = renderRehearsal(rehearsal, { ...inputs, replay: replayOf(path, options) })
        writeReport(options.report, 'rehearsal', { html, json: rehearsal })
      }
      await write(
        io.stdout,
        options.json
          ? `${visibleJson(JSON.stringify(rehearsal))}\n`
          : formatRehearsal(rehearsal, painterFor(io)),
      )
      if (rehearsal.verdict === 'failed') done(EXIT.failed)
      else done(rehearsal.simulated.verdict === 'no-go' ? EXIT.blockers : EXIT.done)
    })
}

function replayOf(path: string, { dump, timeScale }: Options): string {
  const tokens = dump === undefined ? '' : ` --dump ${shellQuote(dump)}`
  const scale = timeScale === 1 ? '' : ` --time-scale ${timeScale}`
  return `latchkey-migrator rehearse ${shellQuote(path)}${tokens}${scale}`
}

/** The tokens that can be imported, and the reasons why other records cannot. */
async function readTokens(
  path: string,
  io: Io,
): Promise<{
  readonly tokens: readonly LegacyToken[]
  readonly refused: readonly string[]
  readonly hash: string
}> {
  const seen = new Map<string, number>()
  const tokens: LegacyToken[] = []
  const refused: string[] = []
  let withAccessor = 0
  const { source, hash } = hashed(await openDump(path, io.stdin))
  for await (const group of readDump(source)) {
    for (const { position, value } of group) {
      // A token with an accessor needs no migration, and the legacy API cannot import it.
      if ('AccessorID' in value && 'Rules' in value) {
        withAccessor += 1
        continue
      }
      const { token, findings } = readLegacyRecord(value, { position, seen })
      if (!token)
        refused.push(...findings.flatMap((each) => (each.severity === 'error' ? [each.message] : [])))
      if (token) tokens.push(token)
    }
    if (tokens.length > TOKENS_MAX)
      throw new InputError(`a rehearsal takes at most ${TOKENS_MAX} tokens; simulate has no such limit`)
  }
  if (withAccessor > 0) {
    const text = `${counted(withAccessor, 'token')} of the dump already ${agrees(withAccessor, 'has an accessor and takes', 'have accessors and take')} no part in the rehearsal`
    await write(io.stderr, `${text}\n`)
  }
  return { tokens, refused, hash: hash() }
}

function scaleOption(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= 100)) throw new InvalidArgumentError('Write a factor above 0 and up to 100.')
  return value
}
