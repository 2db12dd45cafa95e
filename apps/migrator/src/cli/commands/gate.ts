import { InputError } from '../../errors.ts'
import { type Finding, sortFindings, verdictOf } from '../../findings/finding.ts'
import { type Condition, conditionsOf, holds } from '../../gate/conditions.ts'
import { type Document, findingSection, verdictMark } from '../../output/document.ts'
import { modelOf } from '../../output/result.ts'
import { UNREAD } from '../../plan/token-census.ts'
import { readTokens } from '../../scan/read-tokens.ts'
import { readServers } from '../../watch/observe.ts'
import { command, writeAnswer } from '../command.ts'
import { CONNECTION_HELP, countScanned, countTokens, openInput, openReader } from '../inputs.ts'
import { ANSWER, CONNECTION } from '../options.ts'

const EXAMPLES_MAX = 20

export const addGate = command({
  name: 'gate',
  about: 'Checks a running service before the point of no return: which conditions hold, and which do not.',
  options: ['url', 'target', 'next', 'dump', 'backupConfirmed', 'model', ...ANSWER, ...CONNECTION],
  notes: `Run it before the last old server is replaced: legacy mode then ends by itself, and no server can go back to a version before
1.4.0. It only reads. Exits with 3 if a condition does not hold; --fail-on decides what counts. The model decides which dead
servers count.
${CONNECTION_HELP}`,
  examples: [
    'gate --url http://s1:8500 --to 1.8.7 --next s3 --backup-confirmed "alice, restored 21:10"',
    'gate --url http://s1:8500 --to 1.11 --json --out gate.json',
  ],
  run: async (options, io) => {
    const { url, target: to, next = [], dump, backupConfirmed: backup, model = 'service' } = options
    if (backup?.trim() === '')
      throw new InputError('--backup-confirmed is empty: say who, and which snapshot')
    const reader = await openReader({ ...options, from: url }, io)
    const servers = await readServers(reader)
    const widening = model === 'latchkey' ? 'comment-out' : 'keep'
    const counting = { widening, placesMax: EXAMPLES_MAX } as const
    const { census } = await countScanned(readTokens(reader, undefined), counting, io)
    const given = dump === undefined ? census : await countTokens(await openInput(dump, io), counting, io)
    const conditions = conditionsOf({
      ...{ servers, to, next, backup },
      model: modelOf(model),
      tokens: census.counts(),
      tokenFindings: [
        ...given.findings(),
        // The dump says nothing about what the service does not show.
        ...(given === census ? [] : census.findings().filter(({ id }) => id === UNREAD.id)),
      ],
    })
    const findings = sortFindings(conditions.flatMap((each) => each.findings))
    const json = {
      server: reader.name,
      to: to.text,
      verdict: verdictOf(findings),
      conditions: conditions.map((each) => ({ name: each.name, holds: holds(each), detail: each.detail })),
      findings,
    }
    return writeAnswer({ findings, document: gateDocument(conditions, findings), json }, options, io)
  },
})

function gateDocument(conditions: readonly Condition[], findings: readonly Finding[]): Document {
  const broken = conditions.filter((each) => !holds(each)).length
  return {
    title: 'Gate',
    verdict: verdictMark(verdictOf(findings)),
    lead: [
      broken === 0
        ? 'every condition holds'
        : `${broken} of ${conditions.length} conditions ${broken === 1 ? 'does' : 'do'} not hold`,
    ],
    sections: [
      {
        title: '',
        items: conditions.map((each) => ({
          mark: holds(each) ? { word: 'ok ', tone: 'good' } : { word: 'NO ', tone: 'bad' },
          text: `${each.name}${each.detail === '' ? '' : `: ${each.detail}`}`,
        })),
      },
      findingSection(findings),
    ],
  }
}
