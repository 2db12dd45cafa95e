import type { Namespace } from '@latchkey/sdk'
import type { Linked } from '../links/links.ts'

/** The defaults of a namespace as links, which apply to every token in it. */
export function defaultsOf({ ACLs }: Namespace): Linked {
  return { Policies: ACLs.PolicyDefaults, Roles: ACLs.RoleDefaults }
}
