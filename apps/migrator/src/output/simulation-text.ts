/** The answer of `simulate` for a terminal. */
import type { Paint } from '../cli/io.ts'
import { counted } from '../findings/finding.ts'
import { formatSeconds } from '../scenario/time.ts'
import type { SimulationResult } from './result.ts'
import type { Simulation } from './run-simulation.ts'
import { findingLines, verdictLine } from './text.ts'

export function formatSimulation({ result }: Simulation, paint: Paint): string {
  return [
    verdictLine(result.verdict, paint),
    `${result.scenario}; model ${result.model}, seed ${result.seed}; ends at ${formatSeconds(result.endedAt * 1_000)}${result.settled ? '' : ', before it was over'}`,
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
      const when = newModeAt === null ? never : `${newModeAt} s`
      return `  ${id.padEnd(width)}  ${datacenter}  ${when}`
    }),
  ]
}

function migrationLines({ migration, replication }: SimulationResult): string[] {
  const primary = Object.entries(migration).flatMap(([name, each]) => {
    if (each.batches === 0)
      return each.remaining === 0 ? [] : [`  ${name}: no batch, ${each.remaining} tokens remain`]
    const rest = each.remaining === 0 ? '' : `, ${each.remaining} remain`
    return [
      `  ${name}: ${each.tokens.toLocaleString('en-US')} tokens in ${each.batches.toLocaleString('en-US')} batches, ${each.firstBatchAt} s to ${each.lastBatchAt} s${rest}`,
    ]
  })
  const secondaries = Object.entries(replication).flatMap(([name, { tokens, completeAt, ghosts }]) =>
    tokens === 0 && ghosts === 0
      ? []
      : [
          `  ${name}: ${tokens.toLocaleString('en-US')} by replication, ${completeAt === null ? 'not complete' : `complete at ${completeAt} s`}${ghosts === 0 ? '' : `, ${ghosts} ghosts`}`,
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
        `  ${kind}: ${counted(count, 'call')}, ${first} s to ${last} s: ${status === null ? '' : `${status} `}${text}`,
    ),
    '',
  ]
}

function violationLines({ violations }: SimulationResult, paint: Paint): string[] {
  if (violations.length === 0) return []
  return [
    paint('red', 'Rules that are broken'),
    ...violations.map(({ rule, at, detail }) => `  ${at} s  ${rule}: ${detail}`),
    '',
  ]
}
