/** The intentions of a rehearsal: created before the schedule, and asked for after it. Spec 9.5. */
import { InputError } from '../../errors.ts'
import type { IntentionSpec } from '../../scenario/scenario.ts'
import type { History } from '../../simulate/history.ts'
import type { Cluster } from '../cluster.ts'
import type { Proof } from './proof.ts'

/** What the servers show after the schedule. */
export interface IntentionsFound {
  /** Source and destination of each intention that was created. */
  readonly created: readonly string[]
  readonly listed: readonly string[]
  /** State of the migration, by datacenter. */
  readonly states: IntentionStates
}

export type IntentionStates = Readonly<Record<string, string>>

/** @throws InputError for one in another namespace: the servers of a rehearsal have the standard edition. */
export function checkIntentions(intentions: readonly IntentionSpec[]): void {
  const other = intentions.find(
    ({ namespace, sourceNamespace }) => namespace !== 'default' || sourceNamespace !== 'default',
  )
  if (other !== undefined)
    throw new InputError(`a rehearsal has intentions of the namespace default, and not of ${other.namespace}`)
}

/** Creates them through the ID-based API. */
export async function createIntentions(
  primary: Cluster,
  intentions: readonly IntentionSpec[],
): Promise<void> {
  const client = primary.client(primary.managementSecret)
  for (const { source, destination, hasMeta } of intentions) {
    const Meta = hasMeta ? { Meta: { rehearsal: 'true' } } : {}
    await client.intentions.create({
      SourceName: source,
      DestinationName: destination,
      Action: 'allow',
      ...Meta,
    })
  }
}

/** How far a datacenter is. `none` while none of its servers answers. */
export async function intentionState(cluster: Cluster): Promise<string> {
  if (cluster.answering().length === 0) return 'none'
  const status = cluster.client(cluster.managementSecret).intentions.migration({ retries: 0 })
  return status.then(({ State }) => State).catch(() => 'none')
}

export async function findIntentions(
  clusters: readonly Cluster[],
  primary: Cluster,
  intentions: readonly IntentionSpec[],
): Promise<IntentionsFound | undefined> {
  if (intentions.length === 0 || primary.answering().length === 0) return undefined
  const listed = await primary.client(primary.managementSecret).intentions.list()
  const states = await Promise.all(
    clusters.map(async (cluster) => [cluster.datacenter, await intentionState(cluster)] as const),
  )
  return {
    created: intentions.map(({ source, destination }) => `${source} => ${destination}`),
    listed: listed.map(({ SourceName, DestinationName }) => `${SourceName} => ${DestinationName}`),
    states: Object.fromEntries(states),
  }
}

/** The last state of each datacenter in a simulation; `none` for one that has not begun. */
export function simulatedStates({ records }: Pick<History, 'records'>): IntentionStates {
  return Object.fromEntries(
    records.flatMap((each) => (each.kind === 'intentions' ? [[each.datacenter, each.state] as const] : [])),
  )
}

export function intentionProofs(found: IntentionsFound, simulated: IntentionStates): readonly Proof[] {
  const { created, listed, states } = found
  const isSame = JSON.stringify([...created].sort()) === JSON.stringify([...listed].sort())
  const differing = Object.entries(states).filter(
    ([datacenter, state]) => state !== (simulated[datacenter] ?? 'none'),
  )
  return [
    {
      name: 'every intention exists exactly once',
      holds: isSame,
      detail: `${created.length} created, ${listed.length} listed`,
    },
    {
      name: 'the migration of intentions is as far as simulated',
      holds: differing.length === 0,
      detail: Object.entries(states)
        .map(([datacenter, state]) => `${datacenter}: ${state}, simulated ${simulated[datacenter] ?? 'none'}`)
        .join('; '),
    },
  ]
}
