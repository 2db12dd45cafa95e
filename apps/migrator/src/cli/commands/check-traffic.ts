import { changesBetween, type VersionChange } from '@latchkey/contract'
import { EXIT } from '../../errors.ts'
import { counted } from '../../findings/finding.ts'
import type { Document } from '../../output/document.ts'
import {
  checkTraffic,
  findBroken,
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
    "access log, also compressed with gzip: this server's, the legacy service's, a proxy's or a collector's; - for standard input",
  ],
  options: ['target', 'since', 'logFormat', ...ANSWER],
  notes: `Finds method and path anywhere in a line. Exits with 3 if calls break, and with 5 (cannot tell) if more than 1 % of the lines
could not be read, or there are no calls; it then shows the shape of such lines. Paths show the names of their parameters instead of values: a legacy path carries a secret.`,
  examples: [
    'check-traffic access.log --to 1.11',
    'check-traffic access.log --from 1.3.1 --to 1.8.7',
    'check-traffic - --to 1.11 --json < access.log',
  ],
  run: async ({ target: to, since: from, logFormat: format, ...options }, io, log) => {
    const changes = from === undefined ? [] : changesBetween(from, to)
    const source = await openInput(log, io)
    const check = new TrafficCheck(to, { from, format })
    await checkTraffic(source, check)
    const result = check.result()
    const document = trafficDocument(result, changes)
    const answer = {
      findings: findBroken(result),
      document,
      json: { ...result, outcome: outcomeOf(result), changes },
    }
    const code = await writeAnswer(answer, options, io)
    return code === EXIT.done && !isReadEnough(result) ? EXIT.unknown : code
  },
})

function outcomeOf(result: TrafficResult) {
  if (result.broken.some(({ breaks }) => breaks)) return 'breaks'
  return isReadEnough(result) ? 'nothing breaks' : 'cannot tell'
}

function trafficDocument(result: TrafficResult, changes: readonly VersionChange[]): Document {
  const { to, calls, skipped, unread, unreadSamples, broken } = result
  return {
    title: 'Traffic',
    lead: [
      `${counted(calls, 'call')}, ${counted(skipped, 'other line')}, against version ${to}`,
      ...(unread === 0
        ? []
        : [`${counted(unread, 'line')} could not be read; --log-format reads other forms`]),
      ...(isReadEnough(result)
        ? broken.length === 0
          ? ['nothing breaks']
          : []
        : [
            `cannot tell whether anything ${broken.length === 0 ? '' : 'else '}breaks: ${whyUnknown(result)}`,
          ]),
    ],
    sections: [
      {
        title: 'Lines that could not be read (x for a letter, 9 for a digit)',
        items: unreadSamples.map(({ line, shape }) => `line ${line}: ${shape}`),
      },
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

function whyUnknown({ unread }: TrafficResult): string {
  if (unread > 0) return 'more than 1 % of the lines could not be read'
  return 'the log has no calls; the legacy service logs all calls at level debug, but only refused ones by default'
}

function changeItem({ at, breaksClients, sentence, clientSees, specRow, decidedBy }: VersionChange) {
  const decides = decidedBy === 'both' ? 'agent and server' : `the ${decidedBy}`
  return {
    text: `${breaksClients ? '! ' : ''}${at}: ${sentence}`,
    more: [`clients: ${clientSees}`, `spec ${specRow}, decided by ${decides}`],
  }
}
