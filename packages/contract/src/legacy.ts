/** The legacy ACL API, until 1.11. Spec 9.1, 9.2.4; shapes: reference 7. */
import * as z from 'zod'
import { DESCRIPTION_BYTES_MAX, LEGACY_SECRET_LENGTH_MAX, RULES_BYTES_MAX } from './limits.ts'
import { boundedText } from './text.ts'

/** A legacy token: ID is the secret, and any text. Key order is the order on the wire. */
export const legacyTokenSchema = z
  .strictObject({
    ID: z.string(),
    Name: z.string(),
    Type: z.enum(['client', 'management']),
    Rules: z.string(),
    CreateIndex: z.int(),
    ModifyIndex: z.int(),
  })
  .meta({ id: 'LegacyToken' })
export type LegacyToken = z.infer<typeof legacyTokenSchema>

/** The body of legacy create and update. */
export const legacyTokenRequestSchema = z
  .strictObject({
    ID: boundedText(LEGACY_SECRET_LENGTH_MAX).optional(),
    Name: boundedText(DESCRIPTION_BYTES_MAX).optional(),
    Type: z.string().optional(),
    Rules: boundedText(RULES_BYTES_MAX).optional(),
    CreateIndex: z.unknown().optional(),
    ModifyIndex: z.unknown().optional(),
  })
  .meta({ id: 'LegacyTokenRequest' })
export type LegacyTokenRequest = z.output<typeof legacyTokenRequestSchema>

export const legacyIdSchema = z.strictObject({ ID: z.string() }).meta({ id: 'LegacyTokenID' })
