import type { Member } from '@latchkey/acl'
import type { Logger } from 'pino'
import * as z from 'zod'
import type { Config } from '../config/config.ts'

const ANSWER_MS_MAX = 5_000

/** The part of the primary's answer that a secondary needs. */
const statusSchema = z.object({ Mode: z.enum(['legacy', 'enabled']) })

/**
 * Reads whether the servers of the primary datacenter have left legacy mode, which they do together, as they share
 * one store. Spec 9.2.2.
 *
 * @returns `undefined` while the primary does not answer.
 */
export async function readPrimaryMembers(
  config: Config,
  log: Logger,
): Promise<readonly Member[] | undefined> {
  if (config.primaryUrl === undefined) return undefined
  try {
    const response = await fetch(new URL('/v1/acl/replication', config.primaryUrl), {
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      // SSRF-01: only the configured origin is ever asked.
      redirect: 'error',
    })
    const { Mode } = statusSchema.parse(await response.json())
    const id = config.primaryUrl
    const { primaryDatacenter: datacenter } = config
    return [{ id, datacenter, node: id, version: '', mode: Mode, heartbeatAt: Date.now(), status: 'alive' }]
  } catch (error) {
    log.debug({ err: error }, 'the primary datacenter does not answer')
    return undefined
  }
}
