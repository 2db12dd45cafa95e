/** `plan`, `apply` and `export`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Invalid, NotFound } from '@latchkey/sdk'
import { Document } from 'yaml'
import { EXIT } from '../exit-codes.ts'
import { CliError, systemProblem } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import type { Input } from '../frame/input.ts'
import type { Session } from '../frame/session.ts'
import { applyPlan } from './apply.ts'
import { type Content, contentOf } from './content.ts'
import { folderSchema } from './folder-schema.ts'
import { FOLDER_KINDS, KIND_NAMES, type KindName } from './kinds.ts'
import { makePlan, type Plan } from './plan.ts'
import { readFolder } from './read-folder.ts'
import { renderPlan } from './render-plan.ts'

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
  await applyPlan(await session.client(), found, (done, total) =>
    session.progress.show(`${done} of ${total} changes …`),
  )
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

/** Files of an export by kind. */
const FILES: Readonly<Record<KindName, string>> = {
  namespace: 'namespaces.yaml',
  policy: 'policies.yaml',
  role: 'roles.yaml',
  'auth-method': 'auth-methods.yaml',
  'binding-rule': 'binding-rules.yaml',
  token: 'tokens.yaml',
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
    const records = await FOLDER_KINDS[kind].list(client, () => true).catch(noneIfAbsent)
    const contents = records.map((record) => contentOf(record, FOLDER_KINDS[kind])).filter(isWorthKeeping)
    if (contents.length === 0) continue
    const documents = contents.map((content) => renderDocument(kind, content)).join('---\n')
    // With this line, editors complete and validate the file.
    writeFile(folder, FILES[kind], `# yaml-language-server: $schema=${SCHEMA_FILE}\n${documents}`)
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

/** False for records that every service creates itself. */
function isWorthKeeping({ Name, AccessorID, Policies, Roles, ACLs }: Content): boolean {
  if (Name === 'default' && ACLs === undefined) return false
  return (
    AccessorID !== '00000000-0000-0000-0000-000000000002' || Policies !== undefined || Roles !== undefined
  )
}

function renderDocument(kind: KindName, content: Content): string {
  return new Document({ kind, ...content }).toString({ lineWidth: 0, blockQuote: 'literal' })
}

function writeFile(folder: string, name: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), text)
  } catch (error) {
    throw new CliError(`cannot write ${join(folder, name)}: ${systemProblem(error)}`, { cause: error })
  }
}
