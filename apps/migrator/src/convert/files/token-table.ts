/** tokens.csv: every token with its group, links and findings, for a spreadsheet; and the list of a stage, read from it. */
import { EXIT, InputError } from '../../errors.ts'
import type { Finding } from '../../findings/finding.ts'
import type { Conversion, TokenGroup } from '../make-conversion.ts'
import { visible } from './commands.ts'
import type { PlannedToken } from './plan-schema.ts'

const COLUMNS = ['name', 'hash', 'accessor', 'group', 'policy', 'finding'] as const
/** Keeps spreadsheets from reading a hash as a number. */
const HASH_PREFIX = 'sha256:'

/** @param findings about the dump, each with all of its tokens. */
export function tokenTable(conversion: Conversion, findings: readonly Finding[]): string {
  const details = Map.groupBy(
    findings.flatMap(({ id, tokens = [] }) =>
      tokens.map(({ position, detail }) => ({ position, text: `${id}: ${detail}` })),
    ),
    ({ position }) => position,
  )
  const rows: { readonly position: number; readonly cells: readonly string[] }[] = []
  const add = (tokens: readonly PlannedToken[], group: string, policy: string, finding = '') => {
    for (const { name, idHash, accessor = '', position } of tokens) {
      const hash = idHash === '' ? '' : HASH_PREFIX + idHash
      const found = [
        ...(finding === '' ? [] : [finding]),
        ...(details.get(position) ?? []).map(({ text }) => text),
      ].join('; ')
      rows.push({ position, cells: [name, hash, accessor, group, policy, found] })
    }
  }
  for (const group of conversion.groups)
    add(group.tokens, group.name, linkText(group), group.rejected ? 'rejected: stays as it is' : '')
  add(conversion.management, '', 'policy global-management')
  add(conversion.cleared, '', '', 'rules decide nothing: they are removed')
  add(conversion.linked, '', '', 'has links already: nothing to do')
  add(conversion.waiting, '', '', 'waits for a later stage')
  add(conversion.withoutRules, '', '', 'without rules: nothing to do')
  for (const { token, reason } of conversion.unconvertible)
    add([token], '', '', `cannot be converted: ${reason}`)
  rows.sort((a, b) => a.position - b.position)
  return [COLUMNS, ...rows.map(({ cells }) => cells)]
    .map((cells) => `${cells.map(quote).join(',')}\n`)
    .join('')
}

export function linkText({ policies, roles, serviceIdentities, nodeIdentities }: LinkedGroup): string {
  return [
    ...roles.map((name) => `role ${name}`),
    ...policies.map((name) => `policy ${name}`),
    ...serviceIdentities.map(({ ServiceName }) => `service identity ${ServiceName}`),
    ...nodeIdentities.map(({ NodeName, Datacenter }) => `node identity ${NodeName} in ${Datacenter}`),
  ].join(', ')
}

type LinkedGroup = Pick<TokenGroup, 'policies' | 'roles' | 'serviceIdentities' | 'nodeIdentities'>

/** Quotes a cell. An apostrophe before a sign keeps spreadsheets from running the cell as a formula. */
function quote(cell: string): string {
  const text = visible(/^[=+\-@]/.test(cell) ? `'${cell}` : cell)
  return /[",;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The tokens of a stage: rows of tokens.csv, as written here or saved by a spreadsheet with commas, semicolons or tabs. */
export class TokenSelection {
  private readonly lines = new Map<string, number>()
  /** Lines that name no token so far. */
  readonly unknown = new Set<number>()

  /** @throws InputError if a column is missing, or a row has neither accessor nor hash. */
  constructor(text: string, file: string) {
    const fail = (message: string, line: number) =>
      new InputError(message, { place: { file, line }, exitCode: EXIT.usage })
    const [header = [], ...rows] = readTable(text, fail)
    const [hashAt, accessorAt] = (['hash', 'accessor'] as const).map((name) => {
      const at = header.indexOf(name)
      if (at >= 0) return at
      throw fail(`the first line has no column ${name}; keep the first line of tokens.csv`, 1)
    })
    for (const [i, row] of rows.entries()) {
      if (row.every((cell) => cell === '')) continue
      const hash = (row[hashAt ?? 0] ?? '').replace(HASH_PREFIX, '').toLowerCase()
      const accessor = (row[accessorAt ?? 0] ?? '').toLowerCase()
      if (accessor === '' && !/^[0-9a-f]{12}$/.test(hash))
        throw fail(`hash is ${JSON.stringify(hash)}, not 12 hexadecimal digits, and accessor is empty`, i + 2)
      for (const key of [hash, accessor]) if (key !== '') this.lines.set(key, i + 2)
      this.unknown.add(i + 2)
    }
  }

  /** Whether a line names this token, by hash or accessor. */
  readonly has = ({ idHash, accessor = '' }: PlannedToken): boolean => {
    const line = this.lines.get(idHash) ?? this.lines.get(accessor.toLowerCase())
    if (line !== undefined) this.unknown.delete(line)
    return line !== undefined
  }
}

/** @returns rows of cells. A quoted cell may hold separators, doubled quotes and line breaks. */
function readTable(text: string, fail: (message: string, line: number) => Error): string[][] {
  const separator = /[,;\t]/.exec(text)?.[0] ?? ','
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"\\n${separator}][^\\n${separator}]*)?)(${separator}|\\r?\\n|$)`,
    'y',
  )
  const rows: string[][] = [[]]
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const [, quoted, plain = '', end] = cell.exec(text) ?? []
    if (end === undefined)
      throw fail('a quote is not closed, or stands inside a cell', text.slice(0, at).split('\n').length)
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain.replace(/\r$/, ''))
    if (end !== separator) rows.push([])
  }
  return rows
}
