/** Authorize, and the extensions explain and who-can. Spec 5. */
import * as z from 'zod'
import { SEGMENT_BYTES_MAX } from '../limits.ts'
import { accessorId, description, namespaceShown } from '../shared/fields.ts'
import { boundedText } from '../shared/text.ts'
import { type CheckedAccess, type CheckedResource, SCALAR_RESOURCES } from './resource-kinds.ts'

const RESOURCE = 'Kind of resource: `acl`, `key`, `service` and so on. Case-sensitive.'
const SEGMENT = `Name or path within the resource. Absent for ${SCALAR_RESOURCES.map((kind) => `\`${kind}\``).join(', ')}.`
const ACCESS = '`read` or `write`; for keys also `list` and `write-prefix`. Not case-sensitive.'

/** A string for the service, and a union type for its callers. */
function union<T extends string>(description: string): z.ZodType<string, T> {
  return z.string().meta({ description }) as z.ZodType as z.ZodType<string, T>
}

/** A right in answers. */
export const right = {
  Resource: z.string().meta({ description: RESOURCE }),
  Segment: z.string().optional().meta({ description: SEGMENT }),
  Access: z.string().meta({ description: ACCESS }),
}

/** A right in requests. */
const asked = {
  Resource: union<CheckedResource>(RESOURCE),
  Segment: boundedText(SEGMENT_BYTES_MAX).optional().meta({ description: SEGMENT }),
  Access: union<CheckedAccess>(ACCESS),
}

const authorizeCheckSchema = z
  .strictObject({
    ...asked,
    Allow: z.unknown().optional().meta({ description: 'Ignored: an answer can be sent back as a check.' }),
  })
  .meta({ id: 'AuthorizeCheck' })
export type AuthorizeCheck = z.infer<typeof authorizeCheckSchema>

/** The route limits the length of the list (`batch`). */
export const authorizeRequestSchema = z.array(authorizeCheckSchema).meta({ id: 'AuthorizeRequest' })

/** Why a check was allowed or denied: an extension, with `?explain`. */
const explanationSchema = z
  .strictObject({
    Rule: z
      .strictObject({
        PolicyID: z
          .string()
          .meta({ description: 'Policy of the rule. Empty if the rule is not from a stored policy.' }),
        PolicyName: z.string().meta({ description: 'Name of that policy.' }),
        Kind: z.string().meta({ description: 'Kind as written, such as `key_prefix`.' }),
        Segment: z.string().meta({ description: 'Segment as written, truncated to 256 characters.' }),
        Level: z.string().meta({ description: 'Level as written, such as `read`.' }),
        Line: z.int().meta({ description: 'Line in the rules, from 1.', minimum: 1 }),
      })
      .optional()
      .meta({
        description: 'The rule that decided. Absent if no rule matched and the default policy decided.',
      }),
    Path: z.array(z.string()).meta({ description: 'How the token gets the rule, outermost first.' }),
    Missing: z
      .strictObject(right)
      .optional()
      .meta({ description: 'The missing right, if the check was denied.' }),
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.infer<typeof explanationSchema>

export const authorizeAnswerSchema = z
  .strictObject({
    ...right,
    Allow: z.boolean().meta({ description: 'Whether the token has the right.' }),
    Explanation: explanationSchema.optional().meta({ description: 'Why, with `?explain`.' }),
  })
  .meta({ id: 'AuthorizeAnswer' })
export type AuthorizeAnswer = z.infer<typeof authorizeAnswerSchema>

/** An extension: which tokens have this right. */
export const whoCanRequestSchema = z.strictObject(asked).meta({ id: 'WhoCanRequest' })

export const tokenReferenceSchema = z
  .strictObject({
    AccessorID: accessorId,
    Description: z.string().meta({ description }),
    Namespace: namespaceShown,
  })
  .meta({ id: 'TokenReference' })
