/** Policies: named rule texts that tokens and roles link. Spec 2.2, 9.1. */
import * as z from 'zod'
import { right } from '../decisions/routes.ts'
import {
  DESCRIPTION_BYTES_MAX,
  POLICY_NAME_LENGTH_MAX,
  QUESTION_VALUES_MAX,
  RULES_BYTES_MAX,
} from '../limits.ts'
import { type ContractRoutes, c, del, get, post, put } from '../route.ts'
import {
  accessorId,
  description,
  hash,
  idOnCreate,
  idOnUpdate,
  namespaceChosen,
  namespaceShown,
  recordId,
  recordName,
  required,
  stored,
  storedOnCreate,
  storedOnUpdate,
} from '../shared/fields.ts'
import { aclDelete, aclRead, aclWrite, deletedSchema } from '../shared/kinds.ts'
import { datacenterNames, datacenters } from '../shared/links.ts'
import { idParam, nameParam } from '../shared/path-params.ts'
import { importing, namespacedBlockingQuery, namespacedQuery, page, query } from '../shared/query.ts'
import { boundedText } from '../shared/text.ts'

const shown = { ID: recordId, Name: recordName, Description: z.string().meta({ description }) }

/** A policy in answers. Key order is the order on the wire. */
export const policySchema = z
  .strictObject({
    ...shown,
    Rules: z.string().meta({ description: 'The rules as they were written.' }),
    Datacenters: z.array(z.string()).optional().meta(datacenters),
    Hash: hash,
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'Policy' })
export type Policy = z.infer<typeof policySchema>

/** A list entry: without rules, always with Datacenters. */
export const policyListEntrySchema = z
  .strictObject({
    ...shown,
    Datacenters: z.array(z.string()).nullable().meta(datacenters),
    Hash: hash,
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'PolicyListEntry' })
export type PolicyListEntry = z.infer<typeof policyListEntrySchema>

const content = {
  Name: required(
    z
      .string()
      .meta({
        description: `Letters, digits, \`-\` and \`_\`, at most ${POLICY_NAME_LENGTH_MAX} characters; unique regardless of case.`,
        maxLength: POLICY_NAME_LENGTH_MAX,
      }),
  ),
  Description: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
  Rules: boundedText(RULES_BYTES_MAX)
    .optional()
    .meta({ description: 'Rules in HCL or JSON. Empty: the policy grants nothing.' }),
  Datacenters: datacenterNames.optional().meta(datacenters),
  Namespace: namespaceChosen,
}

/** The body of create. */
export const createPolicySchema = z
  .strictObject({ ID: idOnCreate, ...content, ...storedOnCreate })
  .meta({ id: 'PolicyCreate' })
export type CreatePolicy = z.output<typeof createPolicySchema>

/** The body of update: a record as read, with changes. */
const updatePolicySchema = z
  .strictObject({ ID: idOnUpdate, ...content, ...storedOnUpdate })
  .meta({ id: 'PolicyUpdate' })
export type UpdatePolicy = z.output<typeof updatePolicySchema>

/** An extension: asks which rights would change with these rules in the policy. */
const whatIfRequestSchema = z
  .strictObject({
    Rules: boundedText(RULES_BYTES_MAX).meta({ description: 'The rules that the policy would have.' }),
  })
  .meta({ id: 'WhatIfRequest' })

const rightSchema = z.strictObject(right)
const whatIfChangeSchema = z
  .strictObject({
    AccessorID: accessorId,
    Description: z.string().meta({ description }),
    Gains: z.array(rightSchema).meta({ description: 'Rights that the token would gain.' }),
    Losses: z.array(rightSchema).meta({ description: 'Rights that the token would lose.' }),
  })
  .meta({ id: 'WhatIfChange' })

const lintRequestSchema = z
  .strictObject({ Rules: boundedText(RULES_BYTES_MAX).meta({ description: 'The rules to check.' }) })
  .meta({ id: 'LintRequest' })
const lintFindingSchema = z
  .strictObject({
    Code: z.string().meta({ description: 'Stable code of the finding.' }),
    Severity: z.enum(['error', 'warning', 'info']).meta({ description: 'How serious the finding is.' }),
    Message: z.string().meta({ description: 'The finding, for people.' }),
    Line: z.int().meta({ description: 'Line in the rules, from 1.', minimum: 1 }),
    Column: z.int().meta({ description: 'Column in the line, from 1.', minimum: 1 }),
  })
  .meta({ id: 'LintFinding' })

