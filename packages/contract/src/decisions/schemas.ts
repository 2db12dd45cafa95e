/** Asking for decisions.8, and our extensions explain and who-can. */
import * as z from 'zod'
import { SEGMENT_BYTES_MAX } from '../limits.ts'
import { description, namespaceShown } from '../shared/fields.ts'
import { boundedText } from '../shared/text.ts'

const RESOURCE = 'What is asked about: `acl`, `key`, `service` and so on. With case.'
const SEGMENT =
  'The name or path within the resource. Absent for `acl`, `keyring`, `mesh`, `operator`, `peering`.'
const ACCESS = '`read` or `write`; for keys also `list` and `write-prefix`. Without case.'

/** Resources that a check can name. The service itself reads any text, and refuses one that it does not know. */
export type CheckedResource =
  | 'acl'
  | 'agent'
  | 'event'
  | 'intention'
  | 'key'
  | 'keyring'
  | 'mesh'
  | 'node'
  | 'operator'
  | 'peering'
  | 'query'
  | 'service'
  | 'session'
export type CheckedAccess = 'read' | 'write' | 'list' | 'write-prefix'

/** A text for the service, and a union for those who call it. */
function union<T extends string>(description: string): z.ZodType<string, T> {
  return z.string().meta({ description }) as z.ZodType as z.ZodType<string, T>
}

const asked = {
  Resource: union<CheckedResource>(RESOURCE),
  Segment: boundedText(SEGMENT_BYTES_MAX).optional().meta({ description: SEGMENT }),
  Access: union<CheckedAccess>(ACCESS),
}

export const authorizeCheckSchema = z
  .strictObject({
    ...asked,
    Allow: z
      .unknown()
      .optional()
      .meta({ description: 'Accepted and ignored, so that an answer can be sent back.' }),
  })
  .meta({ id: 'AuthorizeCheck' })
export type AuthorizeCheck = z.infer<typeof authorizeCheckSchema>

/** The bound of the list is a fact of the route: `batch`. */
export const authorizeRequestSchema = z.array(authorizeCheckSchema).meta({ id: 'AuthorizeRequest' })

/** Why a decision is what it is: an extension, with `?explain`. */
export const explanationSchema = z
  .strictObject({
    Rule: z
      .strictObject({
        PolicyID: z
          .string()
          .meta({ description: 'Policy of the rule; empty where it comes from elsewhere.' }),
        PolicyName: z.string().meta({ description: 'Its name.' }),
        Kind: z.string().meta({ description: 'Kind as written, such as `key_prefix`.' }),
        Segment: z.string().meta({ description: 'Segment as written.' }),
        Level: z.string().meta({ description: 'Level as written, such as `read`.' }),
        Line: z.int().meta({ description: 'Line in the rule text, from 1.', minimum: 1 }),
      })
      .optional()
      .meta({ description: 'The rule that decided. Absent: none did, and the default policy counts.' }),
    Path: z.array(z.string()).meta({ description: 'How the token has the rule, outermost first.' }),
    Missing: z
      .strictObject({
        Resource: z.string().meta({ description: RESOURCE }),
        Segment: z.string().optional().meta({ description: SEGMENT }),
        Access: z.string().meta({ description: ACCESS }),
      })
      .optional()
      .meta({ description: 'The right that is missing, where the answer is no.' }),
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.infer<typeof explanationSchema>

export const authorizeAnswerSchema = z
  .strictObject({
    Resource: z.string().meta({ description: RESOURCE }),
    Segment: z.string().optional().meta({ description: SEGMENT }),
    Access: z.string().meta({ description: ACCESS }),
    Allow: z.boolean().meta({ description: 'Whether it may be done.' }),
    Explanation: explanationSchema.optional().meta({ description: 'Why, with `?explain`.' }),
  })
  .meta({ id: 'AuthorizeAnswer' })
export type AuthorizeAnswer = z.infer<typeof authorizeAnswerSchema>

/** Extension: which tokens may do this? */
export const whoCanRequestSchema = z.strictObject(asked).meta({ id: 'WhoCanRequest' })

export const tokenReferenceSchema = z
  .strictObject({
    AccessorID: z.string().meta({
      description: 'The public handle of the token: stands in paths, is no secret. A UUID.',
    }),
    Description: z.string().meta({ description }),
    Namespace: namespaceShown,
  })
  .meta({ id: 'TokenReference' })
