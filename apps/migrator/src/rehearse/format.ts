/** A rehearsal for people: text for the terminal, Markdown and a page for the file. */
import type { Paint } from '../cli/io.ts'
import { escapeHtml, section } from '../report/markup.ts'
import { STYLE } from '../report/style.ts'
import type { Rehearsal } from './rehearsal.ts'

export function formatRehearsal(rehearsal: Rehearsal, paint: Paint): string {
  const { scenario, verdict, proofs, clients } = rehearsal
  const head = verdict === 'proved' ? paint('green', 'PROVED') : paint('red', 'FAILED')
  const lines = [
    `${paint('bold', scenario)}: ${head}`,
    '',
    ...proofs.map(
      ({ name, holds, detail }) =>
        `  ${holds ? paint('green', 'ok  ') : paint('red', 'FAIL')} ${name}: ${detail}`,
    ),
    '',
    `${clients.calls} probe calls; what clients were told:`,
    ...clientLines(rehearsal).map((line) => `  ${line}`),
  ]
  return `${lines.join('\n')}\n`
}

export function renderRehearsalMarkdown(rehearsal: Rehearsal): string {
  const { scenario, verdict, proofs } = rehearsal
  const rows = proofs.map(
    ({ name, holds, detail }) =>
      `| ${holds ? 'yes' : '**no**'} | ${name} | ${detail.replaceAll('|', '\\|')} |`,
  )
  const clients = clientLines(rehearsal).map((line) => `- ${line}`)
  return `# Rehearsal of ${scenario}: ${verdict}\n\n| holds | proof | detail |\n| --- | --- | --- |\n${rows.join('\n')}\n\n## What clients saw\n\n${clients.join('\n')}\n`
}

export function renderRehearsalHtml(rehearsal: Rehearsal): string {
  const { scenario, verdict, proofs, timeline } = rehearsal
  const title = `${verdict === 'proved' ? 'Proved' : 'Failed'}: ${scenario}`
  const proofRows = proofs.map(
    ({ name, holds, detail }) =>
      `<tr><td>${holds ? 'yes' : '<strong>no</strong>'}</td><td>${escapeHtml(name)}</td><td>${escapeHtml(detail)}</td></tr>`,
  )
  const events = timeline.map(
    ({ at, server, detail }) =>
      `<tr><td>${at.toFixed(2)} s</td><td>${escapeHtml(server)}</td><td>${escapeHtml(detail)}</td></tr>`,
  )
  const clients = clientLines(rehearsal).map((line) => `<li>${escapeHtml(line)}</li>`)
  const body = [
    `<h1>Rehearsal on real servers: ${escapeHtml(scenario)}</h1>`,
    section(
      verdict === 'proved' ? 'Proved' : 'Failed',
      `<table><thead><tr><th>holds</th><th>proof</th><th>detail</th></tr></thead><tbody>${proofRows.join('')}</tbody></table>`,
    ),
    section(
      'What clients saw',
      `<ul>${clients.join('')}</ul>`,
      `${rehearsal.clients.calls} calls of clients that do not retry.`,
    ),
    section(
      'Events',
      `<table><tbody>${events.join('')}</tbody></table>`,
      'Seconds since the schedule began.',
    ),
  ].join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main>${body}</main></body></html>\n`
}

function clientLines({ clients }: Rehearsal): string[] {
  const lines = Object.entries(clients.errors).map(
    ([kind, { count, first, last, text }]) =>
      `${kind}: ${count} times from ${first.toFixed(1)} s to ${last.toFixed(1)} s (${text.split('\n')[0]})`,
  )
  return lines.length === 0 ? ['no error'] : lines
}
