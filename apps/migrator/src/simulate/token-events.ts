/** What clients do to legacy tokens while the upgrade is under way, through the legacy API. Spec 9.2.4; reference 3.1. */
import type { ScenarioEventOf } from '../scenario/scenario.ts'
import { isAtLeast, LEGACY_REMOVED } from '../version.ts'
import { tokensAppeared } from './migration.ts'
import { intersect, type Range, size, slice, subtract } from './ranges.ts'
import { wakeReplication } from './replication.ts'
import type { BatchRead } from './token-store.ts'
import { isRunning, record, type World } from './world.ts'

type TokenEvent = ScenarioEventOf<'create-tokens' | 'edit-tokens' | 'delete-tokens' | 'convert-tokens'>

/** Carries out a write, or writes down why it was refused. */
export function changeTokens(world: World, event: TokenEvent): void {
  const refused = refusalOf(world)
  switch (event.kind) {
    case 'create-tokens':
      if (refused === undefined) create(world, event)
      else note(world, 'created', [[0, event.count]], { refused })
      break
    case 'edit-tokens':
      if (event.racing) world.racingEdits.push({ count: event.count, offset: event.offset })
      else if (refused === undefined) edit(world, pick(world, event))
      else note(world, 'edited', pick(world, event), { refused })
      break
    case 'delete-tokens':
      if (refused === undefined) remove(world, pick(world, event))
      else note(world, 'deleted', pick(world, event), { refused })
      break
    case 'convert-tokens':
      convert(world, event.count)
      break
  }
}

function pick(world: World, event: ScenarioEventOf<'edit-tokens' | 'delete-tokens'>): Range[] {
  return world.store.pick(event.state, event.count, event.offset)
}

function create(world: World, { count, type, rules }: ScenarioEventOf<'create-tokens'>): void {
  const { store, model } = world
  const tokens = store.create(count, type, rules)
  const haveLegacyRights = type === 'client' && rules !== ''
  note(world, 'created', tokens, { write: store.revision, haveLegacyRights })
  if (model.noticesNewTokens) tokensAppeared(world)
  else store.forget(tokens)
  wakeReplication(world)
}

function remove(world: World, tokens: readonly Range[]): void {
  const { store } = world
  const unmigrated = size(intersect(tokens, store.unmigrated))
  store.delete(tokens)
  note(world, 'deleted', tokens, { write: store.revision, unmigrated })
  wakeReplication(world)
}

function convert(world: World, count: number | undefined): void {
  const { store } = world
  const clients = store.ofType(store.migrated(), 'client')
  const tokens = slice(clients, count ?? size(clients))
  store.convert(tokens)
  note(world, 'converted', tokens, { write: store.revision })
}

/** The edits that wait for a batch hit it now, after its read. */
export function editRacing(world: World, batch: BatchRead): void {
  if (batch.tokens.length === 0) return
  for (const { count, offset } of world.racingEdits.splice(0)) edit(world, slice(batch.tokens, count, offset))
}

/** A migrated management token has a policy link, and the legacy API no longer changes it. */
function edit(world: World, tokens: readonly Range[]): void {
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

/** Why the cluster takes no legacy write now; undefined where it does. */
function refusalOf(world: World): string | undefined {
  const { leader } = world.primary
  if (leader === undefined || !isRunning(leader)) return 'No cluster leader'
  const servers = world.primary.servers.filter(isRunning)
  const isGone = servers.every(({ process }) => isAtLeast(process.version, LEGACY_REMOVED))
  return isGone ? 'the legacy ACL system was removed in 1.11' : undefined
}

function note(
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
