/** A plan for people: one line per record, followed by the changed fields. */
import { visible } from '@latchkey/contract/plain'
import type { Paint } from '../frame/io.ts'
import type { Change, Plan } from './plan.ts'

const MARKS = { create: '+', update: '~', delete: '-' } as const
const STYLES = { create: 'green', update: 'yellow', delete: 'red' } as const

export function renderPlan({ changes, unchangedCount }: Plan, paint: Paint): string {
  if (changes.length === 0) return `No changes: all ${unchangedCount} records match the service.\n`
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length
  const summary = `${count('create')} to create, ${count('update')} to update, ${count('delete')} to delete, ${unchangedCount} unchanged.`
  return `${changes.map((change) => renderChange(change, paint)).join('')}${paint('bold', summary)}\n`
}

function renderChange(change: Change, paint: Paint): string {
  const { action, kind, name, namespace } = change
  const where = namespace === undefined ? '' : ` in ${namespace}`
  const head = paint(STYLES[action], `${MARKS[action]} ${kind} ${name}${where}`)
  if (action !== 'update') return `${head}\n`
  const { before, after, fields } = change
  return `${head}\n${fields.map((field) => renderField(field, before[field], after[field], paint)).join('')}`
}

function renderField(field: string, before: unknown, after: unknown, paint: Paint): string {
  const [old, now] = [linesOf(before), linesOf(after)]
  if (old.length <= 1 && now.length <= 1) {
    return `    ${field}: ${paint('red', old[0] ?? 'absent')} → ${paint('green', now[0] ?? 'absent')}\n`
  }
  const lines = diffLines(old, now).map(([mark, line]) =>
    mark === ' ' ? `      ${line}` : paint(mark === '+' ? 'green' : 'red', `    ${mark} ${line}`),
  )
  return `    ${field}:\n${lines.join('\n')}\n`
}

function linesOf(value: unknown): string[] {
  if (value === undefined) return []
  if (typeof value === 'string') return visible(value).replace(/\n$/, '').split('\n')
  if (Array.isArray(value) && value.every((link) => typeof link?.Name === 'string')) {
    return [value.map(({ Name }: { readonly Name: string }) => Name).join(', ')]
  }
  return visible(JSON.stringify(value, null, 2)).split('\n')
}

type DiffLine = readonly [mark: ' ' | '+' | '-', line: string]

/** A line diff: matches equal lines at both ends, then the longest common subsequence in between. */
export function diffLines(old: readonly string[], now: readonly string[]): DiffLine[] {
  const lengths = commonLengths(old, now)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    const [a, b] = [old[i], now[j]]
    if (a !== undefined && a === b) {
      lines.push([' ', a])
      i += 1
      j += 1
    } else if (
      a !== undefined &&
      (b === undefined || (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
    ) {
      lines.push(['-', a])
      i += 1
    } else if (b !== undefined) {
      lines.push(['+', b])
      j += 1
    }
  }
  return lines
}

/** At i and j: the length of the longest common subsequence of the remaining lines. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0))
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const row = lengths[i] ?? []
      row[j] =
        old[i] === now[j]
          ? 1 + (lengths[i + 1]?.[j + 1] ?? 0)
          : Math.max(lengths[i + 1]?.[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return lengths
}
