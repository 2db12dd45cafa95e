import { showRole } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { withoutLater } from '../reply/later-fields.ts'
import { isListed } from '../request/namespace.ts'

/** All roles, or those that link one policy. */
export function listRolesHandler(call: Call<'roles.list'>): Answer<'roles.list'> {
  // IDs match case-insensitively, as in links, and are stored in lower case.
  const policyId = call.query.policy?.toLowerCase()
  const roles = [...call.directory.roles()]
    .filter((role) => isListed(call, role.Namespace))
    .filter((role) => policyId === undefined || role.Policies.some((link) => link.ID === policyId))
    .map((role) => showRole(role, call.directory, call.service.edition === 'extended'))
    .map((role) => withoutLater(role, call.service.profile))
  return json(roles, { topic: 'roles', ...(policyId === undefined ? {} : { filtered: true }) })
}
