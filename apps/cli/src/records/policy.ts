import type { Client, Policy, PolicyCreate, PolicyListEntry } from '@latchkey/sdk'
import type { Input } from '../frame/input.ts'
import type { Session } from '../frame/session.ts'
import { descriptionField, namespaceField } from './columns.ts'
import { isId } from './links.ts'
import { readRecord, readText } from './read-body.ts'
import { type RecordKind, recordActions } from './record-kind.ts'
import { findByName } from './suggest.ts'

/** A policy by name or ID. */
export async function findPolicy(client: Client, reference: string): Promise<Policy> {
  if (isId(reference)) return client.policies.read(reference)
  return findByName('policy', reference, {
    read: () => client.policies.readByName(reference),
    names: async () => (await client.policies.list()).map(({ Name }) => Name),
  })
}

/** Matches text that can only be rules and not the name of a file. */
const RULES_TEXT = /[{="\n]/

/** The rules of `--rules` (a file, `@FILE`, `-` or the rules themselves) or `--rule TEXT`; `undefined` without either. */
export async function givenRules(input: Input, session: Session): Promise<string | undefined> {
  const path = input.text('rules')
  const rules = input.texts('rule')
  if (path !== undefined) return RULES_TEXT.test(path) ? path : readText(path.replace(/^@/, ''), session)
  return rules?.join('\n')
}

const kind: RecordKind<Policy, PolicyListEntry, PolicyCreate> = {
  word: 'policy',
  plural: 'policies',
  columns: [
    { title: 'Name', text: ({ Name }) => Name },
    { title: 'ID', text: ({ ID }) => ID },
    descriptionField,
  ],
  fields: [
    { title: 'Name', text: ({ Name }) => Name },
    { title: 'ID', text: ({ ID }) => ID },
    namespaceField,
    descriptionField,
    { title: 'Datacenters', text: ({ Datacenters }) => (Datacenters ?? []).join(', ') },
    { title: 'Rules', text: ({ Rules }) => (Rules === '' ? 'none' : `${Rules}\n`) },
  ],
  list: (client) => client.policies.list(),
  find: findPolicy,
  read: async (path, session) =>
    readRecord(path, (await import('@latchkey/contract')).createPolicySchema, session),
  async body(base, input, session) {
    const Rules = await givenRules(input, session)
    const Datacenters = input.texts('validIn')
    const Description = input.text('description')
    return {
      ...base,
      Name: input.text('rename') ?? base.Name ?? input.arg(0),
      ...(Rules === undefined ? {} : { Rules }),
      ...(Datacenters === undefined ? {} : { Datacenters }),
      ...(Description === undefined ? {} : { Description }),
    }
  },
  create: (client, body) => client.policies.create(body),
  update: (client, { ID }, body) => client.policies.update(ID, body),
  delete: (client, { ID }) => client.policies.delete(ID),
  clone: (client, { Rules, Description, Datacenters, Namespace }, input) =>
    client.policies.create({
      Name: input.arg(1),
      Description,
      Rules,
      ...(Datacenters === undefined ? {} : { Datacenters }),
      ...(Namespace === undefined ? {} : { Namespace }),
    }),
  nameOf: ({ Name }) => `policy ${Name}`,
  baseOf: ({ Name, Description, Rules, Datacenters, Namespace }) => ({
    Name,
    Description,
    Rules,
    ...(Datacenters === undefined ? {} : { Datacenters }),
    ...(Namespace === undefined ? {} : { Namespace }),
  }),
  deleteWarning: 'Tokens and roles that link it lose its rights.',
  async beforeUpdate(existing, body, session) {
    if (body.Rules === undefined || body.Rules === existing.Rules) return
    const { confirmRules } = await import('../insight/confirm-rules.ts')
    await confirmRules(existing, body.Rules, session)
  },
}

export const policyActions = recordActions(kind)
