import { changesBetween, type ServiceVersion, type VersionChange } from '@latchkey/contract'
import { InvalidArgumentError } from 'commander'
import { openDump } from '../../dump/source.ts'
import { EXIT, InputError } from '../../errors.ts'
import { counted } from '../../findings/finding.ts'
import { checkTraffic, isReadEnough, TrafficCheck, type TrafficResult } from '../../traffic/check-traffic.ts'
import { findTraffic } from '../../traffic/traffic-findings.ts'
import { abortable } from '../abortable.ts'
import { type AnswerOptions, addAnswerOptions, writeAnswer } from '../answer-options.ts'
import { versionOption } from '../inputs.ts'
import { type AddCommand, type Io, painterFor } from '../io.ts'

interface Options extends AnswerOptions {
  readonly to: ServiceVersion
  readonly from?: ServiceVersion
  readonly logFormat?: RegExp
}

export const addCheckTraffic: AddCommand = (program, io, done) => {
  addAnswerOptions(program.command('check-traffic'))
    .description(
      'Reads an access log and lists the calls that break at a version, by caller, and what changes until then.',
    )
    .argument(
      '<log>',
      "access log: this server's, the legacy service's own, nginx, Apache, HAProxy, Envoy or Caddy; - for standard input",
    )
    .requiredOption('--to <version>', 'target version', versionOption)
    .option(
      '--from <version>',
      'current version: calls that already break there are not listed, and every change since is',
      versionOption,
    )
    .option(
      '--log-format <pattern>',
      'regular expression for another form, with the groups method and path, and perhaps client, status, time, agent',
      patternOption,
    )
    .addHelpText(
      'after',
      `
Exits with 3 if calls break. Paths show the names of their parameters instead of values: a legacy path carries a secret.

Examples:
  $ latchkey-migrator check-traffic access.log --to 1.11
  $ latchkey-migrator check-traffic access.log --from 1.3.1 --to 1.8.7
  $ zcat access.log.*.gz | latchkey-migrator check-traffic - --to 1.11 --json`,
    )
    .action(async (log: string, options: Options) => {
      const { from, to } = options
      const changes = from === undefined ? [] : changesBetween(from, to)
      const source = await openDump(log, io.stdin)
      const check = new TrafficCheck(to, { from, format: options.logFormat })
      await checkTraffic(abortable(source.chunks, io.signal), check)
      const result = check.result()
      if (result.calls === 0) {
        throw new InputError(
          `no call found in ${counted(result.skipped + result.unread, 'line')}: expected a log of this server, of the legacy service, or of nginx, Apache, HAProxy, Envoy or Caddy; --log-format reads others`,
          { place: { file: source.name }, exitCode: EXIT.failed },
        )
      }
      const answer = {
        findings: findTraffic(result),
        text: () => format(result, io) + formatChanges(changes),
        json: () => ({ ...result, changes }),
      }
      const code = await writeAnswer(answer, options, io)
      done(code === EXIT.done && !isReadEnough(result) ? EXIT.failed : code)
    })
}

function format({ to, calls, skipped, unread, broken }: TrafficResult, io: Io): string {
  const paint = painterFor(io)
  const head = `${counted(calls, 'call')}, ${counted(skipped, 'other line')}, against version ${to}\n`
  const rest =
    unread === 0
      ? ''
      : `${paint('yellow', `${counted(unread, 'line')} could not be read`)}; --log-format reads other forms\n`
  if (broken.length === 0) {
    const isKnown = isReadEnough({ calls, unread })
    return `${head}${rest}${isKnown ? paint('green', 'nothing breaks') : paint('red', 'unknown whether anything breaks')}\n`
  }
  const blocks = broken.map((each) => {
    const word = each.breaks ? paint('red', 'breaks') : paint('yellow', 'may surprise')
    const seen = each.firstSeen === null ? '' : `, ${each.firstSeen} to ${each.lastSeen}`
    const clients = each.topClients.map(
      ({ client, count, userAgent }) =>
        `    ${client}: ${count}${userAgent === null ? '' : ` (${userAgent})`}`,
    )
    return [
      `${paint('bold', each.call)}  ${word}: ${counted(each.count, 'call')} of ${counted(each.clients, 'client')}${seen}`,
      `  ${each.what}`,
      `  instead: ${each.replacement}`,
      ...clients,
    ].join('\n')
  })
  return `${head}${rest}\n${blocks.join('\n\n')}\n`
}

/** One paragraph per change of the versions in between. Changes that can break clients are marked. */
function formatChanges(changes: readonly VersionChange[]): string {
  if (changes.length === 0) return ''
  const blocks = changes.map(
    ({ at, breaksClients, sentence, clientSees, specRow, decidedBy }) =>
      `${breaksClients ? '!' : ' '} ${at}: ${sentence}\n    clients: ${clientSees}\n    spec ${specRow}, decided by ${decidedBy === 'both' ? 'agent and server' : `the ${decidedBy}`}`,
  )
  return `\nWhat changes (! can break clients)\n${blocks.join('\n')}\n`
}

function patternOption(text: string): RegExp {
  try {
    const pattern = new RegExp(text)
    if (/\(\?<method>/.test(text) && /\(\?<path>/.test(text)) return pattern
  } catch {
    // Refused below.
  }
  throw new InvalidArgumentError('Write a regular expression with the groups (?<method>…) and (?<path>…).')
}
