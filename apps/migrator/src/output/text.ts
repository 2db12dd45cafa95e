/** Parts that the answers of several commands share on a terminal. */
import type { Paint } from '../cli/io.ts'
import type { Verdict } from '../findings/finding.ts'

const VERDICT_STYLES = { go: 'green', 'go with care': 'yellow', 'no-go': 'red' } as const
const SEVERITY_STYLES = { critical: 'red', warning: 'yellow', info: 'dim' } as const

export function verdictLine(verdict: Verdict, paint: Paint): string {
  return paint(VERDICT_STYLES[verdict], paint('bold', verdict.toUpperCase()))
}

interface FindingText {
  readonly id: string
  readonly severity: string
  readonly detail: string
  readonly avoid: string
}

export function findingLines(findings: readonly FindingText[], paint: Paint): string[] {
  if (findings.length === 0) return []
  return [
    paint('bold', 'Findings'),
    ...findings.flatMap(({ id, severity, detail, avoid }) => [
      `  ${paint(styleOf(severity), severity)} ${id}: ${detail}`,
      `    ${avoid}`,
    ]),
  ]
}

function styleOf(severity: string): 'red' | 'yellow' | 'dim' {
  return severity === 'critical' || severity === 'warning' ? SEVERITY_STYLES[severity] : SEVERITY_STYLES.info
}
