import type { Answer, Call } from '../handler.ts'
import { roleRead } from './stored-role.ts'

export function readRoleByNameHandler(call: Call<'roles.readByName'>): Answer<'roles.readByName'> {
  return roleRead(call, call.directory.roleByName(call.namespace, call.params.Name))
}
