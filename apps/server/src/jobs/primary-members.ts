import type { Member } from '@latchkey/acl'
import { HEADER } from '@latchkey/contract'
import type { Logger } from 'pino'
import * as z from 'zod'
import type { Config } from '../config/config.ts'
import type { PrimaryClient } from '../outgoing/primary-client.ts'
import { readReplicationToken } from '../replication/replication-token.ts'
import type { ServerStore } from '../server-store.ts'

/** The part of an answer of the primary that a secondary needs. */
const statusSchema = z.object({
  Mode: z.enum(['legacy', 'enabled']),
  SourceDatacenter: z.string().default(''),
})
const intentionsSchema = z.object({ State: z.string() })

export interface SeenPrimary {
  readonly members: readonly Member[]
  /** The datacenter that the primary itself replicates from, if any. */
  readonly follows: string | undefined
}

/**
 * Reads whether the servers of the primary datacenter, which share one store, have left legacy mode. Spec 9.2.2.
 * @returns `undefined` in the primary itself, and while it does not answer.
 */
export async function readPrimaryMembers(
  primary: PrimaryClient | undefined,
  { datacenter, log }: { readonly datacenter: string; readonly log: Logger },
): Promise<SeenPrimary | undefined> {
  if (primary === undefined) return undefined
  try {
    const { origin, body } = await primary.get({ path: '/v1/acl/replication' })
    const { Mode, SourceDatacenter } = statusSchema.parse(bodyOf(body))
    const server = { id: origin, datacenter, node: origin, version: '', mode: Mode }
    const members = [{ ...server, heartbeatAt: Date.now(), status: 'alive' as const }]
    return { members, follows: SourceDatacenter === '' ? undefined : SourceDatacenter }
  } catch (error) {
    log.debug({ err: error }, 'the primary datacenter does not answer')
    return undefined
  }
}

/** Reads the progress of the primary's migration of intentions, if it answers. Spec 9.5.1. */
export async function readPrimaryIntentions(
  primary: PrimaryClient | undefined,
  { store, config, log }: { readonly store: ServerStore; readonly config: Config; readonly log: Logger },
): Promise<string | undefined> {
  try {
    const [headerPrefix = ''] = config.headerPrefixes
    const headers = { [`${headerPrefix}${HEADER.token}`]: await readReplicationToken({ store, config }) }
    const answer = await primary?.get({ path: '/v1/internal/intentions/migration', headers })
    if (answer?.status !== 200) return undefined
    return intentionsSchema.parse(bodyOf(answer.body)).State
  } catch (error) {
    log.debug({ err: error }, 'the primary datacenter does not answer')
    return undefined
  }
}

function bodyOf(body: Uint8Array): unknown {
  return JSON.parse(Buffer.from(body).toString('utf8'))
}
