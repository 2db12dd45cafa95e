/** Writes to legacy tokens through the legacy API during the upgrade. Spec 9.2.4. */
import type { ScenarioEventOf } from '../scenario/scenario.ts'
import { isAtLeast, LEGACY_REMOVED } from '../version.ts'
import { tokensAppeared } from './migration.ts'
import { intersect, type Range, size, slice } from './ranges.ts'
import { wakeReplication } from './replication.ts'
import { edit, note } from './token-edits.ts'
import { isRunning, type World } from './world.ts'

type TokenEvent = ScenarioEventOf<'create-tokens' | 'edit-tokens' | 'delete-tokens' | 'convert-tokens'>

/** Applies a write, or records why it was refused. */
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

/** Why the cluster refuses legacy writes now; undefined if it accepts them. */
function refusalOf(world: World): string | undefined {
  const { leader } = world.primary
  if (leader === undefined || !isRunning(leader)) return 'No cluster leader'
  const servers = world.primary.servers.filter(isRunning)
  const isGone = servers.every(({ process }) => isAtLeast(process.version, LEGACY_REMOVED))
  return isGone ? 'the legacy ACL system was removed in 1.11' : undefined
}
