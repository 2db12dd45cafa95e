import type { ServiceVersion } from '@latchkey/contract'
import { InvalidArgumentError } from 'commander'
import { openDump } from '../../dump/source.ts'
import { EXIT, InputError } from '../../errors.ts'
import { counted } from '../../findings/finding.ts'
import { checkTraffic, isReadEnough, TrafficCheck, type TrafficResult } from '../../traffic/check-traffic.ts'
import { findTraffic } from '../../traffic/traffic-findings.ts'
import { abortable } from '../abortable.ts'
import type { AddCommand } from '../add-command.ts'
import { addGateOptions, type GateOptions, loadAcceptances, writeAnswer } from '../gate-options.ts'
import { versionOption } from '../inputs.ts'
import { type Io, painterFor } from '../io.ts'

interface Options extends GateOptions {
  readonly to: ServiceVersion
  readonly from?: ServiceVersion
  readonly logFormat?: RegExp
}

export const addCheckTraffic: AddCommand = (program, io, done) => {
  addGateOptions(program.command('check-traffic'))
    .description('Reads an access log and lists the calls that break at a version, by caller.')
    .argument(
      '<log>',
      "access log: this server's, the legacy service's own, nginx, Apache, HAProxy, Envoy or Caddy; - for standard input",
    )
    .requiredOption('--to <version>', 'target version', versionOption)
    .option('--from <version>', 'current version: what is already so there is not listed', versionOption)
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
  $ zcat access.log.*.gz | latchkey-migrator check-traffic - --to 1.11 --json`,
    )
    .action(async (log: string, options: Options) => {
      const { to } = options
      const acceptances = await loadAcceptances(options)
      const source = await openDump(log, io.stdin)
      const check = new TrafficCheck(to, { from: options.from, format: options.logFormat })
      await checkTraffic(abortable(source.chunks, io.signal), check)
      const result = check.result()
      if (result.calls === 0) {
        throw new InputError(
          `no call found in ${counted(result.skipped + result.unread, 'line')}: expected a log of this server, of the legacy service, or of nginx, Apache, HAProxy, Envoy or Caddy; --log-format reads others`,
          { place: { file: source.name }, exitCode: EXIT.failed },
        )
      }
      const answer = {
        command: 'check-traffic',
        file: log,
        findings: acceptances.mark(findTraffic(result)),
        text: () => format(result, io),
        json: () => result,
      }
      const code = await writeAnswer(answer, acceptances, options, io)
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

function patternOption(text: string): RegExp {
  try {
    const pattern = new RegExp(text)
    if (/\(\?<method>/.test(text) && /\(\?<path>/.test(text)) return pattern
  } catch {
    // Refused below.
  }
  throw new InvalidArgumentError('Write a regular expression with the groups (?<method>…) and (?<path>…).')
}
