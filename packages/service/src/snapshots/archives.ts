import { AclError } from '@latchkey/contract'
import { secretsSeen } from '../caller/authority.ts'
import { globalManagementMissing } from '../caller/caller.ts'
import type { Context } from '../handler.ts'
import type { Archives } from '../options.ts'

/**
 * The archives of the store, for a caller that may see and replace everything in it.
 *
 * @throws AclError `privilege_missing`; `endpoint_not_built` if the store cannot be archived.
 */
export function requireArchives(call: Context): Archives {
  if (secretsSeen(call) !== 'all') throw globalManagementMissing(call.caller)
  const { archives } = call.service
  if (archives === undefined) throw new AclError('endpoint_not_built', 'This store cannot be archived')
  return archives
}
