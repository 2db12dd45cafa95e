/** Binding rules: they decide what the tokens of an auth method are linked to. Decisions: auth methods. */
import * as z from 'zod'
import { answers, type ContractRoutes, c } from '../route.ts'
import { deletedSchema } from '../shared/answers.ts'
import { aclDelete, aclRead, aclWrite } from '../shared/kinds.ts'
import { idParam } from '../shared/path-params.ts'
import { namespacedBlockingQuery, namespacedQuery, text } from '../shared/query.ts'
import { bindingRuleSchema, createBindingRuleSchema, updateBindingRuleSchema } from './schemas.ts'

const api = { gate: 'api.authMethod', spec: '2.1', subject: 'binding rule ID' } as const
const read = { ...aclRead, ...api, blocking: 'bindingRules' } as const
const writeErrors = [
  'field_required',
  'field_invalid',
  'selector_invalid',
  'link_unknown',
  'accessor_mismatch',
  'not_found',
] as const

export const bindingRules = c.router({
  create: {
    method: 'PUT',
    path: '/v1/acl/binding-rule',
    summary: 'Create a binding rule',
    description:
      'Links the tokens of logins that the selector matches. All matching rules apply. Names that the method does not map are refused.',
    query: namespacedQuery({}),
    body: createBindingRuleSchema,
    ...answers(bindingRuleSchema, { ...aclWrite, ...api, writes: 'own', errors: writeErrors }),
  },
  read: {
    method: 'GET',
    path: '/v1/acl/binding-rule/:ID',
    pathParams: idParam,
    summary: 'Read a binding rule',
    description: 'The record, as written.',
    query: namespacedBlockingQuery({}),
    ...answers(bindingRuleSchema, { ...read, errors: ['id_missing', 'id_invalid', 'not_found'] }),
  },
  update: {
    method: 'PUT',
    path: '/v1/acl/binding-rule/:ID',
    pathParams: idParam,
    summary: 'Update a binding rule',
    description:
      'Replaces everything but AuthMethod. An omitted Selector is cleared, and the rule then matches every login. Existing tokens do not change.',
    query: namespacedQuery({}),
    body: updateBindingRuleSchema,
    ...answers(bindingRuleSchema, {
      ...aclWrite,
      writes: 'own',
      ...api,
      mayBeEmpty: true,
      errors: [...writeErrors, 'id_invalid', 'field_immutable'],
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/v1/acl/binding-rule/:ID',
    pathParams: idParam,
    summary: 'Delete a binding rule',
    description: 'Existing tokens keep the links that the rule gave them.',
    query: namespacedQuery({}),
    ...answers(deletedSchema, {
      ...aclDelete,
      ...api,
      writes: 'own',
      errors: ['id_missing', 'id_invalid', 'not_found'],
    }),
  },
  list: {
    method: 'GET',
    path: '/v1/acl/binding-rules',
    summary: 'List binding rules',
    description: 'In order of ID.',
    query: namespacedBlockingQuery({
      authmethod: text('Only rules of the auth method with this name. Not case-sensitive.'),
    }),
    ...answers(z.array(bindingRuleSchema), { ...read, errors: [] }),
  },
} satisfies ContractRoutes)
