import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readLegacyRecord } from '@latchkey/acl'
import type { LegacyToken } from '@latchkey/contract'
import { shellQuote } from '../../convert/files/commands.ts'
import { readDump } from '../../dump/read-dump.ts'
import { EXIT, InputError } from '../../errors.ts'
import { agrees, counted } from '../../findings/finding.ts'
import { rehearsalDocument } from '../../output/rehearsal-document.ts'
import { type MachineTimes, machineTimesSchema } from '../../rehearse/proof/beforehand.ts'
import { rehearse } from '../../rehearse/rehearsal.ts'
import { command, writeAnswer } from '../command.ts'
import { loadScenario, openInput } from '../inputs.ts'
import { createProgress, type Io, write } from '../io.ts'
import { makeOutputDirectory, writeOutputFile } from '../output-file.ts'
import { hashed, hideSecrets, writeReport } from '../report.ts'

const TOKENS_MAX = 100_000

export const addRehearse = command({
  name: 'rehearse',
  about: 'Runs an upgrade on real servers on this machine, and checks the result.',
  argument: ['<scenario>', 'scenario in YAML, - for standard input, or builtin:name'],
  options: ['dump', 'timeScale', 'server', 'json', 'report', 'at'],
  notes: `Starts a PostgreSQL for each datacenter and the servers of the scenario in a temporary directory, imports the tokens, runs
the schedule, calls the servers continuously as legacy and new clients do, and stops all processes at the end, also after
Ctrl-C. It never uses DATABASE_URL. Without a dump, the scenario describes the tokens. It keeps how long starts and batches take
on this machine in $LATCHKEY_DATA_DIR (default .latchkey), and predicts the next rehearsal with these times.
Exits with 1 if a proof fails, and with 3 if all hold and the simulation, which they confirm, says no-go.`,
  examples: [
    'rehearse cluster.yaml',
    'rehearse cluster.yaml --dump legacy-tokens.json --time-scale 0.1 --report report/',
  ],
  run: async (options, io, path) => {
    const { timeScale } = options
    const { scenario, text } = await loadScenario(path, io)
    const dump = options.dump === undefined ? undefined : await readTokens(options.dump, io)
    const timesFile = join(io.env.LATCHKEY_DATA_DIR ?? '.latchkey', 'rehearsal-times.json')
    const progress = createProgress(io)
    const rehearsal = await rehearse({
      scenario,
      tokens: dump?.tokens,
      refusedRecords: dump?.refused,
      serverMain: options.server,
      timeScale,
      times: readTimes(timesFile),
      signal: io.signal,
      onProgress: progress.show,
    }).finally(progress.clear)
    if (rehearsal.verdict === 'proved') await keepTimes(timesFile, rehearsal.times, io)
    const tokens = options.dump === undefined ? '' : ` --dump ${shellQuote(options.dump)}`
    const scale = timeScale === 1 ? '' : ` --time-scale ${timeScale}`
    const replay = `latchkey-migrator rehearse ${shellQuote(path)}${tokens}${scale}`
    const document = rehearsalDocument(rehearsal, { replay, dumpHash: dump?.hash, startsAt: options.at })
    if (options.report !== undefined) {
      const scenarioText = hideSecrets(text, scenario)
      writeReport(`${options.report}/rehearsal`, { document, json: rehearsal, scenarioText })
    }
    await writeAnswer({ document, json: rehearsal }, options, io)
    if (rehearsal.verdict === 'failed') return EXIT.failed
    return rehearsal.simulated.verdict === 'no-go' ? EXIT.blockers : EXIT.done
  },
})

/** A file that is missing or damaged counts as none: this rehearsal writes it again. */
function readTimes(path: string): MachineTimes | undefined {
  try {
    return machineTimesSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}

async function keepTimes(path: string, times: MachineTimes, io: Io): Promise<void> {
  try {
    makeOutputDirectory(dirname(path))
    writeOutputFile(path, `${JSON.stringify(times, null, 2)}\n`)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    await write(io.stderr, `the times of this machine are not kept: ${error.message}\n`)
  }
}

async function readTokens(path: string, io: Io) {
  const seen = new Map<string, number>()
  const tokens: LegacyToken[] = []
  const refused: string[] = []
  let withAccessor = 0
  const { source, hash } = hashed(await openInput(path, io))
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
