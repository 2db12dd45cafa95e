/** The legacy ACL API, until 1.11. Spec 9.1, 9.2.4. */
import * as z from 'zod'
import { DESCRIPTION_BYTES_MAX, LEGACY_SECRET_LENGTH_MAX, RULES_BYTES_MAX } from '../limits.ts'
import { description, ignored, stored } from '../shared/fields.ts'
import { boundedText } from '../shared/text.ts'

/** A legacy token: ID is the secret, and any text. Key order is the order on the wire. */
export const legacyTokenSchema = z
  .strictObject({
    ID: z.string().meta({ description: 'The secret of the token, which can be any text.' }),
    Name: z.string().meta({ description }),
    Type: z
      .enum(['client', 'management'])
      .meta({ description: '`management` grants every right; `client` grants the rights in its rules.' }),
    Rules: z
      .string()
      .meta({ description: 'Rules of a client token, in the legacy syntax: every segment is a prefix.' }),
    ...stored,
  })
  .meta({ id: 'LegacyToken' })
export type LegacyToken = z.infer<typeof legacyTokenSchema>

/** The body of legacy create and update. */
export const legacyTokenRequestSchema = z
  .strictObject({
    ID: boundedText(LEGACY_SECRET_LENGTH_MAX)
      .optional()
      .meta({ description: 'The secret. Default on create: a random one.' }),
    Name: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
    Type: z.string().optional().meta({ description: '`client` (the default) or `management`.' }),
    Rules: boundedText(RULES_BYTES_MAX).optional().meta({ description: 'Rules in the legacy syntax.' }),
    CreateIndex: ignored,
    ModifyIndex: ignored,
  })
  .meta({ id: 'LegacyTokenRequest' })
export type LegacyTokenRequest = z.output<typeof legacyTokenRequestSchema>

export const legacyIdSchema = z
  .strictObject({ ID: z.string().meta({ description: 'The secret of the token.' }) })
  .meta({ id: 'LegacyTokenID' })

export const importResultSchema = z
  .strictObject({
    Imported: z.int().meta({ description: 'Tokens that were written.', minimum: 0 }),
    Unchanged: z
      .int()
      .meta({ description: 'Tokens that already existed with the same content.', minimum: 0 }),
    Problems: z
      .array(
        z.strictObject({
          Position: z.int().meta({ description: 'Position in the list, from 0.', minimum: 0 }),
          Code: z.string().meta({ description: 'Stable code of the finding.' }),
          Message: z.string().meta({ description: 'The finding, for people.' }),
          Severity: z.enum(['error', 'warning']).meta({ description: 'How serious the finding is.' }),
        }),
      )
      .meta({ description: 'Findings, in the order of the list.' }),
  })
  .meta({ id: 'ImportResult' })
