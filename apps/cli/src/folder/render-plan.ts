/** A plan for people: one line per record, followed by the changed fields. */
import { visible } from '@latchkey/contract/plain'
import { diffArrays } from 'diff'
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
  const lines = diffArrays(old, now).flatMap(({ value, added, removed }) =>
    value.map((line) => {
      if (added) return paint('green', `    + ${line}`)
      return removed ? paint('red', `    - ${line}`) : `      ${line}`
    }),
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
