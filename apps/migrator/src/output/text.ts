/** Terminal output that several commands share. */
import type { Paint } from '../cli/io.ts'
import type { Finding, Verdict } from '../findings/finding.ts'

const VERDICT_STYLES = { go: 'green', 'go with care': 'yellow', 'no-go': 'red' } as const
const SEVERITY_STYLES = { critical: 'red', warning: 'yellow', info: 'dim' } as const

export function verdictLine(verdict: Verdict, paint: Paint): string {
  return paint(VERDICT_STYLES[verdict], paint('bold', verdict.toUpperCase()))
}

type FindingText = Pick<Finding, 'id' | 'severity' | 'detail' | 'avoid'>

export function findingLines(findings: readonly FindingText[], paint: Paint): string[] {
  if (findings.length === 0) return []
  return [
    paint('bold', 'Findings'),
    ...findings.flatMap(({ id, severity, detail, avoid }) => [
      `  ${paint(SEVERITY_STYLES[severity], severity)} ${id}: ${detail}`,
      `    ${avoid}`,
    ]),
  ]
}
