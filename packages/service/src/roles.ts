import { createRole, type Directory, type RoleRecord, showRole, updateRole } from '@latchkey/acl'
import type { CreateRole, Role } from '@latchkey/contract'
import { type Context, type Handler, type JsonAnswer, json } from './handler.ts'
import {
  deleteRecord,
  type Kind,
  readRecord,
  requireRecord,
  takeId,
  withId,
  within,
  writeRecord,
} from './records.ts'
import { laterFieldsOf, withoutLater } from './reply/later-fields.ts'
import { inBodyNamespace, isListed } from './request/namespace.ts'

const ROLES: Kind<'roles', Role> = {
  table: 'roles',
  subject: 'Requested role',
  find: (directory, id, namespace) => within(namespace, directory.role(id)),
  show: shownRole,
}

function shownRole({ service }: Context, role: RoleRecord, directory: Directory): Role {
  return withoutLater(
    showRole(role, directory, service.edition === 'extended'),
    laterFieldsOf(service.profile),
  )
}

export const createRoleHandler: Handler<'roles.create'> = (call) => createRoleBy(call, ...takeId(call))

/** Also used by an update without an ID. */
function createRoleBy(call: Context, request: CreateRole, id?: string): Promise<JsonAnswer<Role>> {
  const { namespace } = inBodyNamespace(call, request.Namespace)
  const { random } = call.service
  return writeRecord(ROLES, call, (directory) => {
    const record = createRole(request, { random, directory, namespace })
    return { record: withId(record, id, (each) => directory.role(each)) }
  })
}

export const readRoleHandler: Handler<'roles.read'> = (call) => readRecord(ROLES, call, call.params.ID)

export const readRoleByNameHandler: Handler<'roles.readByName'> = (call) =>
  readRecord(ROLES, call, call.params.Name, (directory, name, namespace) =>
    directory.roleByName(namespace, name),
  )

/** An empty ID creates a role, as existing clients expect. Decisions: empty ids. */
export const updateRoleHandler: Handler<'roles.update'> = (call) => {
  const { service, body, params } = call
  if (params.ID === '') return createRoleBy(call, body)
  const there = inBodyNamespace(call, body.Namespace)
  return writeRecord(ROLES, call, (directory) => {
    const existing = requireRecord(ROLES, there, directory, params.ID)
    const record = updateRole(existing, body, { directory, kept: laterFieldsOf(service.profile) })
    return { record, existing }
  })
}

export const deleteRoleHandler: Handler<'roles.delete'> = (call) => deleteRecord(ROLES, call, call.params.ID)

/** All roles, or those that link one policy. */
export const listRolesHandler: Handler<'roles.list'> = (call) => {
  // IDs match case-insensitively, as in links, and are stored in lower case.
  const policyId = call.query.policy?.toLowerCase()
  const roles = [...call.directory.roles()]
    .filter((role) => isListed(call, role.Namespace))
    .filter((role) => policyId === undefined || role.Policies.some((link) => link.ID === policyId))
  const shown = roles.map((role) => shownRole(call, role, call.directory))
  return json(shown, { topic: 'roles', ...(policyId === undefined ? {} : { filtered: true }) })
}
