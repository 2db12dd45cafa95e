/** The ACL mode as the store remembers it. Spec 9.2.1; decisions: upgrade. */
import type { AclModeRecord, Directory } from '@latchkey/acl'

/** A store without the record was made by a version that knows no legacy mode. */
export function aclModeOf(directory: Directory): AclModeRecord['mode'] {
  const record = directory.system('acl-mode')?.Value as AclModeRecord | undefined
  return record?.mode ?? 'enabled'
}
