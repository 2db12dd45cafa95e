/** Prints findings of lint like a compiler. */
import type { Paint } from '../frame/io.ts'

interface Finding {
  readonly severity: 'error' | 'warning' | 'info'
  readonly message: string
  readonly line: number
  readonly column: number
}

const STYLES = { error: 'red', warning: 'yellow', info: 'cyan' } as const

/** Each finding with its source line, and a mark below the column. */
export function renderFindings(
  path: string,
  findings: readonly Finding[],
  text: string,
  paint: Paint,
): string {
  const lines = text.split('\n')
  return findings
    .map(({ severity, message, line, column }) => {
      const source = lines[line - 1] ?? ''
      const mark = `${source.slice(0, column - 1).replace(/[^\t]/g, ' ')}^`
      return `${path}:${line}:${column}: ${paint(STYLES[severity], severity)}: ${message}\n  ${source}\n  ${mark}\n`
    })
    .join('')
}
