/** Edits of legacy tokens, by events of the scenario and by clients that race with a batch. Spec 9.2.4. */
import { intersect, type Range, size, slice, subtract } from './ranges.ts'
import { wakeReplication } from './replication.ts'
import type { BatchRead } from './token-store.ts'
import { record, type World } from './world.ts'

/** Applies the edits that race with a batch, after its read. */
export function editRacing(world: World, batch: BatchRead): void {
  if (batch.tokens.length === 0) return
  for (const { count, offset } of world.racingEdits.splice(0)) edit(world, slice(batch.tokens, count, offset))
}

/** A migrated management token has a policy link, and the legacy API no longer changes it. */
export function edit(world: World, tokens: readonly Range[]): void {
  const { store } = world
  const locked = store.ofType(intersect(tokens, store.migrated()), 'management')
  if (locked.length > 0) {
    note(world, 'edited', locked, { refused: 'Cannot use legacy endpoint to modify a non-legacy token' })
  }
  const open = subtract(tokens, locked)
  if (open.length === 0) return
  const unmigrated = size(intersect(open, store.unmigrated))
  const write = store.edit(open)
  note(world, 'edited', open, { write, unmigrated })
  wakeReplication(world)
}

/** Records a change of tokens, unless there are none. */
export function note(
  world: World,
  action: 'created' | 'edited' | 'deleted' | 'converted',
  tokens: readonly Range[],
  outcome: { write?: number; unmigrated?: number; haveLegacyRights?: boolean; refused?: string },
): void {
  if (tokens.length === 0) return
  const { write = 0, unmigrated = action === 'created' ? size(tokens) : 0, ...rest } = outcome
  record(world, {
    kind: 'tokens',
    action,
    tokens,
    write,
    unmigrated,
    ...rest,
  })
}
