/** The output of `simulate` for a terminal. */
import type { Paint } from '../cli/io.ts'
import { agrees, counted } from '../findings/finding.ts'
import { formatTime, windowText } from '../scenario/time.ts'
import type { SimulationResult } from './result.ts'
import type { Simulation } from './run-simulation.ts'
import { findingLines, verdictLine } from './text.ts'

export function formatSimulation({ result }: Simulation, paint: Paint): string {
  return [
    verdictLine(result.verdict, paint),
    `${result.scenario}; model ${result.model}, seed ${result.seed}; ends at ${formatTime(result.endedAt)}${result.settled ? '' : ', before the cluster settled'}`,
    '',
    ...serverLines(result, paint),
    '',
    ...migrationLines(result),
    ...clientLines(result, paint),
    ...violationLines(result, paint),
    ...findingLines(result.findings, paint),
    '',
    paint('dim', `replay: ${result.replay}`),
    '',
  ].join('\n')
}

function serverLines({ servers, agents }: SimulationResult, paint: Paint): string[] {
  const members = [...Object.entries(servers), ...Object.entries(agents)]
  const width = Math.max(...members.map(([id]) => id.length))
  return [
    paint('bold', 'Leaves legacy mode'),
    ...members.map(([id, { datacenter, newModeAt, ...rest }]) => {
      const isOld = 'mode' in rest && rest.mode === 'old'
      const never = isOld ? 'runs a version without the new ACLs' : paint('red', 'never')
      const when = newModeAt === null ? never : formatTime(newModeAt)
      return `  ${id.padEnd(width)}  ${datacenter}  ${when}`
    }),
  ]
}

function migrationLines({ migration, replication }: SimulationResult): string[] {
  const primary = Object.entries(migration).flatMap(([name, each]) => {
    if (each.batches === 0)
      return each.remaining === 0 ? [] : [`  ${name}: no batch, ${remaining(each.remaining)}`]
    const rest = each.remaining === 0 ? '' : `, ${remaining(each.remaining)}`
    return [
      `  ${name}: ${counted(each.tokens, 'token')} in ${counted(each.batches, 'batch')}, ${windowText(each.firstBatchAt ?? 0, each.lastBatchAt ?? 0, formatTime)}${rest}`,
    ]
  })
  const secondaries = Object.entries(replication).flatMap(([name, { tokens, completeAt, ghosts }]) =>
    tokens === 0 && ghosts === 0
      ? []
      : [
          `  ${name}: ${counted(tokens, 'token')} by replication, ${completeAt === null ? 'not complete' : `complete at ${formatTime(completeAt)}`}${ghosts === 0 ? '' : `, ${counted(ghosts, 'ghost')}`}`,
        ],
  )
  const lines = [...primary, ...secondaries]
  return lines.length === 0 ? [] : ['Accessors', ...lines, '']
}

function clientLines({ clients }: SimulationResult, paint: Paint): string[] {
  const kinds = Object.entries(clients)
  if (kinds.length === 0) return []
  return [
    paint('bold', 'What clients see'),
    ...kinds.map(
      ([kind, { first, last, count, status, text }]) =>
        `  ${kind}: ${counted(count, 'call')}, ${windowText(first, last, formatTime)}: ${status === null ? '' : `${status} `}${text}`,
    ),
    '',
  ]
}

function violationLines({ violations }: SimulationResult, paint: Paint): string[] {
  if (violations.length === 0) return []
  return [
    paint('red', 'Violated rules'),
    ...violations.map(({ rule, at, detail }) => `  ${formatTime(at)}  ${rule}: ${detail}`),
    '',
  ]
}

function remaining(count: number): string {
  return `${counted(count, 'token')} ${agrees(count, 'remains', 'remain')}`
}
