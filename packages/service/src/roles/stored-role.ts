/** Look-up and rendering of roles. */

import { type Directory, type RoleRecord, showRole } from '@latchkey/acl'
import type { Role } from '@latchkey/contract'
import { type Context, type JsonAnswer, json, missing, notFound } from '../handler.ts'
import { withoutLater } from '../reply/later-fields.ts'

/** The role, if it is in the request's namespace. */
export function findRole(call: Context, directory: Directory, id: string): RoleRecord | undefined {
  const role = directory.role(id)
  return role?.Namespace === call.namespace ? role : undefined
}

/** @throws AclError `not_found`. */
export function requireRole(call: Context, directory: Directory, id: string): RoleRecord {
  const role = findRole(call, directory, id)
  if (!role) throw notFound('Requested role')
  return role
}

/** The answer of a read. A blocking query can wait for the role to appear, change or disappear. */
export function roleRead(call: Context, role: RoleRecord | undefined): JsonAnswer<Role> {
  if (!role) return missing(notFound('Requested role'), { topic: 'roles', filtered: true })
  return {
    ...roleShown(call, role, call.directory),
    watch: { topic: 'roles', modifyIndex: role.ModifyIndex },
  }
}

export function roleShown({ service }: Context, role: RoleRecord, directory: Directory): JsonAnswer<Role> {
  return json(withoutLater(showRole(role, directory, service.edition === 'extended'), service.profile))
}
