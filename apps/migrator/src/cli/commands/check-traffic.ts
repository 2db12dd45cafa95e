import { changesBetween, type VersionChange } from '@latchkey/contract'
import { EXIT, InputError } from '../../errors.ts'
import { counted } from '../../findings/finding.ts'
import type { Document } from '../../output/document.ts'
import {
  checkTraffic,
  findTraffic,
  isReadEnough,
  TrafficCheck,
  type TrafficResult,
} from '../../traffic/check-traffic.ts'
import { command, writeAnswer } from '../command.ts'
import { openInput } from '../inputs.ts'
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
    const document = trafficDocument(result, changes)
    const answer = { findings: findTraffic(result), document, json: { ...result, changes } }
    const code = await writeAnswer(answer, options, io)
    return code === EXIT.done && !isReadEnough(result) ? EXIT.failed : code
  },
})

function trafficDocument(result: TrafficResult, changes: readonly VersionChange[]): Document {
  const { to, calls, skipped, unread, broken } = result
  const outcome = isReadEnough(result) ? 'nothing breaks' : 'unknown whether anything breaks'
  return {
    title: 'Traffic',
    lead: [
      `${counted(calls, 'call')}, ${counted(skipped, 'other line')}, against version ${to}`,
      ...(unread === 0
        ? []
        : [`${counted(unread, 'line')} could not be read; --log-format reads other forms`]),
      ...(broken.length === 0 ? [outcome] : []),
    ],
    sections: [
      {
        title: 'Calls',
        items: broken.map((each) => ({
          mark: each.breaks
            ? { word: 'breaks', tone: 'bad' as const }
            : { word: 'may surprise', tone: 'care' as const },
          text: `${each.call}: ${counted(each.count, 'call')} of ${counted(each.clients, 'client')}${each.firstSeen === null ? '' : `, ${each.firstSeen} to ${each.lastSeen}`}`,
          more: [
            each.what,
            `instead: ${each.replacement}`,
            ...each.topClients.map(
              ({ client, count, userAgent }) =>
                `${client}: ${count}${userAgent === null ? '' : ` (${userAgent})`}`,
            ),
          ],
        })),
      },
      { title: 'What changes (! can break clients)', items: changes.map(changeItem) },
    ],
  }
}

function changeItem({ at, breaksClients, sentence, clientSees, specRow, decidedBy }: VersionChange) {
  const decides = decidedBy === 'both' ? 'agent and server' : `the ${decidedBy}`
  return {
    text: `${breaksClients ? '! ' : ''}${at}: ${sentence}`,
    more: [`clients: ${clientSees}`, `spec ${specRow}, decided by ${decides}`],
  }
}
