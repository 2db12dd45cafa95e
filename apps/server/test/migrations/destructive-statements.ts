/**
 * Finds statements of a migration that a server of the previous version may not survive. During a rolling restart, old and
 * new servers run on the migrated schema: a migration adds what the new ones need (expand), and a later release removes what
 * is no longer used (contract).
 */

/** What a statement removes, or requires of rows that an old server writes. */
const DESTRUCTIVE: readonly RegExp[] = [
  /^DROP\b/i,
  /^TRUNCATE\b/i,
  /^(?:DELETE|UPDATE)\b/i,
  /^ALTER\b.*\bDROP\b/is,
  /^ALTER\b.*\bRENAME\b/is,
  /^ALTER\b.*\b(?:SET DATA )?TYPE\b/is,
  /^ALTER\b.*\bSET NOT NULL\b/is,
  /^ALTER\b.*\bADD (?:CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)\b/is,
  /^CREATE UNIQUE INDEX\b/i,
  /^REVOKE\b/i,
]

/** A new column that an old server does not write needs a default, unless it may be null. */
const NEW_COLUMN = /\bADD COLUMN (?:IF NOT EXISTS )?("?\w+"?[^,]*)/gi

/** The destructive statements of a script, one line each. */
export function destructiveStatements(sql: string): readonly string[] {
  return statementsOf(sql).filter(
    (statement) => DESTRUCTIVE.some((pattern) => pattern.test(statement)) || breaksInserts(statement),
  )
}

function breaksInserts(statement: string): boolean {
  if (!/^ALTER TABLE\b/i.test(statement)) return false
  const added = [...statement.matchAll(NEW_COLUMN)].map(([, column = '']) => column)
  return added.some((column) => /\bNOT NULL\b/i.test(column) && !/\bDEFAULT\b/i.test(column))
}

const MARK = /^UPDATE schema_compatibility SET migration = '([^']+)', release = '[^']+'$/i

/** The oldest migration whose servers survive a script, if it says so. Decisions: schema upgrades. */
export function markOf(sql: string): string | undefined {
  return statementsOf(sql).flatMap((statement) => MARK.exec(statement)?.[1] ?? [])[0]
}

/** Strips comments. The bodies of functions are run by their callers, not by the migration. */
function statementsOf(sql: string): readonly string[] {
  const text = sql.replace(/--.*$/gm, '').replace(/(\$\w*\$).*?\1/gs, '$$$$')
  return text
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')
}
