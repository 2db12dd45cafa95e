/** Writes the report of one simulation: the same facts as HTML for people, Markdown for wikis, JSON for programs. */
import { join } from 'node:path'
import { makeOutputDirectory, writeOutputFile } from '../cli/output-file.ts'
import type { Simulation } from '../output/run-simulation.ts'
import { renderHtml } from './html.ts'
import { renderMarkdown } from './markdown.ts'

/** Writes report.html, report.md and report.json into a directory, each whole or not at all. */
export function writeReport(directory: string, simulation: Simulation): void {
  const files = {
    'report.html': renderHtml(simulation),
    'report.md': renderMarkdown(simulation),
    'report.json': `${JSON.stringify(simulation.result)}\n`,
  }
  makeOutputDirectory(directory)
  for (const [name, text] of Object.entries(files)) writeOutputFile(join(directory, name), text)
}
