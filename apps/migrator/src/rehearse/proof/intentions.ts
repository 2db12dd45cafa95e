/** Compares the intentions on the servers of a rehearsal, after the schedule, with the simulation. Spec 9.5. */
import { type Client, type Intention, NotFound } from '@latchkey/sdk'
import type { History } from '../../simulate/history.ts'
import type { Cluster } from '../cluster.ts'
import type { CreatedIntention } from '../steps/intentions.ts'
import type { Proof } from './proof.ts'

/** The intentions as the servers show them after the schedule. */
export interface IntentionsFound {
  /** Source and destination of each intention that was created. */
  readonly created: readonly string[]
  readonly listed: readonly string[]
  /** The fields of each created intention. */
  readonly fields: readonly FieldsFound[]
  /** State of the migration, by datacenter. */
  readonly states: IntentionStates
}

interface FieldsFound {
  readonly name: string
  readonly destination: string
  /** The remaining fields that spec 9.5.3 moves, from the ID-based API and from the config entry. */
  readonly kept: readonly string[]
  /** Whether the ID-based API finds the intention by its original ID. */
  readonly hasId: boolean
}

export type IntentionStates = Readonly<Record<string, string>>

/** The state of the migration in a datacenter; `none` while none of its servers answers. */
export async function intentionState(cluster: Cluster): Promise<string> {
  if (cluster.answering().length === 0) return 'none'
  const status = cluster.client(cluster.managementSecret).intentions.migration({ retries: 0 })
  return status.then(({ State }) => State).catch(() => 'none')
}

export async function findIntentions(
  clusters: readonly Cluster[],
  primary: Cluster,
  intentions: readonly CreatedIntention[],
): Promise<IntentionsFound | undefined> {
  if (intentions.length === 0 || primary.answering().length === 0) return undefined
  const client = primary.client(primary.managementSecret)
  const listed = await client.intentions.list()
  const states = Object.fromEntries(
    await Promise.all(
      clusters.map(async (cluster) => [cluster.datacenter, await intentionState(cluster)] as const),
    ),
  )
  const hasEntries = states[primary.datacenter] === 'done'
  const legacyFields = hasEntries ? await entryFields(client) : new Map<string, readonly string[]>()
  return {
    created: intentions.map(nameOf),
    listed: listed.map(listedName),
    fields: await Promise.all(
      intentions.map(async (intention) => ({
        name: nameOf(intention),
        destination: intention.destination,
        kept: [
          ...keptFields(listed.find((each) => listedName(each) === nameOf(intention))),
          ...(legacyFields.get(nameOf(intention)) ?? []),
        ],
        hasId: await hasId(client, intention.id),
      })),
    ),
    states,
  }
}

function nameOf({ source, destination }: Pick<CreatedIntention, 'source' | 'destination'>): string {
  return `${source} => ${destination}`
}

function listedName({ SourceName, DestinationName }: Intention): string {
  return nameOf({ source: SourceName, destination: DestinationName })
}

function keptFields({ ID, CreatedAt, UpdatedAt, Meta }: Partial<Intention> = {}): readonly string[] {
  return present({ ID, CreatedAt, UpdatedAt, Meta })
}

/** The legacy fields of the source of each intention. */
async function entryFields(client: Client): Promise<ReadonlyMap<string, readonly string[]>> {
  const entries = await client.configEntries.list()
  return new Map(
    entries.flatMap(({ Name: destination, Sources }) =>
      Sources.map(({ Name: source, LegacyID, LegacyCreateTime, LegacyUpdateTime, LegacyMeta }) => [
        nameOf({ source, destination }),
        present({ LegacyID, LegacyCreateTime, LegacyUpdateTime, LegacyMeta }),
      ]),
    ),
  )
}

function present(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const isThere = (value: unknown) =>
    typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
  return Object.entries(fields).flatMap(([name, value]) => (isThere(value) ? [name] : []))
}

function hasId(client: Client, id: string): Promise<boolean> {
  return client.intentions.read(id).then(
    () => true,
    (error: unknown) => {
      if (error instanceof NotFound) return false
      throw error
    },
  )
}

/** The last state of each datacenter in a simulation. Datacenters that have not begun are absent. */
export function simulatedStates({ records }: Pick<History, 'records'>): IntentionStates {
  return Object.fromEntries(
    records.flatMap((each) => (each.kind === 'intentions' ? [[each.datacenter, each.state] as const] : [])),
  )
}

/** The destinations that a simulation edited as config entries. */
export function editedDestinations({ records }: Pick<History, 'records'>): ReadonlySet<string> {
  return new Set(
    records.flatMap((each) => (each.kind === 'intention-edited' && each.migrated ? [each.destination] : [])),
  )
}

/** The simulated history of intentions. */
interface IntentionsSimulated {
  readonly intentions: IntentionStates
  readonly editedDestinations: ReadonlySet<string>
}

export function intentionProofs(found: IntentionsFound, simulated: IntentionsSimulated): readonly Proof[] {
  const { created, listed, states } = found
  const isSame = JSON.stringify([...created].sort()) === JSON.stringify([...listed].sort())
  const simulatedIn = (datacenter: string) => simulated.intentions[datacenter] ?? 'none'
  const differing = Object.entries(states).filter(([datacenter, state]) => state !== simulatedIn(datacenter))
  return [
    {
      name: 'every intention exists exactly once',
      holds: isSame,
      detail: `${created.length} created, ${listed.length} listed`,
    },
    {
      name: 'the progress of the intention migration matches the simulation',
      holds: differing.length === 0,
      detail: Object.entries(states)
        .map(([datacenter, state]) => `${datacenter}: ${state}, simulated ${simulatedIn(datacenter)}`)
        .join('; '),
    },
    fieldProof(found, simulated.editedDestinations),
  ]
}

/** Spec 9.5.3: an edit as a config entry clears the fields of the ID-based API, for the edited intentions only. */
function fieldProof({ fields }: IntentionsFound, edited: ReadonlySet<string>): Proof {
  const faults = fields.flatMap(({ name, destination, kept, hasId: isById }) => {
    if (!edited.has(destination)) return isById ? [] : [`${name} is unknown by its ID`]
    return [
      ...(isById ? [`${name} is still known by its ID`] : []),
      ...(kept.length > 0 ? [`${name} still has ${kept.join(', ')}`] : []),
    ]
  })
  const moved = fields.filter(({ destination }) => edited.has(destination)).length
  return {
    name: 'edited intentions, and no others, lost the fields of the ID-based API',
    holds: faults.length === 0,
    detail: faults.join('; ') || `${moved} edited, ${fields.length - moved} known by their IDs`,
  }
}
