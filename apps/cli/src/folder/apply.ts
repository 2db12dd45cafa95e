/**
 * Applies the changes of a plan. The service has no transactions over these records, so this file makes the changes
 * all-or-nothing: preconditions are checked first, a failed write rolls back earlier writes, and deletions, which cannot
 * be undone, come last.
 */
import type { Client } from '@latchkey/sdk'
import { EXIT } from '../exit-codes.ts'
import { CliError } from '../frame/cli-error.ts'
import { FOLDER_KINDS } from './kinds.ts'
import { type Change, inNamespace, type Plan } from './plan.ts'

/** How to undo an applied change. */
interface Undo {
  readonly change: Change
  readonly run: () => Promise<unknown>
}

/** @throws CliError that says what remains after a failure: no change, or changes that could not be undone. */
export async function applyPlan(
  client: Client,
  { changes }: Plan,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const undos: Undo[] = []
  let deleted = 0
  for (const [i, change] of changes.entries()) {
    onProgress(i, changes.length)
    try {
      if (change.action === 'delete') {
        await FOLDER_KINDS[change.kind].delete(inNamespace(client, change.namespace), change.record)
        deleted += 1
      } else {
        undos.push({ change, run: await makeWrite(client, change) })
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (change.action === 'delete') throw halfDeleted(change, { reason, deleted, changes })
      throw await undone(change, reason, undos)
    }
  }
}

/** Performs a write, and returns how to undo it. */
async function makeWrite(
  client: Client,
  change: Exclude<Change, { action: 'delete' }>,
): Promise<() => Promise<unknown>> {
  const kind = FOLDER_KINDS[change.kind]
  const there = inNamespace(client, change.namespace)
  if (change.action === 'create') {
    const created = await kind.create(there, change.after)
    return () => kind.delete(there, created)
  }
  const { record, before } = change
  await kind.update(there, record, change.after)
  return () => kind.update(there, record, before)
}

async function undone(failed: Change, reason: string, undos: readonly Undo[]): Promise<CliError> {
  const remaining: string[] = []
  for (const { change, run } of [...undos].reverse()) {
    await run().catch((error: unknown) => {
      remaining.push(`cannot undo: ${describe(change)}: ${error instanceof Error ? error.message : error}`)
    })
  }
  const outcome = remaining.length === 0 ? 'nothing was changed' : 'not everything could be undone'
  return new CliError(`cannot ${describe(failed)}: ${reason}; ${outcome}`, {
    exitCode: EXIT.failed,
    hints: remaining,
  })
}

function halfDeleted(
  failed: Change,
  {
    reason,
    deleted,
    changes,
  }: { readonly reason: string; readonly deleted: number; readonly changes: readonly Change[] },
): CliError {
  const total = changes.filter(({ action }) => action === 'delete').length
  return new CliError(`cannot ${describe(failed)}: ${reason}`, {
    exitCode: EXIT.failed,
    hints: [`All other changes were made, but only ${deleted} of ${total} deletions. Apply again to finish.`],
  })
}

function describe({ action, kind, name }: Change): string {
  return `${action} ${kind} ${name}`
}
