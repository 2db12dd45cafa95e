import { changesBetween, type VersionChange } from '@latchkey/contract'
import { EXIT, InputError } from '../../errors.ts'
import { counted } from '../../findings/finding.ts'
import { checkTraffic, isReadEnough, TrafficCheck, type TrafficResult } from '../../traffic/check-traffic.ts'
import { findTraffic } from '../../traffic/traffic-findings.ts'
import { command, writeAnswer } from '../command.ts'
import { openInput } from '../inputs.ts'
import type { Paint } from '../io.ts'
import { ANSWER } from '../options.ts'

export const addCheckTraffic = command({
  name: 'check-traffic',
  about:
    'Reads an access log and lists the calls that break at a version, by caller, and what changes until then.',
  argument: [
    '<log>',
    "access log: this server's, the legacy service's own, nginx, Apache, HAProxy, Envoy or Caddy; - for standard input",
  ],
  options: ['target', 'since', 'logFormat', ...ANSWER],
  notes:
    'Exits with 3 if calls break. Paths show the names of their parameters instead of values: a legacy path carries a secret.',
  examples: [
    'check-traffic access.log --to 1.11',
    'check-traffic access.log --from 1.3.1 --to 1.8.7',
    'check-traffic - --to 1.11 --json < access.log',
  ],
  run: async ({ target: to, since: from, logFormat: format, ...options }, io, log) => {
    const changes = from === undefined ? [] : changesBetween(from, to)
    const source = await openInput(log, io)
    const check = new TrafficCheck(to, { from, format })
    await checkTraffic(source.chunks, check)
    const result = check.result()
    if (result.calls === 0) {
      throw new InputError(
        `no call found in ${counted(result.skipped + result.unread, 'line')}: expected a log of this server, of the legacy service, or of nginx, Apache, HAProxy, Envoy or Caddy; --log-format reads others`,
        { place: { file: source.name }, exitCode: EXIT.failed },
      )
    }
    const text = (paint: Paint) => formatTraffic(result, paint) + formatChanges(changes)
    const answer = { findings: findTraffic(result), text, json: { ...result, changes } }
    const code = await writeAnswer(answer, options, io)
    return code === EXIT.done && !isReadEnough(result) ? EXIT.failed : code
  },
})

function formatTraffic({ to, calls, skipped, unread, broken }: TrafficResult, paint: Paint): string {
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
