import type { Answer, Call } from '../handler.ts'
import { findRole, roleRead } from './stored-role.ts'

export function readRoleHandler(call: Call<'roles.read'>): Answer<'roles.read'> {
  return roleRead(call, findRole(call, call.directory, call.params.ID))
}
