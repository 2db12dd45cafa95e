/** The report as Markdown, for a wiki or a change request. */
import type { SimulationResult } from '../output/result.ts'
import type { Simulation } from '../output/run-simulation.ts'
import { foldBatches } from './html.ts'

const EVENTS_MAX = 200

export function renderMarkdown({ result }: Simulation): string {
  const { verdict, scenario, reasons, model, seed, endedAt } = result
  return [
    `# ${verdict}: ${cell(scenario)}`,
    '',
    ...(reasons.length === 0 ? ['Nothing blocks the upgrade.'] : reasons.map((each) => `- ${each}`)),
    '',
    `Model ${model}, seed ${seed}, ends at ${endedAt} s.`,
    '',
    '## Servers',
    '',
    ...table(
      ['server', 'datacenter', 'version', 'new mode at (s)'],
      [...Object.entries(result.servers)].map(([id, each]) => [
        id,
        each.datacenter,
        each.version ?? 'down',
        String(each.newModeAt ?? 'never'),
      ]),
    ),
    '',
    '## Accessors',
    '',
    ...table(
      ['datacenter', 'tokens', 'batches', 'first batch (s)', 'last batch (s)', 'without accessor at the end'],
      Object.entries(result.migration).map(([name, each]) => [
        name,
        String(each.tokens),
        String(each.batches),
        String(each.firstBatchAt ?? '–'),
        String(each.lastBatchAt ?? '–'),
        String(each.remaining),
      ]),
    ),
    '',
    ...clientSection(result),
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
            each.avoid,
          ]),
        )),
    '',
    '## Events',
    '',
    ...eventSection(result),
    '',
    '## Replay',
    '',
    '```',
    result.replay,
    '```',
    '',
  ].join('\n')
}

function clientSection({ clients }: SimulationResult): string[] {
  const kinds = Object.entries(clients)
  if (kinds.length === 0) return []
  const rows = kinds.map(([kind, { count, first, last, status, text }]) => [
    `\`${kind}\``,
    String(count),
    String(first),
    String(last),
    `${status ?? ''} ${text}`.trim(),
  ])
  return ['## What clients see', '', ...table(['kind', 'calls', 'first (s)', 'last (s)', 'answer'], rows), '']
}

function eventSection({ timeline }: SimulationResult): string[] {
  const entries = foldBatches(timeline)
  const rows = entries
    .slice(0, EVENTS_MAX)
    .map((each) => [String(each.at), each.kind, each.server ?? each.datacenter ?? '', each.detail])
  const rest = entries.length - EVENTS_MAX
  return [
    ...table(['at (s)', 'event', 'where', 'detail'], rows),
    ...(rest > 0 ? ['', `And ${rest} more.`] : []),
  ]
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
