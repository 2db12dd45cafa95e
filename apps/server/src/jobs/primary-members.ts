import type { Member } from '@latchkey/acl'
import { HEADER } from '@latchkey/contract'
import type { Logger } from 'pino'
import * as z from 'zod'
import type { PrimaryClient } from '../outgoing/primary-client.ts'

/** The part of the primary's answer that a secondary needs. */
const statusSchema = z.object({
  Mode: z.enum(['legacy', 'enabled']),
  SourceDatacenter: z.string().default(''),
})

const intentionsSchema = z.object({ State: z.string() })

/** What a secondary sees of its primary. */
export interface SeenPrimary {
  readonly members: readonly Member[]
  /** The datacenter that the primary itself replicates from, if any. */
  readonly follows: string | undefined
}

/**
 * Reads whether the servers of the primary datacenter have left legacy mode, which they do together, because they share
 * one store. Spec 9.2.2.
 *
 * @param primary absent in the primary itself.
 * @returns `undefined` while the primary does not answer.
 */
export async function readPrimaryMembers(
  primary: PrimaryClient | undefined,
  { datacenter, log }: { readonly datacenter: string; readonly log: Logger },
): Promise<SeenPrimary | undefined> {
  if (primary === undefined) return undefined
  try {
    const { origin, body } = await primary.get({ path: '/v1/acl/replication' })
    const { Mode, SourceDatacenter } = statusSchema.parse(JSON.parse(Buffer.from(body).toString('utf8')))
    const server = { id: origin, datacenter, node: origin, version: '', mode: Mode }
    const members = [{ ...server, heartbeatAt: Date.now(), status: 'alive' as const }]
    return { members, follows: SourceDatacenter === '' ? undefined : SourceDatacenter }
  } catch (error) {
    log.debug({ err: error }, 'the primary datacenter does not answer')
    return undefined
  }
}

/**
 * Reads the progress of the primary datacenter's migration of intentions. Spec 9.5.1.
 *
 * @param primary absent in the primary itself.
 * @param token the secret with which this datacenter replicates.
 * @returns `undefined` while the primary does not answer.
 */
export async function readPrimaryIntentions(
  primary: PrimaryClient | undefined,
  {
    token,
    headerPrefix,
    log,
  }: { readonly token: () => Promise<string>; readonly headerPrefix: string; readonly log: Logger },
): Promise<string | undefined> {
  try {
    const headers = { [`${headerPrefix}${HEADER.token}`]: await token() }
    const answer = await primary?.get({ path: '/v1/internal/intentions/migration', headers })
    if (answer?.status !== 200) return undefined
    return intentionsSchema.parse(JSON.parse(Buffer.from(answer.body).toString('utf8'))).State
  } catch (error) {
    log.debug({ err: error }, 'the primary datacenter does not answer')
    return undefined
  }
}
