/** The limits as a table, for section 8 of docs/api.md. Values come from limits.ts, descriptions from its comments. */

import { invariant } from '../../src/errors.ts'
import * as limits from '../../src/limits.ts'
import { formatDurationMs } from '../../src/time/duration.ts'
import { linkCitations, table } from './markdown.ts'

const DECLARATION = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+) = /g

/**
 * @param source the text of limits.ts.
 * @throws if a limit has no comment.
 */
export function renderLimitsTable(source: string): string {
  const declared = [...source.matchAll(DECLARATION)]
  const values: Readonly<Record<string, number>> = limits
  invariant(declared.length === Object.keys(values).length, 'every limit has a comment of its own')
  const rows = declared.map(([, comment = '', name = '']) => {
    const sentence = comment.replace(/\s*\n\s*\*\s*/g, ' ').trim()
    return [`\`${name}\``, inUnits(name, values[name] ?? 0), linkSections(sentence)]
  })
  return table(['limit', 'value', 'what'], rows)
}

/** The name contains the unit, `…_MS…` or `…_BYTES…`; all other values are counts. */
function inUnits(name: string, value: number): string {
  if (/_MS(_|$)/.test(name)) return formatDurationMs(value)
  if (!/_BYTES(_|$)/.test(name)) return value.toLocaleString('en')
  const kib = value / 1_024
  if (kib < 1_024) return `${kib} KiB`
  return `${kib / 1_024} MiB`
}

/** `Spec 4.2, 8.` and `Decisions: tokens.` within a comment become links. */
function linkSections(comment: string): string {
  return comment.replace(/(Spec (?:\d+(?:\.\d+)*(?:, )?)+|Decisions: [a-z ]+)/g, (citation) => {
    const linked = linkCitations(
      citation.replace(/^./, (letter) => letter.toLowerCase()),
      SAME_PAGE,
    )
    return linked.replace(/^./, (letter) => letter.toUpperCase())
  })
}

/** The table is on the same page as the sections it cites. */
const SAME_PAGE = { api: '', decisions: 'decisions/README.md' }
