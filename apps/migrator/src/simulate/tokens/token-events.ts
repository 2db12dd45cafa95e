/** Writes of tokens during the upgrade, through the legacy API (spec 9.2.4) and the token API. */
import type { ScenarioEventOf } from '../../scenario/scenario.ts'
import { isAtLeast, LEGACY_REMOVED } from '../../version.ts'
import type { DatacenterState } from '../datacenter.ts'
import type { Mode } from '../history.ts'
import { isLinkUp, isRunning, record, type World } from '../world.ts'
import { tokensAppeared, tokensDisappeared } from './migration.ts'
import { type Range, type Ranges, size, slice } from './ranges.ts'
import { hasCopies, wakeReplication } from './replication.ts'
import { addressable, edit, editAsNew, note } from './token-edits.ts'

type TokenEvent = ScenarioEventOf<'create-tokens' | 'edit-tokens' | 'delete-tokens' | 'convert-tokens'>

/** Applies a write, or records why it was refused. */
export function changeTokens(world: World, event: TokenEvent): void {
  switch (event.kind) {
    case 'create-tokens':
      if (event.api === 'new') createAsNew(world, event)
      else create(world, event)
      break
    case 'edit-tokens':
      if (event.racing) world.racingEdits.push({ count: event.count, offset: event.offset })
      else change(world, event)
      break
    case 'delete-tokens':
      change(world, event)
      break
    case 'convert-tokens':
      convert(world, event.count)
      break
  }
}

function change(world: World, event: ScenarioEventOf<'edit-tokens' | 'delete-tokens'>): void {
  const { api, kind } = event
  const action = kind === 'edit-tokens' ? 'edited' : 'deleted'
  const tokens = world.store.pick(event)
  const refused = api === 'new' ? newApiRefusal(world.primary) : legacyApiRefusal(world)
  if (refused !== undefined) note(world, action, tokens, { api, refused })
  else if (kind === 'delete-tokens')
    remove(world, api === 'legacy' ? tokens : addressable(world, action, tokens))
  else if (api === 'legacy') edit(world, tokens, event.becomes)
  else editAsNew(world, tokens, event)
}

function create(world: World, { count, type, rules }: ScenarioEventOf<'create-tokens'>): void {
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
function createAsNew(
  world: World,
  { count, local: isLocal, datacenter: name }: ScenarioEventOf<'create-tokens'>,
): void {
  const datacenter = world.datacenters.find(({ spec }) => spec.name === name)
  if (datacenter === undefined || count === 0) return
  const refused = newTokenRefusal(world, datacenter, isLocal)
  if (refused === undefined && isLocal) datacenter.localTokens += count
  record(world, {
    kind: 'new-tokens',
    datacenter: name,
    count,
    isLocal,
    ...(refused === undefined ? {} : { refused }),
  })
}

function newTokenRefusal(world: World, datacenter: DatacenterState, isLocal: boolean): string | undefined {
  const own = newApiRefusal(datacenter)
  if (own !== undefined || datacenter === world.primary) return own
  if (isLocal) return hasCopies(datacenter) ? undefined : 'Local tokens are disabled'
  const isReached =
    isLinkUp(world, datacenter.spec.name, world.primary.spec.name) && world.primary.servers.some(isRunning)
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

function convert(world: World, count: number | undefined): void {
  const { store } = world
  const clients: Range[] = store.convertible()
  const tokens = slice(clients, count ?? size(clients))
  store.convert(tokens)
  note(world, 'converted', tokens, { api: 'new', write: store.revision })
}

/** The reason why the cluster currently refuses legacy writes; undefined if it accepts them. */
function legacyApiRefusal(world: World): string | undefined {
  const { leader } = world.primary
  const servers = world.primary.servers.filter(isRunning)
  // Latchkey servers write to their database without a leader.
  const hasWriter = world.model.needsMajority ? leader !== undefined && isRunning(leader) : servers.length > 0
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

/** The reason why a datacenter currently refuses writes through the token API. */
function newApiRefusal({ leader }: DatacenterState): string | undefined {
  if (leader === undefined || !isRunning(leader)) return 'No cluster leader'
  return NEW_API_REFUSALS[leader.process.mode]
}
