/** The intentions of a rehearsal: created before the schedule, and edited by it as config entries. Spec 9.5. */
import { LatchkeyError } from '@latchkey/sdk'
import { InputError } from '../../errors.ts'
import type { IntentionSpec, ScenarioEvent } from '../../scenario/scenario.ts'
import { INTENTIONS_AS_ENTRIES, isAtLeast } from '../../version.ts'
import type { Cluster } from '../cluster.ts'

export interface CreatedIntention {
  readonly id: string
  readonly source: string
  readonly destination: string
  readonly body: {
    readonly SourceName: string
    readonly DestinationName: string
    readonly Action: 'allow'
    readonly Meta?: Readonly<Record<string, string>>
  }
}

/** @throws InputError for another namespace, and for an edit of a destination without intentions. */
export function checkIntentions(
  intentions: readonly IntentionSpec[],
  events: readonly ScenarioEvent[],
): void {
  const other = intentions.find(
    ({ namespace, sourceNamespace }) => namespace !== 'default' || sourceNamespace !== 'default',
  )
  if (other !== undefined)
    throw new InputError(`a rehearsal has intentions of the namespace default, and not of ${other.namespace}`)
  for (const event of events) {
    if (event.kind !== 'edit-intention') continue
    if (intentions.some(({ destination }) => destination === event.destination)) continue
    const { place } = event
    throw new InputError(`the scenario has no intention to ${event.destination} to edit`, { place })
  }
}

export async function createIntentions(
  primary: Cluster,
  intentions: readonly IntentionSpec[],
): Promise<readonly CreatedIntention[]> {
  const client = primary.client(primary.managementSecret)
  const created: CreatedIntention[] = []
  for (const { source, destination, hasMeta } of intentions) {
    const body = {
      SourceName: source,
      DestinationName: destination,
      Action: 'allow',
      ...(hasMeta ? { Meta: { rehearsal: 'true' } } : {}),
    } as const
    const { ID: id } = await client.intentions.create(body)
    created.push({ id, source, destination, body })
  }
  return created
}

/** Writes the intentions of a destination as a config entry. @returns why that was refused. */
export async function editEntry(primary: Cluster, destination: string): Promise<string | undefined> {
  const servers = primary.answering()
  const server = servers.find(({ version }) => isAtLeast(version, INTENTIONS_AS_ENTRIES)) ?? servers[0]
  if (server === undefined) return 'no server runs'
  const client = primary.client(primary.managementSecret, server.url)
  try {
    const listed = await client.intentions.list()
    const Sources = listed
      .filter(({ DestinationName }) => DestinationName === destination)
      .map(({ SourceName: Name }) => ({ Name, Action: 'allow' }))
    // Without this, the client would retry a blocked write until it succeeds.
    await client.configEntries.write(
      { Kind: 'service-intentions', Name: destination, Sources },
      { retries: 0 },
    )
    return undefined
  } catch (error) {
    if (error instanceof LatchkeyError) return error.message
    throw error
  }
}
