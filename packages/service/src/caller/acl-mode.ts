/** The ACL mode in the store. Spec 9.2.1; decisions: upgrade. */
import type { AclModeRecord, Directory } from '@latchkey/acl'

/** A store without the record was written by a version that had no legacy mode. */
export function aclModeOf(directory: Directory): AclModeRecord['mode'] {
  return directory.system('acl-mode')?.Value.mode ?? 'enabled'
}
