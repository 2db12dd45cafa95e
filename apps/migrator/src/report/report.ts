/** Writes the report of a simulation: the same facts as HTML for people, and JSON for programs. */
import { join } from 'node:path'
import { PRODUCT_VERSION, visibleJson } from '@latchkey/contract'
import { makeOutputDirectory, writeOutputFile } from '../cli/output-file.ts'
import type { Simulation } from '../output/run-simulation.ts'
import { factsOf } from './facts.ts'
import { renderHtml } from './html.ts'
import type { ReportInputs } from './inputs.ts'

/** Writes report.html and report.json into a directory, each atomically. */
export function writeReport(directory: string, simulation: Simulation, inputs: ReportInputs = {}): void {
  const facts = factsOf(simulation, inputs)
  const { result } = simulation
  const { summary, totals, steps } = facts
  const workloads = totals.map(({ answers, ...rest }) => ({
    ...rest,
    answers: answers.map(({ spans: _, ...answer }) => answer),
  }))
  const json = { ...result, summary, workloads, steps, tool: PRODUCT_VERSION, ...inputs }
  const files = {
    'report.html': renderHtml(facts),
    'report.json': `${visibleJson(JSON.stringify(json))}\n`,
  }
  makeOutputDirectory(directory)
  for (const [name, text] of Object.entries(files)) writeOutputFile(join(directory, name), text)
}
