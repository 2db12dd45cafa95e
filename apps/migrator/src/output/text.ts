/** Terminal output that several commands share. */
import type { Paint } from '../cli/io.ts'
import type { Eta, EtaRange } from '../eta/estimate.ts'
import { acceptedText, type Finding, type Verdict } from '../findings/finding.ts'
import { formatTime } from '../scenario/time.ts'

const VERDICT_STYLES = { go: 'green', 'go with care': 'yellow', 'no-go': 'red' } as const
const SEVERITY_STYLES = { critical: 'red', warning: 'yellow', info: 'dim' } as const

export function verdictLine(verdict: Verdict, paint: Paint): string {
  return paint(VERDICT_STYLES[verdict], paint('bold', verdict.toUpperCase()))
}

/** The estimated end of an upgrade. */
export function etaLines(eta: Eta | null, paint: Paint): string[] {
  if (eta === null) return []
  const { runs, newMode, accessors } = eta
  return [
    paint('bold', `Estimated end, over ${runs} variations of starts, gossip and elections`),
    `  legacy mode: ${rangeText(newMode)}`,
    ...(accessors === null ? [] : [`  accessors: ${rangeText(accessors)}`]),
    '',
  ]
}

/** `3 min 30 s (p50) to 4 min 10 s (p95)`. */
function rangeText({ p50, p95 }: EtaRange): string {
  if (p50 === null) return 'never, in most variations'
  return `${formatTime(p50)} (p50) to ${p95 === null ? 'never' : formatTime(p95)} (p95)`
}

type FindingText = Pick<Finding, 'id' | 'severity' | 'detail' | 'avoid' | 'accepted'>

export function findingLines(findings: readonly FindingText[], paint: Paint): string[] {
  if (findings.length === 0) return []
  return [
    paint('bold', 'Findings'),
    ...findings.flatMap(({ id, severity, detail, avoid, accepted }) => [
      `  ${paint(SEVERITY_STYLES[severity], severity)} ${id}: ${detail}`,
      `    ${accepted === undefined ? avoid : acceptedText(accepted)}`,
    ]),
  ]
}
