/** Writes of tokens during the upgrade, through the legacy API (spec 9.2.4) and the token API. */
import type { ScenarioEventOf } from '../../scenario/scenario.ts'
import { isAtLeast, LEGACY_REMOVED } from '../../version.ts'
import type { DatacenterState } from '../datacenter.ts'
import type { Mode } from '../history.ts'
import { datacenterOf, isLinkUp, isRunning, record, type World } from '../world.ts'
import { tokensAppeared, tokensDisappeared } from './migration.ts'
import { type Ranges, size, slice } from './ranges.ts'
import { hasCopies, wakeReplication } from './replication.ts'
import { addressable, edit, editAsNew, note } from './token-edits.ts'

export function changeTokens(world: World, event: ScenarioEventOf<'edit-tokens' | 'delete-tokens'>): void {
  const { api, kind, count, offset } = event
  if (kind === 'edit-tokens' && event.racing) {
    world.racingEdits.push({ count, offset })
    return
  }
  const action = kind === 'edit-tokens' ? 'edited' : 'deleted'
  const tokens = world.store.pick(event)
  const refused = api === 'new' ? newApiRefusal(world.primary) : legacyApiRefusal(world)
  if (refused !== undefined) note(world, action, tokens, { api, refused })
  else if (kind === 'delete-tokens')
    remove(world, api === 'legacy' ? tokens : addressable(world, action, tokens))
  else if (api === 'legacy') edit(world, tokens, event)
  else editAsNew(world, tokens, event)
}

export function createTokens(world: World, event: ScenarioEventOf<'create-tokens'>): void {
  const { count, type, rules, api } = event
  if (api === 'new') {
    createAsNew(world, event)
    return
  }
  const { store } = world
  const refused = legacyApiRefusal(world)
  if (refused !== undefined) {
    note(world, 'created', [[0, count]], { refused })
    return
  }
  const tokens = store.create(count, type, rules)
  note(world, 'created', tokens, { write: store.revision })
  tokensAppeared(world)
  wakeReplication(world)
}

/** Global tokens are created in the primary, regardless of the datacenter that receives the call. */
function createAsNew(world: World, event: ScenarioEventOf<'create-tokens'>): void {
  const { count, local: isLocal, datacenter: name } = event
  const datacenter = datacenterOf(world, name)
  if (count === 0) return
  const refused = newTokenRefusal(world, datacenter, isLocal)
  if (refused === undefined && isLocal) datacenter.localTokens += count
  const refusal = refused === undefined ? {} : { refused }
  record(world, { kind: 'new-tokens', datacenter: name, count, isLocal, ...refusal })
}

function newTokenRefusal(world: World, datacenter: DatacenterState, isLocal: boolean): string | undefined {
  const own = newApiRefusal(datacenter)
  if (own !== undefined || datacenter === world.primary) return own
  if (isLocal) return hasCopies(datacenter) ? undefined : 'Local tokens are disabled'
  const isReached = isLinkUp(world, datacenter, world.primary) && world.primary.servers.some(isRunning)
  return isReached ? newApiRefusal(world.primary) : 'rpc error getting client: failed to get conn'
}

function remove(world: World, tokens: Ranges): void {
  if (tokens.length === 0) return
  const { store } = world
  const unmigrated = size(store.among('unmigrated', tokens))
  store.delete(tokens)
  note(world, 'deleted', tokens, { write: store.revision, unmigrated })
  tokensDisappeared(world)
  wakeReplication(world)
}

export function convertTokens(world: World, { count }: ScenarioEventOf<'convert-tokens'>): void {
  const { store } = world
  const tokens = slice(store.convertible(), count ?? store.total)
  store.convert(tokens)
  note(world, 'converted', tokens, { api: 'new', write: store.revision })
}

function legacyApiRefusal(world: World): string | undefined {
  const { leader } = world.primary
  const servers = world.primary.servers.filter(isRunning)
  // Latchkey servers write to their database without a leader.
  const hasWriter = world.model.sharesStore ? servers.length > 0 : leader !== undefined && isRunning(leader)
  if (!hasWriter) return 'No cluster leader'
  const isGone = servers.every(({ process }) => isAtLeast(process.version, LEGACY_REMOVED))
  return isGone ? 'the legacy ACL system was removed in 1.11' : undefined
}

const NEW_API_REFUSALS: Readonly<Record<Mode, string | undefined>> = {
  old: 'there is no token API before 1.4.0',
  off: 'ACL support disabled',
  legacy: 'The ACL system is currently in legacy mode.',
  new: undefined,
}

function newApiRefusal({ leader }: DatacenterState): string | undefined {
  if (leader === undefined || !isRunning(leader)) return 'No cluster leader'
  return NEW_API_REFUSALS[leader.process.mode]
}
