/** Roles. Reference 5.2. */
import { AclError, roleRequestSchema } from '@latchkey/contract'
import { checkPathId } from '../ids.ts'
import { createRole, showRole, updateRole } from '../role/role-rules.ts'
import type { Directory } from '../store/directory.ts'
import type { RoleRecord } from '../store/records.ts'
import { type Answer, absentRoleFields, type Call, decode, json, missing, notFound } from './call.ts'
import { created, decideAndCommit, modified } from './commit.ts'
import { inBodyNamespace, isListed } from './namespace.ts'

export function createRoleHandler(call: Call): Promise<Answer> {
  const { api } = call
  const request = decode(call, roleRequestSchema, { absentFields: absentRoleFields(api.profile) })
  const { namespace } = inBodyNamespace(call, request.Namespace)
  return decideAndCommit(api.store, async () => {
    const directory = await api.store.directory()
    const record = createRole(request, { random: api.random, directory, namespace })
    return {
      changes: [{ table: 'roles', op: 'put', record, expect: 0 }],
      answer: (index) => shown(call, created(record, index), directory),
    }
  })
}

export function readRoleHandler(call: Call): Answer {
  const id = call.params.ID ?? ''
  checkPathId(id, 'role', 'ID')
  return readAnswer(call, findRole(call, call.directory, id))
}

export function readRoleByNameHandler(call: Call): Answer {
  const name = call.params.Name ?? ''
  if (name === '') throw new AclError('id_missing', 'Missing role Name', { field: 'Name' })
  return readAnswer(call, call.directory.roleByName(call.namespace, name))
}

/** With an empty ID it creates, as existing clients of the reference may do. Reference 5.2. */
export function updateRoleHandler(call: Call): Promise<Answer> {
  const { api } = call
  const id = call.params.ID ?? ''
  if (id === '') return createRoleHandler(call)
  checkPathId(id, 'role', 'ID')
  const request = decode(call, roleRequestSchema, { absentFields: absentRoleFields(api.profile) })
  const there = inBodyNamespace(call, request.Namespace)
  return decideAndCommit(api.store, async () => {
    const directory = await api.store.directory()
    const existing = requireRole(there, directory, id)
    const record = updateRole(existing, request, directory)
    return {
      changes: [{ table: 'roles', op: 'put', record, expect: existing.ModifyIndex }],
      answer: (index) => shown(call, modified(record, index), directory),
    }
  })
}

export function deleteRoleHandler(call: Call): Promise<Answer> {
  const { api } = call
  const id = call.params.ID ?? ''
  checkPathId(id, 'role', 'ID')
  return decideAndCommit(api.store, async () => {
    const existing = requireRole(call, await api.store.directory(), id)
    return {
      changes: [{ table: 'roles', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })
}

/** All roles, or those that link one policy. */
export function listRolesHandler(call: Call): Answer {
  const policyId = call.query.get('policy')
  const roles = [...call.directory.roles()]
    .filter((role) => isListed(call, role.Namespace))
    .filter((role) => policyId === undefined || role.Policies.some((link) => link.ID === policyId))
    .map((role) => showRole(role, call.directory, call.api.edition === 'extended'))
  return json(roles, { topic: 'roles', ...(policyId === undefined ? {} : { filtered: true }) })
}

function findRole(call: Call, directory: Directory, id: string): RoleRecord | undefined {
  const role = directory.role(id)
  return role?.Namespace === call.namespace ? role : undefined
}

function requireRole(call: Call, directory: Directory, id: string): RoleRecord {
  const role = findRole(call, directory, id)
  if (!role) throw notFound('Requested role')
  return role
}

function readAnswer(call: Call, role: RoleRecord | undefined): Answer {
  if (!role) return missing(notFound('Requested role'), 'roles')
  return { ...shown(call, role, call.directory), watch: { topic: 'roles', filtered: true } }
}

function shown(call: Call, role: RoleRecord, directory: Directory): Answer {
  return json(showRole(role, directory, call.api.edition === 'extended'))
}
