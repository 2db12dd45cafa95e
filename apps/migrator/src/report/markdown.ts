/** The report as Markdown, for a wiki or a change request. */
import { PRODUCT_VERSION } from '@latchkey/contract'
import { acceptedText } from '../findings/finding.ts'
import type { SimulationResult } from '../output/result.ts'
import { formatTime, windowText } from '../scenario/time.ts'
import { lostText, whenText } from './checklist.ts'
import { spanText } from './clock.ts'
import { foldBatches } from './events.ts'
import type { ReportFacts } from './facts.ts'
import { formatCount } from './markup.ts'

const EVENTS_MAX = 200

export function renderMarkdown(facts: ReportFacts): string {
  const { result } = facts.simulation
  const { verdict, scenario, model, seed, endedAt } = result
  return [
    `# ${verdict}: ${cell(scenario)}`,
    '',
    ...facts.summary.map((each) => `- ${each}`),
    '',
    ...facts.problems.flatMap(problemLines),
    `Model ${model}, seed ${seed}, ends at ${formatTime(endedAt)}.`,
    '',
    ...stepSection(facts),
    '## Servers',
    '',
    ...table(
      ['server', 'datacenter', 'version', 'new mode at'],
      [...Object.entries(result.servers)].map(([id, each]) => [
        id,
        each.datacenter,
        each.version ?? 'down',
        each.newModeAt === null ? 'never' : formatTime(each.newModeAt),
      ]),
    ),
    '',
    '## Accessors',
    '',
    ...table(
      ['datacenter', 'tokens', 'batches', 'first batch', 'over', 'without an accessor at the end'],
      Object.entries(result.migration).map(([name, each]) => {
        const replicated = result.replication[name]
        const timeOf = (at: number | null | undefined) => (at == null ? '–' : formatTime(at))
        return [
          name,
          String(each.tokens + (replicated?.tokens ?? 0)),
          replicated === undefined ? String(each.batches) : 'by replication',
          timeOf(each.firstBatchAt),
          timeOf(replicated === undefined ? each.lastBatchAt : replicated.completeAt),
          String(each.remaining),
        ]
      }),
    ),
    '',
    ...clientSection(facts),
    '## Findings',
    '',
    ...(result.findings.length === 0
      ? ['None.']
      : table(
          ['severity', 'finding', 'count', 'what happens', 'how to avoid it'],
          result.findings.map((each) => [
            each.severity,
            `\`${each.id}\``,
            String(each.count),
            each.detail,
            each.accepted ? acceptedText(each.accepted) : each.avoid,
          ]),
        )),
    '',
    '## Events',
    '',
    ...eventSection(result),
    '',
    ...inputSection(facts),
    '## Replay',
    '',
    '```',
    result.replay,
    '```',
    '',
  ].join('\n')
}

function problemLines({ title, finding, whom, when }: ReportFacts['problems'][number]): string[] {
  const lines = [
    ['What', finding.detail],
    ['For whom', whom],
    ['When', when],
    ['What to do', finding.avoid],
  ] as const
  return [
    `### ${title}`,
    '',
    ...lines.flatMap(([name, text]) => (text === '' ? [] : [`- ${name}: ${text}`])),
    '',
  ]
}

function stepSection({ steps, ways, clock }: ReportFacts): string[] {
  const items = steps.flatMap((step) => {
    const when = whenText(step, clock)
    return [
      `- [ ] ${when === '' ? '' : `**${when}** `}${step.text}`,
      ...step.parts.map(
        ({ name, at }) => `  - [ ] ${at === null ? 'never' : clock.time(at * 1_000)} ${name}`,
      ),
    ]
  })
  const rows = ways.map((way) => [
    `${way.title} (${way.datacenter})`,
    spanText(way, clock),
    way.isOpen ? 'open' : 'snapshot only',
    way.how,
    lostText(way, clock),
  ])
  const back =
    rows.length === 0
      ? []
      : ['## The way back', '', ...table(['phase', 'when', 'way back', 'how', 'what is lost'], rows), '']
  return ['## Steps', '', ...items, '', ...back]
}

function clientSection({ totals, clock }: ReportFacts): string[] {
  if (totals.length === 0) return []
  const rows = totals.map(({ name, kind, calls, errors, odd, first, last, answers }) => [
    `${name} (${kind})`,
    formatCount(calls),
    formatCount(errors),
    formatCount(odd),
    first === undefined || last === undefined ? '–' : windowText(first, last, clock.time),
    answers.map(({ kind: key, count, text }) => `${formatCount(count)} × \`${key}\` ${text}`).join('; '),
  ])
  return [
    '## Clients',
    '',
    ...table(['client', 'calls', 'errors', 'unexpected', 'between', 'answers'], rows),
    '',
  ]
}

/** The scenario as an indented block, in which any text is safe. */
function inputSection({ inputs }: ReportFacts): string[] {
  const { scenarioText, dumpHash } = inputs
  return [
    '## Inputs',
    '',
    `- latchkey-migrator ${PRODUCT_VERSION}`,
    ...(dumpHash === undefined ? [] : [`- dump, SHA-256: \`${dumpHash}\``]),
    '',
    ...(scenarioText === undefined
      ? []
      : [
          ...scenarioText
            .trimEnd()
            .split('\n')
            .map((each) => `    ${each}`),
          '',
        ]),
  ]
}

function eventSection({ timeline }: SimulationResult): string[] {
  const entries = foldBatches(timeline)
  const rows = entries
    .slice(0, EVENTS_MAX)
    .map((each) => [formatTime(each.at), each.kind, each.server ?? each.datacenter ?? '', each.detail])
  const rest = entries.length - EVENTS_MAX
  return [...table(['at', 'event', 'where', 'detail'], rows), ...(rest > 0 ? ['', `And ${rest} more.`] : [])]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)]
}

function line(cells: readonly string[]): string {
  return `| ${cells.map(cell).join(' | ')} |`
}

/** Escapes a text for a table cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
}