const gate = 'api.policy'
const api = { gate, spec: '9.1' } as const
const record = { ...api, subject: 'policy ID' } as const
const read = { ...aclRead, blocking: 'policies' } as const

export const policies = c.router({
  create: put('/v1/acl/policy', policySchema, {
    summary: 'Create a policy',
    description: 'Refuses invalid rules, with line and column.',
    query: namespacedQuery(importing),
    body: createPolicySchema,
    metadata: {
      ...aclWrite,
      writes: 'global',
      ...api,
      errors: [
        'field_required',
        'field_invalid',
        'id_invalid',
        'id_in_use',
        'name_invalid',
        'name_in_use',
        'rules_invalid',
        'not_found',
      ],
      referenceStatuses: { 'field_invalid ID': 400 },
    },
  }),
  lint: post('/v1/acl/policy/lint', z.array(lintFindingSchema), {
    summary: 'Check rules for errors and surprising effects',
    description:
      'Stores nothing and needs no token. A create refuses rules with a finding of severity `error`.',
    query: query({}),
    body: lintRequestSchema,
    metadata: {
      writes: 'nothing',
      right: 'none',
      local: true,
      body: 'json',
      bodyValuesMax: QUESTION_VALUES_MAX,
      gate,
      spec: 'extension',
      errors: [],
    },
  }),
  readByName: get('/v1/acl/policy/name/:Name', policySchema, {
    pathParams: nameParam,
    summary: 'Read a policy by its name',
    description: 'Names are not case-sensitive.',
    query: namespacedBlockingQuery({}),
    metadata: {
      ...read,
      ...api,
      subject: 'policy Name',
      errors: ['id_missing', 'not_found'],
      referenceStatuses: { not_found: 403 },
    },
  }),
  whatIf: post('/v1/acl/policy/:ID/what-if', z.array(whatIfChangeSchema), {
    pathParams: idParam,
    summary: 'List the tokens whose rights would change with other rules in the policy',
    description:
      'Changes nothing. Compares both rule texts for every token that has the policy, directly or through a role, with up to 10,000 checks of the rules that differ. The answer is paged; a page may have fewer entries than `limit`.',
    query: namespacedQuery(page),
    body: whatIfRequestSchema,
    metadata: {
      writes: 'nothing',
      ...aclRead,
      body: 'json',
      bodyValuesMax: QUESTION_VALUES_MAX,
      gate,
      subject: 'policy ID',
      spec: 'extension',
      errors: ['id_invalid', 'not_found', 'rules_invalid', 'batch_too_large'],
    },
  }),
  read: get('/v1/acl/policy/:ID', policySchema, {
    pathParams: idParam,
    summary: 'Read a policy',
    description: 'The record, with its rules as they were written.',
    query: namespacedBlockingQuery({}),
    metadata: {
      ...read,
      ...record,
      errors: ['id_missing', 'id_invalid', 'not_found'],
      referenceStatuses: { not_found: 403 },
    },
  }),
  update: put('/v1/acl/policy/:ID', policySchema, {
    pathParams: idParam,
    summary: 'Update a policy',
    description:
      'Replaces the whole record; omitted fields are cleared. Takes effect with the next request of each token. The rules of `global-management` cannot change.',
    query: namespacedQuery({}),
    body: updatePolicySchema,
    metadata: {
      ...aclWrite,
      writes: 'global',
      mayBeEmpty: true,
      ...record,
      errors: [
        'id_invalid',
        'accessor_mismatch',
        'name_invalid',
        'name_in_use',
        'rules_invalid',
        'builtin_immutable',
        'not_found',
        'field_required',
        'field_invalid',
      ],
      referenceStatuses: { not_found: 500 },
    },
  }),
  delete: del('/v1/acl/policy/:ID', deletedSchema, {
    pathParams: idParam,
    summary: 'Delete a policy',
    description: 'Also removes its links from tokens and roles, which lose its rights.',
    query: namespacedQuery({}),
    metadata: {
      ...aclDelete,
      writes: 'global',
      ...record,
      errors: ['id_missing', 'id_invalid', 'delete_refused', 'not_found'],
      referenceStatuses: { not_found: 200 },
    },
  }),
  list: get('/v1/acl/policies', z.array(policyListEntrySchema), {
    summary: 'List policies',
    description: 'In order of ID, without rules.',
    query: namespacedBlockingQuery({}),
    metadata: { ...read, ...api, errors: [] },
  }),
} satisfies ContractRoutes)
