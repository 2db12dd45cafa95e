/** Lists the changes between two versions, from the contract's gates, as text or Markdown. */
import { changesBetween, type ServiceVersion, type VersionChange } from '@latchkey/contract'

interface ChangesResult {
  readonly from: string
  readonly to: string
  readonly changes: readonly VersionChange[]
}

/** @throws AclError `version_invalid` if `from` is newer than `to`. */
export function listChanges(from: ServiceVersion, to: ServiceVersion): ChangesResult {
  return { from: from.text, to: to.text, changes: changesBetween(from, to) }
}

/** One paragraph per change, by version. Changes that can break clients are marked. */
export function formatChanges({ from, to, changes }: ChangesResult): string {
  if (changes.length === 0) return `Nothing changes from ${from} to ${to}.\n`
  const blocks = [...groupByVersion(changes)].map(([at, list]) => {
    const lines = list.map(
      (each) =>
        `  ${each.breaksClients ? '!' : ' '} ${each.sentence}\n      clients: ${each.clientSees}\n      spec ${each.specRow}, decided by ${decider(each)}`,
    )
    return `${at}\n${lines.join('\n')}`
  })
  return `From ${from} to ${to} (! can break clients)\n\n${blocks.join('\n\n')}\n`
}

/** The same as a Markdown page. */
export function formatChangesMarkdown({ from, to, changes }: ChangesResult): string {
  const head = `# Changes from ${from} to ${to}\n`
  if (changes.length === 0) return `${head}\nNothing changes.\n`
  const sections = [...groupByVersion(changes)].map(([at, list]) => {
    const rows = list.map(
      (each) =>
        `| ${[each.breaksClients ? '**yes**' : 'no', each.sentence, each.clientSees, decider(each), each.specRow].map(escapeCell).join(' | ')} |`,
    )
    return `\n## ${at}\n\n| breaks clients | change | what clients see | decided by | spec |\n|---|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return head + sections.join('')
}

function groupByVersion(changes: readonly VersionChange[]): Map<string, VersionChange[]> {
  const groups = new Map<string, VersionChange[]>()
  for (const each of changes) groups.set(each.at, [...(groups.get(each.at) ?? []), each])
  return groups
}

function decider({ decidedBy }: VersionChange): string {
  return decidedBy === 'both' ? 'agent and server' : `the ${decidedBy}`
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
