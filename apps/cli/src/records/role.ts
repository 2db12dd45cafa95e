import type { Client, Role, RoleCreate } from '@latchkey/sdk'
import { descriptionField, linkFields, namespaceField, rightsText } from './columns.ts'
import { changedLinks, isId, nodeIdentities, serviceIdentities } from './links.ts'
import { readRecord } from './read-body.ts'
import { type RecordKind, recordActions } from './record-kind.ts'
import { findByName } from './suggest.ts'

/** A role by name or ID. */
export async function findRole(client: Client, reference: string): Promise<Role> {
  if (isId(reference)) return client.roles.read(reference)
  return findByName('role', reference, {
    read: () => client.roles.readByName(reference),
    names: async () => (await client.roles.list()).map(({ Name }) => Name),
  })
}

const kind: RecordKind<Role, Role, RoleCreate> = {
  word: 'role',
  plural: 'roles',
  columns: [
    { title: 'Name', text: ({ Name }) => Name },
    { title: 'ID', text: ({ ID }) => ID },
    { title: 'Rights from', text: rightsText },
    descriptionField,
  ],
  fields: [
    { title: 'Name', text: ({ Name }) => Name },
    { title: 'ID', text: ({ ID }) => ID },
    namespaceField,
    descriptionField,
    ...linkFields,
  ],
  async list(client, input) {
    const policy = input.text('policy')
    if (policy === undefined) return client.roles.list()
    const { findPolicy } = await import('./policy.ts')
    return client.roles.list({ policy: (await findPolicy(client, policy)).ID })
  },
  find: findRole,
  read: async (path, session) =>
    readRecord(path, (await import('@latchkey/contract')).createRoleSchema, session),
  async body(base, input) {
    const Policies = changedLinks(base.Policies, 'policy', input)
    const services = input.texts('service')
    const nodes = input.texts('node')
    const Description = input.text('description')
    return {
      ...base,
      Name: input.text('rename') ?? base.Name ?? input.arg(0),
      ...(Policies === undefined ? {} : { Policies }),
      ...(services === undefined ? {} : { ServiceIdentities: serviceIdentities(services) }),
      ...(nodes === undefined ? {} : { NodeIdentities: nodeIdentities(nodes) }),
      ...(Description === undefined ? {} : { Description }),
    }
  },
  create: (client, body) => client.roles.create(body),
  update: (client, { ID }, body) => client.roles.update(ID, body),
  delete: (client, { ID }) => client.roles.delete(ID),
  clone: (client, role, input) => client.roles.create({ ...contentOf(role), Name: input.arg(1) }),
  nameOf: ({ Name }) => `role ${Name}`,
  baseOf: contentOf,
  deleteWarning: 'The tokens that have it lose its rights.',
}

function contentOf({ ID: _, Hash: _h, CreateIndex: _c, ModifyIndex: _m, ...content }: Role): RoleCreate {
  return content
}

export const roleActions = recordActions(kind)
