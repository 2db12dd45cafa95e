import type { BindingRule, BindingRuleCreate } from '@latchkey/sdk'
import { descriptionField, namespaceField } from './columns.ts'
import { readRecord } from './read-body.ts'
import { type RecordKind, recordActions } from './record-kind.ts'

const binds = ({ BindType, BindName }: BindingRule) => `${BindType} ${BindName}`
const everyLogin = 'every login'

const kind: RecordKind<BindingRule, BindingRule, BindingRuleCreate> = {
  word: 'binding-rule',
  plural: 'binding rules',
  columns: [
    { title: 'ID', text: ({ ID }) => ID },
    { title: 'Auth method', text: ({ AuthMethod }) => AuthMethod },
    { title: 'Selects', text: ({ Selector }) => Selector || everyLogin },
    { title: 'Binds', text: binds },
    descriptionField,
  ],
  fields: [
    { title: 'ID', text: ({ ID }) => ID },
    { title: 'Auth method', text: ({ AuthMethod }) => AuthMethod },
    namespaceField,
    { title: 'Selects', text: ({ Selector }) => Selector || everyLogin },
    { title: 'Binds', text: binds },
    descriptionField,
  ],
  list(client, input) {
    const authmethod = input.text('authMethod')
    return client.bindingRules.list(authmethod === undefined ? {} : { authmethod })
  },
  find: (client, id) => client.bindingRules.read(id),
  read: async (path, session) =>
    readRecord(path, (await import('@latchkey/contract')).createBindingRuleSchema, session),
  async body(base, input) {
    const { AuthMethod = '', BindType = '', BindName = '' } = base
    const Selector = input.text('selector')
    const Description = input.text('description')
    return {
      ...base,
      AuthMethod: input.text('authMethod') ?? AuthMethod,
      BindType: input.text('bindType') ?? BindType,
      BindName: input.text('bindName') ?? BindName,
      ...(Selector === undefined ? {} : { Selector }),
      ...(Description === undefined ? {} : { Description }),
    }
  },
  create: (client, body) => client.bindingRules.create(body),
  update: (client, { ID }, body) => client.bindingRules.update(ID, body),
  delete: (client, { ID }) => client.bindingRules.delete(ID),
  clone: async (client, rule, input) =>
    client.bindingRules.create({ ...contentOf(rule), ...given(input.text('authMethod')) }),
  nameOf: (rule) => `binding rule ${rule.ID} (${rule.AuthMethod}: ${binds(rule)})`,
  baseOf: contentOf,
  deleteWarning: 'Later logins will no longer get what it binds.',
}

function given(AuthMethod: string | undefined) {
  return AuthMethod === undefined ? {} : { AuthMethod }
}

function contentOf({ ID: _, CreateIndex: _c, ModifyIndex: _m, ...content }: BindingRule): BindingRuleCreate {
  return content
}

export const bindingRuleActions = recordActions(kind)
