/** The one-time migration of intentions to config entries, which blocks writes until it is done. Spec 9.5. */
import { blocksIntentions, INTENTIONS_LOOK_MS, intentionsDurationMs } from '@latchkey/acl'
import { INTENTIONS_AS_ENTRIES, isAtLeast } from '../../version.ts'
import type { DatacenterState } from '../datacenter.ts'
import type { Blocker } from '../history.ts'
import { PHASE } from '../queue.ts'
import { changed, isLinkUp, isRunning, linkDelayMs, record, type World } from '../world.ts'

export function tellIntentionsLeader(world: World, datacenter: DatacenterState): void {
  const { leader, intentions } = datacenter
  if (leader?.process === undefined || intentions.state === 'done' || !concerns(world)) return
  if (!isAtLeast(leader.process.version, INTENTIONS_AS_ENTRIES)) return
  if (!world.scenario.connect) {
    enter(world, datacenter, 'never', 'connect is switched off, so the migration never starts')
    return
  }
  intentions.state = 'none'
  poll(world, datacenter)
}

function concerns(world: World): boolean {
  const { intentions, workloads } = world.scenario
  return intentions.length > 0 || workloads.some((each) => each.kind.startsWith('intention-'))
}

function poll(world: World, datacenter: DatacenterState): void {
  const { term, intentions } = datacenter
  if (intentions.state === 'done' || intentions.state === 'migrating') return
  const blockers = blockersOf(world, datacenter)
  intentions.lookedAtChange = world.changes
  if (blockers.length === 0) {
    migrate(world, datacenter)
    return
  }
  if (intentions.state !== 'waiting') {
    const texts = blockers.map(({ server, why }) => (server === '' ? why : `${server} (${why})`))
    enter(world, datacenter, 'waiting', `waits for ${texts.join(', ')}`, blockers)
  }
  const due = () => {
    if (datacenter.term !== term || datacenter.leader === undefined) return
    if (isRunning(datacenter.leader)) poll(world, datacenter)
  }
  world.queue.push(world.now + INTENTIONS_LOOK_MS, PHASE.look, due, { passive: true })
}

/** Left servers do not count. A secondary also waits for the primary and for its migration. */
function blockersOf(world: World, datacenter: DatacenterState): Blocker[] {
  const watched = datacenter === world.primary ? [datacenter] : [datacenter, world.primary]
  const old = watched.flatMap((there) =>
    there.servers.flatMap((server): Blocker[] => {
      const known = datacenter.view.get(server.spec.id)
      const isItself = server === datacenter.leader
      if (known === undefined || isItself || !blocksIntentions(known)) return []
      return [{ server: server.spec.id, why: 'older than 1.9.0' }]
    }),
  )
  if (old.length > 0 || datacenter === world.primary) return old
  const { state } = world.primary.intentions
  if (state !== 'done') return [{ server: '', why: 'the primary datacenter has not migrated' }]
  const isReached = isLinkUp(world, datacenter, world.primary)
  return isReached ? [] : [{ server: '', why: 'the primary datacenter cannot be reached' }]
}

function migrate(world: World, datacenter: DatacenterState): void {
  const destinations = new Set(
    world.scenario.intentions.map(({ namespace, destination }) => `${namespace}/${destination}`),
  ).size
  const isPrimary = datacenter === world.primary
  const linkMs = linkDelayMs(world, datacenter, world.primary)
  const delayMs = isPrimary ? intentionsDurationMs(destinations) : 2 * linkMs
  const text = destinations === 1 ? '1 destination' : `${destinations.toLocaleString('en-US')} destinations`
  if (destinations > 0 && isPrimary) enter(world, datacenter, 'migrating', text)
  datacenter.intentions.state = 'migrating'
  if (destinations > 0) datacenter.intentions.hasEntries = true
  const { term } = datacenter
  world.queue.push(world.now + delayMs, PHASE.work, () => {
    if (datacenter.term !== term) return
    enter(world, datacenter, 'done', destinations === 0 ? 'nothing to migrate' : text)
  })
}

function enter(
  world: World,
  datacenter: DatacenterState,
  state: 'waiting' | 'migrating' | 'done' | 'never',
  detail: string,
  waitsFor?: readonly Blocker[],
): void {
  datacenter.intentions.state = state
  const blockers = waitsFor === undefined ? {} : { waitsFor }
  record(world, { kind: 'intentions', datacenter: datacenter.spec.name, state, detail, ...blockers })
  changed(world)
}
