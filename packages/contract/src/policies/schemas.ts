/** Policies: named rule texts. Spec 1, 2.2. */
import * as z from 'zod'
import { DESCRIPTION_BYTES_MAX, POLICY_NAME_LENGTH_MAX, RULES_BYTES_MAX } from '../limits.ts'
import {
  description,
  hash,
  ignored,
  namespaceChosen,
  namespaceShown,
  required,
  stored,
  unoffered,
} from '../shared/fields.ts'
import { datacenterNames, datacenters } from '../shared/links.ts'
import { boundedText } from '../shared/text.ts'

const shown = {
  ID: z.string().meta({ description: 'A UUID that the service chooses.' }),
  Name: z.string().meta({ description: 'Name of the record.' }),
  Description: z.string().meta({ description }),
}

/** A policy record as answered. Key order is the order on the wire. */
export const policySchema = z
  .strictObject({
    ...shown,
    Rules: z.string().meta({ description: 'A rule text, kept as it was written.' }),
    Datacenters: z.array(z.string()).optional().meta(datacenters),
    Hash: hash,
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'Policy' })
export type Policy = z.infer<typeof policySchema>

/** An element of the list: no rules, and Datacenters always present. */
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
    z.string().meta({
      description: `Letters, digits, \`-\` and \`_\`, at most ${POLICY_NAME_LENGTH_MAX} characters; unique without case.`,
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
  .strictObject({
    ID: unoffered(z.string().meta({ description: 'Refused unless empty.' })),
    ...content,
    Hash: unoffered(ignored),
    CreateIndex: unoffered(ignored),
    ModifyIndex: unoffered(ignored),
  })
  .meta({ id: 'PolicyCreate' })
export type CreatePolicyInput = z.input<typeof createPolicySchema>
export type CreatePolicy = z.output<typeof createPolicySchema>

/** The body of update: a record that was read, changed. */
export const updatePolicySchema = z
  .strictObject({
    ID: z.string().optional().meta({ description: 'Absent, or equal to the one in the path.' }),
    ...content,
    Hash: ignored,
    CreateIndex: ignored,
    ModifyIndex: ignored,
  })
  .meta({ id: 'PolicyUpdate' })
export type UpdatePolicyInput = z.input<typeof updatePolicySchema>
export type UpdatePolicy = z.output<typeof updatePolicySchema>

/** Extension: what would change if this policy had these rules? */
export const whatIfRequestSchema = z
  .strictObject({
    Rules: boundedText(RULES_BYTES_MAX).meta({ description: 'The rules that the policy would have.' }),
  })
  .meta({ id: 'WhatIfRequest' })

const rightSchema = z.strictObject({
  Resource: z
    .string()
    .meta({ description: 'What is asked about: `acl`, `key`, `service` and so on. With case.' }),
  Segment: z.string().optional().meta({
    description:
      'The name or path within the resource. Absent for `acl`, `keyring`, `mesh`, `operator`, `peering`.',
  }),
  Access: z.string().meta({
    description: '`read` or `write`; for keys also `list` and `write-prefix`. Without case.',
  }),
})
export const whatIfChangeSchema = z
  .strictObject({
    AccessorID: z.string().meta({
      description: 'The public handle of the token: stands in paths, is no secret. A UUID.',
    }),
    Description: z.string().meta({ description }),
    Gains: z.array(rightSchema).meta({ description: 'What the token could do then and cannot now.' }),
    Losses: z.array(rightSchema).meta({ description: 'What the token can do now and could not then.' }),
  })
  .meta({ id: 'WhatIfChange' })

export const lintRequestSchema = z
  .strictObject({
    Rules: boundedText(RULES_BYTES_MAX).meta({ description: 'The rule text to look at.' }),
  })
  .meta({ id: 'LintRequest' })
export const lintFindingSchema = z
  .strictObject({
    Code: z.string().meta({ description: 'Stable code of the finding.' }),
    Severity: z.enum(['error', 'warning', 'info']).meta({ description: 'How much it matters.' }),
    Message: z.string().meta({ description: 'The finding in words.' }),
    Line: z.int().meta({ description: 'Line in the rule text, from 1.', minimum: 1 }),
    Column: z.int().meta({ description: 'Column in the line, from 1.', minimum: 1 }),
  })
  .meta({ id: 'LintFinding' })
