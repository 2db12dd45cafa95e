/** Asking for decisions. Reference 5.8, and our extensions explain, who-can and what-if. */
import * as z from 'zod'
import { RULES_BYTES_MAX, SEGMENT_BYTES_MAX } from './limits.ts'
import { boundedText } from './text.ts'

export const authorizeCheckSchema = z
  .strictObject({
    Resource: z.string(),
    Segment: boundedText(SEGMENT_BYTES_MAX).optional(),
    Access: z.string(),
    /** Ignored: existing clients send back what they got. */
    Allow: z.unknown().optional(),
  })
  .meta({ id: 'AuthorizeCheck' })
export type AuthorizeCheck = z.infer<typeof authorizeCheckSchema>

/** The bound of the list is a rule of its own, said by the service: at most 64. */
export const authorizeRequestSchema = z.array(authorizeCheckSchema).meta({ id: 'AuthorizeRequest' })

/** Why a decision is what it is: an extension, with `?explain`. */
export const explanationSchema = z
  .strictObject({
    Rule: z
      .strictObject({
        PolicyID: z.string(),
        PolicyName: z.string(),
        Kind: z.string(),
        Segment: z.string(),
        Level: z.string(),
        Line: z.int(),
      })
      .optional(),
    Path: z.array(z.string()).meta({ description: 'How the token has the rule, outermost first.' }),
    Missing: z
      .strictObject({ Resource: z.string(), Segment: z.string().optional(), Access: z.string() })
      .optional(),
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.infer<typeof explanationSchema>

export const authorizeAnswerSchema = z
  .strictObject({
    Resource: z.string(),
    Segment: z.string().optional(),
    Access: z.string(),
    Allow: z.boolean(),
    Explanation: explanationSchema.optional(),
  })
  .meta({ id: 'AuthorizeAnswer' })
export type AuthorizeAnswer = z.infer<typeof authorizeAnswerSchema>

/** Extension: which tokens may do this? */
export const whoCanRequestSchema = z
  .strictObject({
    Resource: z.string(),
    Segment: boundedText(SEGMENT_BYTES_MAX).optional(),
    Access: z.string(),
  })
  .meta({ id: 'WhoCanRequest' })

export const tokenReferenceSchema = z
  .strictObject({ AccessorID: z.string(), Description: z.string(), Namespace: z.string().optional() })
  .meta({ id: 'TokenReference' })

/** Extension: what would change if this policy had these rules? */
export const whatIfRequestSchema = z
  .strictObject({ Rules: boundedText(RULES_BYTES_MAX) })
  .meta({ id: 'WhatIfRequest' })

const rightSchema = z.strictObject({
  Resource: z.string(),
  Segment: z.string().optional(),
  Access: z.string(),
})
export const whatIfChangeSchema = z
  .strictObject({
    AccessorID: z.string(),
    Description: z.string(),
    Gains: z.array(rightSchema),
    Losses: z.array(rightSchema),
  })
  .meta({ id: 'WhatIfChange' })

export const lintRequestSchema = z
  .strictObject({ Rules: boundedText(RULES_BYTES_MAX) })
  .meta({ id: 'LintRequest' })
export const lintFindingSchema = z
  .strictObject({
    Code: z.string(),
    Severity: z.enum(['error', 'warning', 'info']),
    Message: z.string(),
    Line: z.int(),
    Column: z.int(),
  })
  .meta({ id: 'LintFinding' })
