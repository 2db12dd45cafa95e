/** Policies: named rule texts. Spec 1, 2.2. */
import * as z from 'zod'
import { right } from '../decisions/schemas.ts'
import { DESCRIPTION_BYTES_MAX, POLICY_NAME_LENGTH_MAX, RULES_BYTES_MAX } from '../limits.ts'
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
import { datacenterNames, datacenters } from '../shared/links.ts'
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
export const updatePolicySchema = z
  .strictObject({ ID: idOnUpdate, ...content, ...storedOnUpdate })
  .meta({ id: 'PolicyUpdate' })
export type UpdatePolicy = z.output<typeof updatePolicySchema>

/** An extension: asks which rights would change with these rules in the policy. */
export const whatIfRequestSchema = z
  .strictObject({
    Rules: boundedText(RULES_BYTES_MAX).meta({ description: 'The rules that the policy would have.' }),
  })
  .meta({ id: 'WhatIfRequest' })

const rightSchema = z.strictObject(right)
export const whatIfChangeSchema = z
  .strictObject({
    AccessorID: accessorId,
    Description: z.string().meta({ description }),
    Gains: z.array(rightSchema).meta({ description: 'Rights that the token would gain.' }),
    Losses: z.array(rightSchema).meta({ description: 'Rights that the token would lose.' }),
  })
  .meta({ id: 'WhatIfChange' })

export const lintRequestSchema = z
  .strictObject({ Rules: boundedText(RULES_BYTES_MAX).meta({ description: 'The rules to check.' }) })
  .meta({ id: 'LintRequest' })
export const lintFindingSchema = z
  .strictObject({
    Code: z.string().meta({ description: 'Stable code of the finding.' }),
    Severity: z.enum(['error', 'warning', 'info']).meta({ description: 'How serious the finding is.' }),
    Message: z.string().meta({ description: 'The finding, for people.' }),
    Line: z.int().meta({ description: 'Line in the rules, from 1.', minimum: 1 }),
    Column: z.int().meta({ description: 'Column in the line, from 1.', minimum: 1 }),
  })
  .meta({ id: 'LintFinding' })
