/** The token and what travels with it. Spec 2.1 to 2.5, 4.2 to 4.8. */
import * as z from 'zod'
import { DurationSyntaxError, parseDurationMs } from './duration.ts'
import {
  DATACENTER_NAME_LENGTH_MAX,
  DATACENTERS_MAX,
  DESCRIPTION_BYTES_MAX,
  LINKS_MAX,
  NAMESPACE_NAME_LENGTH_MAX,
} from './limits.ts'
import { nodeIdentitySchema, policyLinkSchema, roleLinkSchema, serviceIdentitySchema } from './links.ts'
import { policySchema } from './policy.ts'
import { roleSchema } from './role.ts'
import { boundedText } from './text.ts'
import { parseInstant, ZERO_TIME } from './time.ts'

export { DATACENTER_NAME_LENGTH_MAX, DATACENTERS_MAX }

const nsPerMs = 1e6

/**
 * A duration on the wire: Go notation, or a number of nanoseconds as existing clients send. Milliseconds inside.
 * Decisions: record shapes.
 */
export const durationSchema = z
  .union([z.string(), z.number()], { error: 'expected a duration such as "90s" or a number of nanoseconds' })
  .transform((value, context) => {
    if (typeof value === 'number') return value / nsPerMs
    try {
      return parseDurationMs(value)
    } catch (error) {
      if (!(error instanceof DurationSyntaxError)) throw error
      context.addIssue({
        code: 'custom',
        message: `is not a duration: ${error.message}`,
        params: { code: 'field_type' },
      })
      return z.NEVER
    }
  })
  .meta({ id: 'Duration', description: 'Go notation such as "90s" or "1h30m", or a number of nanoseconds.' })

/**
 * An instant on the wire: RFC 3339 with a zone. Milliseconds since the epoch inside; `undefined` where it is empty
 * (the default of spec 2.1) or the zero time of year 1.
 */
export const instantSchema = z
  .string()
  .transform((value, context) => {
    if (value === '') return undefined
    const instant = parseInstant(value)
    if (instant === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'is not an RFC 3339 time with a zone, such as "2026-01-31T12:00:00Z"',
        params: { code: 'field_type' },
      })
      return z.NEVER
    }
    return instant === ZERO_INSTANT ? undefined : instant
  })
  .meta({ id: 'Instant', description: 'RFC 3339 with a zone, kept to the millisecond.' })

const ZERO_INSTANT = parseInstant(ZERO_TIME)

/** A token record as answered. Key order is the order on the wire. Spec 4.10 is silent; decisions: record shapes. */
export const tokenSchema = z
  .strictObject({
    AccessorID: z.string(),
    SecretID: z
      .string()
      .meta({ description: 'The real value for a caller with acl:write, else "<hidden>".' }),
    Description: z.string(),
    Policies: z.array(z.strictObject({ ID: z.string(), Name: z.string() })).optional(),
    Roles: z.array(z.strictObject({ ID: z.string(), Name: z.string() })).optional(),
    ServiceIdentities: z.array(serviceIdentitySchema).optional(),
    NodeIdentities: z.array(nodeIdentitySchema).optional(),
    Rules: z.string().optional().meta({ description: 'Only on a legacy token that was not converted.' }),
    Local: z.boolean(),
    AuthMethod: z.string().optional(),
    ExpirationTime: z.string().optional(),
    CreateTime: z.string(),
    Hash: z.string(),
    CreateIndex: z.int(),
    ModifyIndex: z.int(),
    Namespace: z.string().optional().meta({ description: 'Extended edition only.' }),
  })
  .meta({ id: 'Token' })
export type Token = z.infer<typeof tokenSchema>

/** An element of the list: the record, marked where it still carries legacy rules. */
export const tokenListEntrySchema = tokenSchema
  .omit({ Rules: true })
  .extend({ Legacy: z.literal(true).optional() })
  .strict()
  .meta({ id: 'TokenListEntry' })
export type TokenListEntry = z.infer<typeof tokenListEntrySchema>

/** A token read with `expanded`. Spec 4.3; shape: decisions, record shapes. */
export const expandedTokenSchema = tokenSchema
  .extend({
    ExpandedPolicies: z.array(policySchema).nullable(),
    ExpandedRoles: z.array(roleSchema).nullable(),
    NamespaceDefaultPolicyIDs: z.array(z.string()).nullable(),
    NamespaceDefaultRoleIDs: z.array(z.string()).nullable(),
    AgentACLDefaultPolicy: z.string(),
    AgentACLDownPolicy: z.string(),
    ResolvedByAgent: z.string(),
  })
  .strict()
  .meta({ id: 'ExpandedToken' })
export type ExpandedToken = z.infer<typeof expandedTokenSchema>

/** Fields a record has that a body may repeat: accepted and ignored, so that a record that was read can be sent back. */
const readOnlyFields = {
  CreateTime: z.unknown().optional(),
  Hash: z.unknown().optional(),
  CreateIndex: z.unknown().optional(),
  ModifyIndex: z.unknown().optional(),
}

const linkFields = {
  Policies: z.array(policyLinkSchema).max(LINKS_MAX).optional(),
  Roles: z.array(roleLinkSchema).max(LINKS_MAX).optional(),
  ServiceIdentities: z.array(serviceIdentitySchema).max(LINKS_MAX).optional(),
  NodeIdentities: z.array(nodeIdentitySchema).max(LINKS_MAX).optional(),
}

const namespaceField = z.string().max(NAMESPACE_NAME_LENGTH_MAX).optional()

/** The body of create and of update: one set of fields, different rules. Spec 4.2, 4.5. */
export const tokenRequestSchema = z
  .strictObject({
    AccessorID: z.string().optional(),
    SecretID: z.string().optional(),
    Description: boundedText(DESCRIPTION_BYTES_MAX).optional(),
    ...linkFields,
    Rules: z.string().optional().meta({ description: 'Refused unless empty.' }),
    Local: z.boolean().optional(),
    AuthMethod: z.string().optional(),
    ExpirationTime: instantSchema.optional(),
    ExpirationTTL: durationSchema.optional(),
    Namespace: namespaceField,
    ...readOnlyFields,
  })
  .meta({ id: 'TokenRequest' })
/** As a caller writes it. */
export type TokenRequestInput = z.input<typeof tokenRequestSchema>
/** As the rules see it: instants and durations in milliseconds. */
export type TokenRequest = z.output<typeof tokenRequestSchema>

/**
 * The body of clone. Only Description and Namespace count (spec 4.6); the other fields of a token are accepted and
 * ignored, as existing clients send whole records.
 */
export const cloneRequestSchema = tokenRequestSchema.meta({ id: 'CloneRequest' })

/** Top-level fields of a token body, with the gate that brought each. Spec 9.1. */
export const TOKEN_FIELD_GATES = {
  AccessorID: 'token.settableIds',
  SecretID: 'token.settableIds',
  Roles: 'token.roles',
  ServiceIdentities: 'token.serviceIdentities',
  NodeIdentities: 'token.nodeIdentities',
  ExpirationTime: 'token.expirationTime',
  ExpirationTTL: 'token.expirationTtl',
} as const
