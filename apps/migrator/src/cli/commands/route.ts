import type { ServiceVersion } from '@latchkey/contract'
import { openDump } from '../../dump/source.ts'
import { EXIT, InputError } from '../../errors.ts'
import { formatRoute } from '../../output/route-text.ts'
import { findDump, withDump } from '../../plan/dump-facts.ts'
import { writeReport } from '../../report/report.ts'
import { planRoute, runRoute } from '../../route/route.ts'
import type { ModelName, Scenario } from '../../scenario/scenario.ts'
import type { AddCommand } from '../add-command.ts'
import { addGateOptions, type GateOptions, loadAcceptances, writeAnswer } from '../gate-options.ts'
import { countTokens, loadScenario, secondsOption, versionOption } from '../inputs.ts'
import { type Io, painterFor } from '../io.ts'
import { modelOption, quote } from './simulate.ts'

interface Options extends GateOptions {
  readonly to: ServiceVersion
  readonly dump?: string
  readonly model?: ModelName
  readonly interval: number
  readonly downtime: number
  readonly pause: number
  readonly report?: string
}

export const addRoute: AddCommand = (program, io, done) => {
  addGateOptions(program.command('route'))
    .description(
      'Finds the versions to stop at between two versions, and simulates the upgrade from end to end.',
    )
    .argument(
      '<scenario>',
      'cluster as a scenario, - for standard input; the route begins at its `from` versions',
    )
    .requiredOption('--to <version>', 'target version', versionOption)
    .option('--dump <file>', 'read the legacy tokens from a dump, - for standard input')
    .option('--model <model>', 'service or latchkey', modelOption)
    .option('--interval <seconds>', 'between the replacements of two servers', secondsOption, 60)
    .option('--downtime <seconds>', 'how long a server is away while it is replaced', secondsOption, 5)
    .option('--pause <seconds>', 'time at a stop, after the cluster has settled', secondsOption, 600)
    .option('--report <directory>', 'write report.html, report.json and report.md there')
    .addHelpText(
      'after',
      `
The events of the scenario are not used: each leg replaces all servers one by one, the primary first and the leaders last.
At a stop the tokens with rules get policies, and every server writes a snapshot.

Examples:
  $ latchkey-migrator route cluster.yaml --to 1.11
  $ latchkey-migrator route cluster.yaml --to 1.11 --dump legacy-tokens.json --report report/
  $ latchkey-migrator route cluster.yaml --to 1.8.7 --interval 30 --json`,
    )
    .action(async (path: string, options: Options) => done(await route(path, options, io)))
}

async function route(path: string, options: Options, io: Io) {
  const { to, dump, interval, downtime, pause } = options
  if (path === '-' && dump === '-') {
    throw new InputError('only one of scenario and dump can come from standard input')
  }
  if (downtime >= interval) throw new InputError('--downtime must be shorter than --interval')
  const file = await loadScenario(path, io)
  const acceptances = await loadAcceptances(options)
  const given = { ...file, model: options.model ?? file.model }
  const widening = given.model === 'latchkey' ? 'comment-out' : 'keep'
  const census =
    dump === undefined
      ? undefined
      : await countTokens(await openDump(dump, io.stdin), { widening, placesMax: 20 }, io)
  const planned = planRoute(census === undefined ? given : withDump(given, census), {
    to,
    intervalMs: interval * 1_000,
    downtimeMs: downtime * 1_000,
    pauseMs: pause * 1_000,
    withRules:
      census === undefined ? undefined : census.counts().withRules + census.counts().withLegacyRights,
  })
  const { result, simulation } = runRoute(planned, {
    replay: replayOf(path, options, planned.scenario),
    extraFindings: census === undefined ? [] : findDump(planned.scenario, census),
    markAccepted: acceptances.mark,
  })
  if (options.report !== undefined) writeReport(options.report, simulation)
  const answer = {
    command: 'route',
    file: path,
    findings: result.simulation.findings,
    text: () => formatRoute(result, painterFor(io)),
    json: () => result,
    ...(dump === undefined ? {} : { dump }),
  }
  const code = await writeAnswer(answer, acceptances, options, io)
  return result.simulation.violations.length > 0 ? EXIT.failed : code
}

/** The command that reproduces the same bytes. */
function replayOf(path: string, options: Options, { model }: Scenario): string {
  const { to, dump, interval, downtime, pause } = options
  const tokens = dump === undefined ? '' : ` --dump ${quote(dump)}`
  const times = `--interval ${interval} --downtime ${downtime} --pause ${pause}`
  return `latchkey-migrator route ${quote(path)} --to ${to.text}${tokens} --model ${model} ${times} --json`
}
