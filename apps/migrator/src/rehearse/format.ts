/** A rehearsal as text for the terminal. */
import type { Paint } from '../cli/io.ts'
import { spanOf } from '../scenario/time.ts'
import type { Rehearsal } from './conclude.ts'

export function formatRehearsal(rehearsal: Rehearsal, paint: Paint): string {
  const { scenario, verdict, proofs, clients, simulated } = rehearsal
  const head = verdict === 'proved' ? paint('green', 'PROVED') : paint('red', 'FAILED')
  const lines = [
    `${paint('bold', scenario)}: ${head}`,
    '',
    ...proofs.map(
      ({ name, holds, detail }) =>
        `  ${holds ? paint('green', 'ok  ') : paint('red', 'FAIL')} ${name}: ${detail}`,
    ),
    '',
    `Verdict of the simulation: ${simulated.verdict.toUpperCase()}`,
    ...simulated.reasons.map((reason) => `  ${reason}`),
    '',
    `${clients.calls} probe calls; answers that clients got:`,
    ...clientLines(rehearsal).map((line) => `  ${line}`),
  ]
  return `${lines.join('\n')}\n`
}

export function clientLines({ clients }: Rehearsal): string[] {
  const lines = Object.entries(clients.errors).map(
    ([kind, { count, first, last, text }]) =>
      `${kind}: ${count} times ${spanOf(first, last, (seconds) => `${seconds.toFixed(1)} s`)} (${text.split('\n')[0]})`,
  )
  return lines.length === 0 ? ['no error'] : lines
}
