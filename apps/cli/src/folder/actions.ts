/** `plan`, `apply`, `export` and `schema`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { visible } from '@latchkey/contract/plain'
import { type Client, Invalid, NotFound } from '@latchkey/sdk'
import { diffArrays } from 'diff'
import { Document } from 'yaml'
import { CliError, EXIT, systemProblem } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import type { Input } from '../frame/input.ts'
import type { Paint } from '../frame/io.ts'
import type { Session } from '../frame/session.ts'
import { keyOf, resourceOf } from '../records/find.ts'
import { contentOf, folderSchema, isWorthKeeping, KIND_NAMES, listRecords, updateRecord } from './kinds.ts'
import { type Change, inNamespace, makePlan, type Plan } from './plan.ts'
import { readFolder } from './read-folder.ts'

async function planOf(session: Session, input: Input): Promise<Plan> {
  const wanted = readFolder(input.arg(0))
  const plan = await makePlan(await session.client(), wanted, {
    prunes: input.flag('prune'),
    onProgress: (text) => session.progress.show(text),
  })
  session.progress.clear()
  return plan
}

async function printPlan(session: Session, plan: Plan): Promise<void> {
  if (session.out.isTable) return session.out.text(renderPlan(plan, session.out.paint))
  await session.out.data(
    plan.changes.map(({ action, kind, name, namespace, ...change }) => ({
      Action: action,
      Kind: kind,
      Name: name,
      ...(namespace === undefined ? {} : { Namespace: namespace }),
      ...('before' in change ? { Before: change.before } : {}),
      ...('after' in change ? { After: change.after } : {}),
      ...('fields' in change ? { Fields: change.fields } : {}),
    })),
  )
}

export const plan: Action = async (session, input) => {
  const found = await planOf(session, input)
  await printPlan(session, found)
  return found.changes.length === 0 ? EXIT.done : EXIT.differs
}

export const apply: Action = async (session, input) => {
  const found = await planOf(session, input)
  await printPlan(session, found)
  if (found.changes.length === 0) return
  const deletions = found.changes.filter(({ action }) => action === 'delete').length
  // Scripts need no confirmation for creates and updates; deletions always require it.
  if (deletions > 0 || session.isInteractive) {
    const also =
      deletions === 0 ? '' : `, including ${deletions} ${deletions === 1 ? 'deletion' : 'deletions'}`
    await session.confirm(`Apply these ${found.changes.length} changes${also}?`)
    await requireSame(found, await planOf(session, input))
  }
  await applyPlan(found, session)
  session.progress.clear()
  await session.note(`Made ${found.changes.length} changes.`)
}

/** Checks that the confirmed changes are still the current plan. */
async function requireSame(confirmed: Plan, now: Plan): Promise<void> {
  if (JSON.stringify(confirmed) === JSON.stringify(now)) return
  throw new CliError('the service changed before you answered; nothing was written', {
    exitCode: EXIT.conflict,
    hints: ['Run apply again to see the current changes'],
  })
}

/** Applies a plan all or nothing, without transactions of the service: a failed write undoes earlier ones; deletions come last. */
async function applyPlan({ changes }: Plan, session: Session): Promise<void> {
  const undos: { readonly change: Change; readonly undo: () => Promise<unknown> }[] = []
  const deletions = changes.filter(({ action }) => action === 'delete')
  for (const [i, change] of changes.entries()) {
    session.progress.show(`${i} of ${changes.length} changes …`)
    try {
      undos.push({ change, undo: await makeChange(await session.client(), change) })
    } catch (error) {
      const failed = `cannot ${describe(change)}: ${textOf(error)}`
      if (change.action === 'delete') {
        const deleted = deletions.indexOf(change)
        const left = `All other changes were made, but only ${deleted} of ${deletions.length} deletions.`
        throw new CliError(failed, { exitCode: EXIT.failed, hints: [`${left} Apply again to finish.`] })
      }
      const hints: string[] = []
      for (const before of undos.reverse()) {
        await before.undo().catch((problem: unknown) => {
          hints.push(`cannot undo: ${describe(before.change)}: ${textOf(problem)}`)
        })
      }
      const outcome = hints.length === 0 ? 'nothing was changed' : 'not everything could be undone'
      throw new CliError(`${failed}; ${outcome}`, { exitCode: EXIT.failed, hints })
    }
  }
}

/** Makes a change, and returns how to undo it; deletions come last, so nothing undoes them. */
async function makeChange(client: Client, change: Change): Promise<() => Promise<unknown>> {
  const { kind, action } = change
  const there = inNamespace(client, change.namespace)
  const resource = resourceOf(there, kind)
  if (action === 'create') {
    const created = await resource.create(change.after)
    return () => resource.delete(keyOf(kind, created))
  }
  const { record, before } = change
  if (action === 'delete') await resource.delete(keyOf(kind, record))
  else await updateRecord(there, kind, record, change.after)
  return () => updateRecord(there, kind, record, before)
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function describe({ action, kind, name }: Change): string {
  return `${action} ${kind} ${name}`
}

const SCHEMA_FILE = 'schema.json'

export const schema: Action = async (session) => {
  await session.out.raw(`${JSON.stringify(folderSchema(), null, 2)}\n`)
}

export const exportFolder: Action = async (session, input) => {
  const folder = input.arg(0)
  const chosen = input.texts('kind')
  const client = await session.client()
  let count = 0
  for (const kind of KIND_NAMES) {
    if (chosen !== undefined && !chosen.includes(kind)) continue
    session.progress.show(`reading ${kind} records …`)
    const records = await listRecords(client, kind, () => true).catch(noneIfAbsent)
    const contents = records.map((record) => contentOf(kind, record)).filter(isWorthKeeping)
    if (contents.length === 0) continue
    const documents = contents.map((content) =>
      new Document({ kind, ...content }).toString({ lineWidth: 0, blockQuote: 'literal' }),
    )
    const file = `${kind === 'policy' ? 'policie' : kind}s.yaml`
    // With this line, editors complete and validate the file.
    writeFile(folder, file, `# yaml-language-server: $schema=${SCHEMA_FILE}\n${documents.join('---\n')}`)
    count += contents.length
  }
  writeFile(folder, SCHEMA_FILE, `${JSON.stringify(folderSchema(), null, 2)}\n`)
  session.progress.clear()
  await session.note(`Wrote ${count} records to ${folder}. To compare: latchkey plan ${folder}`)
}

/** An empty list for a kind that this edition or version of the server does not have. */
function noneIfAbsent(error: unknown): [] {
  if (error instanceof NotFound || error instanceof Invalid) return []
  throw error
}

function writeFile(folder: string, name: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), text)
  } catch (error) {
    throw new CliError(`cannot write ${join(folder, name)}: ${systemProblem(error)}`, { cause: error })
  }
}

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
