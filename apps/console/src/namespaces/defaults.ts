import type { Namespace } from '@latchkey/sdk'
import type { Linked } from '../links/links.ts'

/** The defaults of a namespace as links, which every token in it has besides its own. */
export function defaultsOf({ ACLs }: Namespace): Linked {
  return { Policies: ACLs.PolicyDefaults, Roles: ACLs.RoleDefaults }
}
