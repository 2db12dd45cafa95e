import type { Namespace, NamespaceCreate } from '@latchkey/sdk'
import { descriptionField, linkNames } from './columns.ts'
import { changedLinks } from './links.ts'
import { readRecord } from './read-body.ts'
import { type RecordKind, recordActions } from './record-kind.ts'
import { findByName } from './suggest.ts'

const kind: RecordKind<Namespace, Namespace, NamespaceCreate> = {
  word: 'namespace',
  plural: 'namespaces',
  columns: [
    { title: 'Name', text: ({ Name }) => Name },
    { title: 'Policies', text: ({ ACLs }) => linkNames(ACLs.PolicyDefaults) },
    { title: 'Roles', text: ({ ACLs }) => linkNames(ACLs.RoleDefaults) },
    descriptionField,
  ],
  fields: [
    { title: 'Name', text: ({ Name }) => Name },
    descriptionField,
    { title: 'Policies of every token', text: ({ ACLs }) => linkNames(ACLs.PolicyDefaults) },
    { title: 'Roles of every token', text: ({ ACLs }) => linkNames(ACLs.RoleDefaults) },
  ],
  list: (client) => client.namespaces.list(),
  find: (client, name) =>
    findByName('namespace', name, {
      read: () => client.namespaces.read(name),
      names: async () => (await client.namespaces.list()).map(({ Name }) => Name),
    }),
  read: async (path, session) =>
    readRecord(path, (await import('@latchkey/contract')).createNamespaceSchema, session),
  async body(base, input) {
    const PolicyDefaults = changedLinks(base.ACLs?.PolicyDefaults, 'policy', input)
    const RoleDefaults = changedLinks(base.ACLs?.RoleDefaults, 'role', input)
    const Description = input.text('description')
    const ACLs = {
      ...(PolicyDefaults === undefined ? {} : { PolicyDefaults }),
      ...(RoleDefaults === undefined ? {} : { RoleDefaults }),
    }
    return {
      ...base,
      Name: base.Name ?? input.arg(0),
      ...(Object.keys(ACLs).length === 0 ? {} : { ACLs }),
      ...(Description === undefined ? {} : { Description }),
    }
  },
  create: (client, body) => client.namespaces.create(body),
  update: (client, { Name }, body) => client.namespaces.update(Name, body),
  delete: (client, { Name }) => client.namespaces.delete(Name),
  clone: (client, { Description, ACLs }, input) =>
    client.namespaces.create({ Name: input.arg(1), Description, ACLs }),
  nameOf: ({ Name }) => `namespace ${Name}`,
  baseOf: ({ Name, Description, ACLs }) => ({ Name, Description, ACLs }),
  deleteWarning: 'It must be empty.',
}

export const namespaceActions = recordActions(kind)
