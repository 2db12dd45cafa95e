/** Edits of legacy tokens, from events of the scenario and from clients that race with a batch. Spec 9.2.4. */
import type { TokenApi } from '../../scenario/scenario.ts'
import type { RecordOf } from '../history.ts'
import { record, type World } from '../world.ts'
import { type Ranges, size, slice, subtract } from './ranges.ts'
import { wakeReplication } from './replication.ts'
import type { BatchRead, TokenChange } from './token-store.ts'

export function editRacing(world: World, batch: BatchRead): void {
  if (batch.tokens.length === 0) return
  for (const { count, offset } of world.racingEdits.splice(0)) edit(world, slice(batch.tokens, count, offset))
}

/** The legacy API refuses to change a token that has a policy link or was changed through the token API. */
export function edit(world: World, tokens: Ranges, change: TokenChange = {}): void {
  const { store } = world
  const locked = store.among('locked', tokens)
  note(world, 'edited', locked, { refused: 'Cannot use legacy endpoint to modify a non-legacy token' })
  const open = subtract(tokens, locked)
  if (open.length === 0) return
  const unmigrated = size(store.among('unmigrated', open))
  note(world, 'edited', open, { write: store.edit(open, change), unmigrated })
  wakeReplication(world)
}

/** The token API addresses a token by its accessor, and refuses rules in the body. */
export function editAsNew(
  world: World,
  tokens: Ranges,
  { sendsRules }: { readonly sendsRules: boolean },
): void {
  const { store } = world
  const open = addressable(world, 'edited', tokens)
  const withRules = sendsRules ? store.among('legacyRights', open) : []
  note(world, 'edited', withRules, { api: 'new', refused: 'Rules cannot be specified for this token' })
  const edited = subtract(open, withRules)
  if (edited.length === 0) return
  const rulesDropped = size(store.among('legacyRights', edited))
  note(world, 'edited', edited, { api: 'new', write: store.editAsNew(edited), rulesDropped })
  wakeReplication(world)
}

export function addressable(world: World, action: 'edited' | 'deleted', tokens: Ranges): Ranges {
  const open = world.store.among('migrated', tokens)
  note(world, action, subtract(tokens, open), {
    api: 'new',
    refused: 'a token that has no accessor yet cannot be addressed',
  })
  return open
}

type Write = Partial<Pick<RecordOf<'tokens'>, 'write' | 'unmigrated' | 'refused' | 'rulesDropped'>> & {
  readonly api?: TokenApi
}

export function note(world: World, action: RecordOf<'tokens'>['action'], tokens: Ranges, write: Write): void {
  if (tokens.length === 0) return
  record(world, {
    kind: 'tokens',
    action,
    api: 'legacy',
    tokens,
    write: 0,
    unmigrated: action === 'created' ? size(tokens) : 0,
    ...world.store.endingRights(),
    ...write,
  })
}
