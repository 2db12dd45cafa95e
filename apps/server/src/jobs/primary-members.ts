import type { Member } from '@latchkey/acl'
import type { Logger } from 'pino'
import * as z from 'zod'
import type { PrimaryClient } from '../outgoing/primary-client.ts'

/** The part of the primary's answer that a secondary needs. */
const statusSchema = z.object({ Mode: z.enum(['legacy', 'enabled']) })

/**
 * Reads whether the servers of the primary datacenter have left legacy mode, which they do together, as they share
 * one store. Spec 9.2.2.
 *
 * @param primary absent in the primary itself.
 * @returns `undefined` while the primary does not answer.
 */
export async function readPrimaryMembers(
  primary: PrimaryClient | undefined,
  { datacenter, log }: { readonly datacenter: string; readonly log: Logger },
): Promise<readonly Member[] | undefined> {
  if (primary === undefined) return undefined
  try {
    const { origin, body } = await primary.get({ path: '/v1/acl/replication' })
    const { Mode } = statusSchema.parse(JSON.parse(Buffer.from(body).toString('utf8')))
    const server = { id: origin, datacenter, node: origin, version: '', mode: Mode }
    return [{ ...server, heartbeatAt: Date.now(), status: 'alive' }]
  } catch (error) {
    log.debug({ err: error }, 'the primary datacenter does not answer')
    return undefined
  }
}
