import type { ServiceVersion } from '@latchkey/contract'
import { openDump } from '../../dump/source.ts'
import { EXIT, InputError } from '../../errors.ts'
import { counted } from '../../findings/finding.ts'
import { checkTraffic, TrafficCheck, type TrafficResult } from '../../traffic/check-traffic.ts'
import { abortable } from '../abortable.ts'
import type { AddCommand } from '../add-command.ts'
import { versionOption } from '../inputs.ts'
import { type Io, painterFor, write } from '../io.ts'

interface Options {
  readonly to: ServiceVersion
  readonly json?: true
}

export const addCheckTraffic: AddCommand = (program, io, done) => {
  program
    .command('check-traffic')
    .description('Reads an access log and lists the calls that will break at a version, by caller.')
    .argument(
      '<log>',
      "access log: this server's JSON lines, or common or combined format; - for standard input",
    )
    .requiredOption('--to <version>', 'version to come', versionOption)
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      `
Ends with 3 where calls break. Paths are shown with the names of their parameters: a legacy path carries a secret.

Examples:
  $ latchkey-migrator check-traffic access.log --to 1.11
  $ zcat access.log.*.gz | latchkey-migrator check-traffic - --to 1.11 --json`,
    )
    .action(async (log: string, { to, json }: Options) => {
      const source = await openDump(log, io.stdin)
      const check = new TrafficCheck(to)
      await checkTraffic(abortable(source.chunks, io.signal), check)
      const result = check.result()
      if (result.calls === 0) {
        throw new InputError(
          `no access was found in ${result.skipped} lines: expected JSON lines, or common or combined format`,
          { place: { file: source.name }, exitCode: EXIT.failed },
        )
      }
      await write(io.stdout, json ? `${JSON.stringify(result)}\n` : format(result, io))
      done(result.broken.some((each) => each.breaks) ? EXIT.blockers : EXIT.done)
    })
}

function format({ to, calls, skipped, broken }: TrafficResult, io: Io): string {
  const paint = painterFor(io)
  const head = `${counted(calls, 'call')}, ${counted(skipped, 'other line')}, against version ${to}\n`
  if (broken.length === 0) return `${head}${paint('green', 'nothing breaks')}\n`
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
  return `${head}\n${blocks.join('\n\n')}\n`
}
