/** Compares the intentions on the servers of a rehearsal, after the schedule, with the simulation. Spec 9.5. */
import { isDeepStrictEqual } from 'node:util'
import { type Client, type Intention, NotFound } from '@latchkey/sdk'
import type { History } from '../../simulate/run.ts'
import type { Cluster } from '../cluster.ts'
import type { CreatedIntention } from '../steps/intentions.ts'
import { type Proof, proof } from './proof.ts'

export type IntentionsFound = NonNullable<Awaited<ReturnType<typeof findIntentions>>>

export type IntentionStates = Readonly<Record<string, string>>

export async function intentionState(cluster: Cluster): Promise<string> {
  if (cluster.answering().length === 0) return 'none'
  const status = cluster.client(cluster.managementSecret).intentions.migration({ retries: 0 })
  return status.then(({ State }) => State).catch(() => 'none')
}

export async function findIntentions(
  clusters: readonly Cluster[],
  primary: Cluster,
  intentions: readonly CreatedIntention[],
) {
  if (intentions.length === 0 || primary.answering().length === 0) return undefined
  const client = primary.client(primary.managementSecret)
  const listed = await client.intentions.list()
  const states: IntentionStates = Object.fromEntries(
    await Promise.all(clusters.map(async (each) => [each.datacenter, await intentionState(each)] as const)),
  )
  const hasEntries = states[primary.datacenter] === 'done'
  const legacyFields = hasEntries ? await entryFields(client) : new Map<string, readonly string[]>()
  const fields = intentions.map(async (intention) => {
    const name = nameOf(intention)
    const { ID, CreatedAt, UpdatedAt, Meta }: Partial<Intention> =
      listed.find((each) => listedName(each) === name) ?? {}
    // The remaining fields that spec 9.5.3 moves, from the ID-based API and from the config entry.
    const kept = [...present({ ID, CreatedAt, UpdatedAt, Meta }), ...(legacyFields.get(name) ?? [])]
    return { name, destination: intention.destination, kept, hasId: await hasId(client, intention.id) }
  })
  return {
    created: intentions.map(nameOf),
    listed: listed.map(listedName),
    fields: await Promise.all(fields),
    states,
  }
}

function nameOf({ source, destination }: Pick<CreatedIntention, 'source' | 'destination'>): string {
  return `${source} => ${destination}`
}

function listedName({ SourceName, DestinationName }: Intention): string {
  return nameOf({ source: SourceName, destination: DestinationName })
}

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

export function editedDestinations({ records }: Pick<History, 'records'>): ReadonlySet<string> {
  return new Set(
    records.flatMap((each) => (each.kind === 'intention-edited' && each.migrated ? [each.destination] : [])),
  )
}

export function intentionProofs(
  found: IntentionsFound,
  simulated: { readonly intentions: IntentionStates; readonly editedDestinations: ReadonlySet<string> },
): readonly Proof[] {
  const { created, listed, states } = found
  const rows = Object.entries(states).map(([datacenter, state]) => {
    const predicted = simulated.intentions[datacenter] ?? 'none'
    return { isSame: state === predicted, text: `${datacenter}: ${state}, simulated ${predicted}` }
  })
  return [
    {
      name: 'every intention exists exactly once',
      holds: isDeepStrictEqual([...created].sort(), [...listed].sort()),
      detail: `${created.length} created, ${listed.length} listed`,
    },
    {
      name: 'the progress of the intention migration matches the simulation',
      holds: rows.every(({ isSame }) => isSame),
      detail: rows.map(({ text }) => text).join('; '),
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
  const detail = `${moved} edited, ${fields.length - moved} known by their IDs`
  return proof('edited intentions, and no others, lost the fields of the ID-based API', faults, detail)
}
