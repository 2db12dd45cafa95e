import { visibleJson } from '@latchkey/contract'
import { openDump } from '../../dump/source.ts'
import { EXIT, type ExitCode, InputError } from '../../errors.ts'
import { withDump } from '../../plan/dump-facts.ts'
import { clockFrom, timeOfDayOption } from '../../report/clock.ts'
import { hashed, hideSecrets, type ReportInputs } from '../../report/inputs.ts'
import type { ConnectionOptions } from '../../scan/connection.ts'
import type { ModelName, Scenario } from '../../scenario/scenario.ts'
import { formatLive, formatProgress } from '../../watch/live-text.ts'
import { type Bounds, type Prediction, predict } from '../../watch/prediction.ts'
import { ServiceApi, ServiceSilent } from '../../watch/service-api.ts'
import { Watch, type WatchLine } from '../../watch/watch.ts'
import { renderWatch } from '../../watch/watch-page.ts'
import type { AddCommand } from '../add-command.ts'
import { addConnectionOptions, CONNECTION_HELP, openReader } from '../connection-options.ts'
import { countTokens, loadScenarioText, secondsOption } from '../inputs.ts'
import { createBlock, type Io, painterFor, write } from '../io.ts'
import { writeOutputFile } from '../output-file.ts'
import { modelOption, quote } from './simulate.ts'

interface Options extends Omit<ConnectionOptions, 'from'> {
  readonly url: readonly string[]
  readonly scenario?: string
  readonly dump?: string
  readonly model?: ModelName
  readonly at?: number
  readonly within?: number
  readonly report?: string
  readonly failOnAlarm?: true
  readonly json?: true
}

const INTERVAL_MS = 500
const HALF_DAY_SECONDS = 43_200

export const addWatch: AddCommand = (program, io, done) => {
  addConnectionOptions(program.command('watch'))
    .description(
      'Follows the upgrade of a running service, of any version, until every token has its accessor.',
    )
    .requiredOption('--url <url...>', 'a server, or several: the first that answers is asked')
    .option(
      '--scenario <file>',
      'compare with the prediction for this scenario, and raise an alarm if the upgrade exceeds it',
    )
    .option('--dump <file>', 'with --scenario: read the legacy tokens from a dump')
    .option('--model <model>', 'with --scenario: service or latchkey', modelOption)
    .option('--at <time>', 'time of day at which the schedule starts (default: now)', timeOfDayOption)
    .option('--within <seconds>', 'raise an alarm if the upgrade takes longer', secondsOption)
    .option('--report <file>', 'write an HTML page, and update it on every change')
    .option('--fail-on-alarm', 'end with 3 at the first alarm')
    .option('--json', 'print one JSON document per line, also on a terminal')
    .addHelpText(
      'after',
      `
Shows progress, servers and the way back on a terminal, otherwise one JSON document per line. It asks /v1/agent/members and
the token API, and only reads. Servers that restart are waited for. An alarm is a line on standard error that begins with
ALARM. Ctrl-C exits with 4: the upgrade continues without it, and the same command resumes the watch.
${CONNECTION_HELP}

Examples:
  $ latchkey-migrator watch --url http://127.0.0.1:8500 --token-file management.token
  $ latchkey-migrator watch --url http://s1:8500 http://s2:8500 --scenario cluster.yaml --at 22:00 --report day.html
  $ latchkey-migrator watch --url http://127.0.0.1:8500 --within 600 --fail-on-alarm`,
    )
    .action(async (options: Options) => done(await watch(options, io)))
}

