import { createRole, type Directory, type RoleRecord, showRole, updateRole } from '@latchkey/acl'
import type { CreateRole, Role } from '@latchkey/contract'
import {
  type Answer,
  type Context,
  type Handler,
  type JsonAnswer,
  json,
  missing,
  notFound,
} from './handler.ts'
import { laterFieldsOf, withoutLater } from './reply/later-fields.ts'
import { inBodyNamespace, isListed } from './request/namespace.ts'
import { created, decideAndCommitFor, modified } from './store/commit.ts'

export const createRoleHandler: Handler<'roles.create'> = (call) => createRoleBy(call, call.body)

/** Also used by an update without an ID. */
function createRoleBy(call: Context, request: CreateRole): Promise<Answer<'roles.create'>> {
  const { service } = call
  const { namespace } = inBodyNamespace(call, request.Namespace)
  return decideAndCommitFor(call, () => {
    const directory = service.store.directory()
    const record = createRole(request, { random: service.random, directory, namespace })
    return {
      changes: [{ table: 'roles', op: 'put', record, expect: 0 }],
      answer: (index) => roleShown(call, created(record, index), directory),
    }
  })
}

export const readRoleHandler: Handler<'roles.read'> = (call) =>
  roleRead(call, findRole(call, call.directory, call.params.ID))

export const readRoleByNameHandler: Handler<'roles.readByName'> = (call) =>
  roleRead(call, call.directory.roleByName(call.namespace, call.params.Name))

/** An empty ID creates a role, as existing clients expect. Decisions: empty ids. */
export const updateRoleHandler: Handler<'roles.update'> = (call) => {
  const { service, body, params } = call
  if (params.ID === '') return createRoleBy(call, body)
  const there = inBodyNamespace(call, body.Namespace)
  return decideAndCommitFor(call, () => {
    const directory = service.store.directory()
    const existing = requireRole(there, directory, params.ID)
    const record = updateRole(existing, body, { directory, kept: laterFieldsOf(service.profile) })
    return {
      changes: [{ table: 'roles', op: 'put', record, expect: existing.ModifyIndex }],
      answer: (index) => roleShown(call, modified(record, index), directory),
    }
  })
}

export const deleteRoleHandler: Handler<'roles.delete'> = (call) =>
  decideAndCommitFor(call, () => {
    const existing = requireRole(call, call.service.store.directory(), call.params.ID)
    return {
      changes: [{ table: 'roles', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })

/** All roles, or those that link one policy. */
export const listRolesHandler: Handler<'roles.list'> = (call) => {
  // IDs match case-insensitively, as in links, and are stored in lower case.
  const policyId = call.query.policy?.toLowerCase()
  const later = laterFieldsOf(call.service.profile)
  const roles = [...call.directory.roles()]
    .filter((role) => isListed(call, role.Namespace))
    .filter((role) => policyId === undefined || role.Policies.some((link) => link.ID === policyId))
    .map((role) => showRole(role, call.directory, call.service.edition === 'extended'))
    .map((role) => withoutLater(role, later))
  return json(roles, { topic: 'roles', ...(policyId === undefined ? {} : { filtered: true }) })
}

/** The role, if it is in the request's namespace. */
function findRole(call: Context, directory: Directory, id: string): RoleRecord | undefined {
  const role = directory.role(id)
  return role?.Namespace === call.namespace ? role : undefined
}

/** @throws AclError `not_found`. */
function requireRole(call: Context, directory: Directory, id: string): RoleRecord {
  const role = findRole(call, directory, id)
  if (!role) throw notFound('Requested role')
  return role
}

/** The answer of a read. A blocking query can wait for the role to appear, change or disappear. */
function roleRead(call: Context, role: RoleRecord | undefined): JsonAnswer<Role> {
  if (!role) return missing(notFound('Requested role'), { topic: 'roles', filtered: true })
  return {
    ...roleShown(call, role, call.directory),
    watch: { topic: 'roles', modifyIndex: role.ModifyIndex },
  }
}

function roleShown({ service }: Context, role: RoleRecord, directory: Directory): JsonAnswer<Role> {
  return json(
    withoutLater(showRole(role, directory, service.edition === 'extended'), laterFieldsOf(service.profile)),
  )
}
