/** Policies: named rule texts. Spec 1, 2.2; shape: reference 5.1. */
import * as z from 'zod'
import { DESCRIPTION_BYTES_MAX, NAMESPACE_NAME_LENGTH_MAX, RULES_BYTES_MAX } from './limits.ts'
import { datacenterNames } from './links.ts'
import { boundedText } from './text.ts'

/** A policy record as answered. Key order is the order on the wire. */
export const policySchema = z
  .strictObject({
    ID: z.string(),
    Name: z.string(),
    Description: z.string(),
    Rules: z.string(),
    Datacenters: z.array(z.string()).optional(),
    Hash: z.string(),
    CreateIndex: z.int(),
    ModifyIndex: z.int(),
    Namespace: z.string().optional(),
  })
  .meta({ id: 'Policy' })
export type Policy = z.infer<typeof policySchema>

/** An element of the list: no rules, and Datacenters always present. */
export const policyListEntrySchema = z
  .strictObject({
    ID: z.string(),
    Name: z.string(),
    Description: z.string(),
    Datacenters: z.array(z.string()).nullable(),
    Hash: z.string(),
    CreateIndex: z.int(),
    ModifyIndex: z.int(),
    Namespace: z.string().optional(),
  })
  .meta({ id: 'PolicyListEntry' })
export type PolicyListEntry = z.infer<typeof policyListEntrySchema>

/** The body of create and update. */
export const policyRequestSchema = z
  .strictObject({
    ID: z.string().optional(),
    Name: z.string().default(''),
    Description: boundedText(DESCRIPTION_BYTES_MAX).optional(),
    Rules: boundedText(RULES_BYTES_MAX).optional(),
    Datacenters: datacenterNames.optional(),
    Namespace: z.string().max(NAMESPACE_NAME_LENGTH_MAX).optional(),
    Hash: z.unknown().optional(),
    CreateIndex: z.unknown().optional(),
    ModifyIndex: z.unknown().optional(),
  })
  .meta({ id: 'PolicyRequest' })
export type PolicyRequestInput = z.input<typeof policyRequestSchema>
export type PolicyRequest = z.output<typeof policyRequestSchema>