async function watch(options: Options, io: Io): Promise<ExitCode> {
  const readers = await Promise.all(options.url.map((from) => openReader({ ...options, from }, io)))
  const apis = readers.map((reader) => new ServiceApi(reader))
  const { prediction, inputs } = await loadPrediction(options, io)
  const startedAt = startOf(options.at, new Date())
  const clock = clockFrom(secondsOfDay(new Date(startedAt)))
  const watching = new Watch({
    apis,
    startedAt,
    prediction,
    bounds: boundsOf(options, prediction),
    time: clock.time,
    intervalMs: INTERVAL_MS,
    signal: io.signal,
  })
  const block = createBlock(io)
  const isLive = io.stdout.isTTY === true && io.stderr.isTTY === true && !options.json
  const told = new Set<string>()
  const show = async (line: WatchLine) => {
    if (!isLive) await write(io.stdout, `${visibleJson(JSON.stringify(line))}\n`)
    else
      block.show(
        formatLive(line, { prediction, measured: watching.chart(), time: clock.time, paint: painterFor(io) }),
      )
    if (options.report !== undefined) {
      const replay = replayOf(options)
      const facts = { watch: watching, prediction, clock, inputs: { ...inputs, replay } }
      writeOutputFile(options.report, renderWatch(line, facts))
    }
  }
  try {
    for await (const line of watching.lines()) {
      await show(line)
      for (const { kind, text } of line.alarms) {
        if (told.has(kind)) continue
        told.add(kind)
        block.clear()
        await write(io.stderr, `ALARM ${kind}: ${text}\n`)
      }
      if (told.size > 0 && options.failOnAlarm) return EXIT.blockers
      if (line.state === 'done' && isLive) {
        block.clear()
        await write(io.stdout, `${formatProgress(line)}\n`)
      }
    }
    return EXIT.done
  } catch (error) {
    if (io.signal.aborted) {
      block.clear()
      await write(io.stderr, 'interrupted; the upgrade continues, and the same command resumes the watch\n')
      return EXIT.resumable
    }
    if (error instanceof ServiceSilent) {
      throw new InputError(error.message, { place: { file: apis[0]?.address ?? '' }, exitCode: EXIT.failed })
    }
    throw error
  } finally {
    block.clear()
  }
}

async function loadPrediction(
  { scenario: path, dump, model }: Options,
  io: Io,
): Promise<{ readonly prediction: Prediction | undefined; readonly inputs: ReportInputs }> {
  if (path === undefined) {
    if (dump !== undefined) throw new InputError('--dump needs a --scenario to predict from')
    return { prediction: undefined, inputs: {} }
  }
  const { scenario: file, text } = await loadScenarioText(path, io)
  const given: Scenario = { ...file, model: model ?? file.model }
  const scenarioText = hideSecrets(text, file)
  if (dump === undefined) return { prediction: predict(given), inputs: { scenarioText } }
  const { source, hash } = hashed(await openDump(dump, io.stdin))
  const widening = given.model === 'latchkey' ? 'comment-out' : 'keep'
  const census = await countTokens(source, { widening, placesMax: 0 }, io)
  return { prediction: predict(withDump(given, census)), inputs: { scenarioText, dumpHash: hash() } }
}

/** The operator's bound takes precedence over the predicted ones. */
function boundsOf({ within }: Options, prediction: Prediction | undefined): Bounds | undefined {
  if (within === undefined) return prediction?.bounds
  return { newModeMs: within * 1_000, accessorsMs: within * 1_000, source: '--within' }
}

/** The nearest instant with this time of day, past or future: at 00:10, a schedule of 23:50 started 20 minutes ago. */
function startOf(at: number | undefined, now: Date): number {
  if (at === undefined) return now.getTime()
  const ahead = at - secondsOfDay(now)
  const days = ahead > HALF_DAY_SECONDS ? -1 : ahead < -HALF_DAY_SECONDS ? 1 : 0
  const start = new Date(now)
  start.setDate(start.getDate() + days)
  start.setHours(0, 0, at, 0)
  return start.getTime()
}

function secondsOfDay(date: Date): number {
  return date.getHours() * 3_600 + date.getMinutes() * 60 + date.getSeconds()
}

function replayOf({ url, scenario, dump }: Options): string {
  const given = [
    ...(scenario === undefined ? [] : ['--scenario', quote(scenario)]),
    ...(dump === undefined ? [] : ['--dump', quote(dump)]),
  ]
  return ['latchkey-migrator watch --url', ...url.map(quote), ...given].join(' ')
}
