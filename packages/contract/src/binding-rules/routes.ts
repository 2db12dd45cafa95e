/** Binding rules: they decide what the tokens of an auth method are linked to. Decisions: auth methods. */
import * as z from 'zod'
import { BIND_NAME_BYTES_MAX, DESCRIPTION_BYTES_MAX, SELECTOR_BYTES_MAX } from '../limits.ts'
import { type ContractRoutes, c, del, get, put } from '../route.ts'
import {
  description,
  idOnCreate,
  idOnUpdate,
  indexesOnCreate,
  indexesOnUpdate,
  namespaceChosen,
  namespaceShown,
  recordId,
  required,
  stored,
} from '../shared/fields.ts'
import { aclDelete, aclRead, aclWrite, deletedSchema } from '../shared/kinds.ts'
import { idParam } from '../shared/path-params.ts'
import { importing, namespacedBlockingQuery, namespacedQuery, text } from '../shared/query.ts'
import { boundedText } from '../shared/text.ts'

const AUTH_METHOD = 'Name of the auth method. Cannot be changed.'
const SELECTOR = 'Selects logins by their claims, such as `value.team == "ops"`. If empty, all of them.'
const BIND_TYPE = '`service`, `node` or `role`: what BindName names.'
const BIND_NAME = 'Name of the service, node or role, with claims filled in, such as `web-${value.region}`.'

/** A binding rule in answers. Key order is the order on the wire. */
const bindingRuleSchema = z
  .strictObject({
    ID: recordId,
    Description: z.string().meta({ description }),
    AuthMethod: z.string().meta({ description: AUTH_METHOD }),
    Selector: z.string().meta({ description: SELECTOR }),
    BindType: z.string().meta({ description: BIND_TYPE }),
    BindName: z.string().meta({ description: BIND_NAME }),
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'BindingRule' })
export type BindingRule = z.infer<typeof bindingRuleSchema>

const content = {
  Description: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
  Selector: boundedText(SELECTOR_BYTES_MAX).optional().meta({ description: SELECTOR }),
  BindType: required(z.string().meta({ description: BIND_TYPE })),
  BindName: required(boundedText(BIND_NAME_BYTES_MAX).meta({ description: BIND_NAME })),
  Namespace: namespaceChosen,
}

/** The body of create. */
export const createBindingRuleSchema = z
  .strictObject({
    ID: idOnCreate,
    AuthMethod: required(z.string().meta({ description: AUTH_METHOD })),
    ...content,
    ...indexesOnCreate,
  })
  .meta({ id: 'BindingRuleCreate' })
export type CreateBindingRule = z.output<typeof createBindingRuleSchema>

/** The body of update: a record as read, with changes. An omitted Selector is cleared. */
const updateBindingRuleSchema = z
  .strictObject({
    ID: idOnUpdate,
    AuthMethod: z.string().optional().meta({ description: 'Absent, or the same as the stored value.' }),
    ...content,
    ...indexesOnUpdate,
  })
  .meta({ id: 'BindingRuleUpdate' })

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
  create: put('/v1/acl/binding-rule', bindingRuleSchema, {
    summary: 'Create a binding rule',
    description:
      'Links the tokens of logins that the selector matches. All matching rules apply. Names that the method does not map are refused.',
    query: namespacedQuery(importing),
    body: createBindingRuleSchema,
    metadata: { ...aclWrite, ...api, writes: 'own', errors: [...writeErrors, 'id_invalid', 'id_in_use'] },
  }),
  read: get('/v1/acl/binding-rule/:ID', bindingRuleSchema, {
    pathParams: idParam,
    summary: 'Read a binding rule',
    description: 'The record, as written.',
    query: namespacedBlockingQuery({}),
    metadata: { ...read, errors: ['id_missing', 'id_invalid', 'not_found'] },
  }),
  update: put('/v1/acl/binding-rule/:ID', bindingRuleSchema, {
    pathParams: idParam,
    summary: 'Update a binding rule',
    description:
      'Replaces everything but AuthMethod. An omitted Selector is cleared, and the rule then matches every login. Existing tokens do not change.',
    query: namespacedQuery({}),
    body: updateBindingRuleSchema,
    metadata: {
      ...aclWrite,
      writes: 'own',
      ...api,
      mayBeEmpty: true,
      errors: [...writeErrors, 'id_invalid', 'field_immutable'],
      referenceStatuses: { not_found: 500 },
    },
  }),
  delete: del('/v1/acl/binding-rule/:ID', deletedSchema, {
    pathParams: idParam,
    summary: 'Delete a binding rule',
    description: 'Existing tokens keep the links that the rule gave them.',
    query: namespacedQuery({}),
    metadata: {
      ...aclDelete,
      ...api,
      writes: 'own',
      errors: ['id_missing', 'id_invalid', 'not_found'],
      referenceStatuses: { not_found: 200 },
    },
  }),
  list: get('/v1/acl/binding-rules', z.array(bindingRuleSchema), {
    summary: 'List binding rules',
    description: 'In order of ID.',
    query: namespacedBlockingQuery({
      authmethod: text('Only rules of the auth method with this name. Not case-sensitive.'),
    }),
    metadata: { ...read, errors: [] },
  }),
} satisfies ContractRoutes)
