/** What a token may do, and which tokens may do something. Spec 5. */
import * as z from 'zod'
import { AUTHORIZE_CHECKS_MAX, QUESTION_VALUES_MAX, SEGMENT_BYTES_MAX } from '../limits.ts'
import { type ContractRoutes, c, post } from '../route.ts'
import { accessorId, description, namespaceShown } from '../shared/fields.ts'
import { flag, namespacedQuery, page, text } from '../shared/query.ts'
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

const authorizeAnswerSchema = z
  .strictObject({
    ...right,
    Allow: z.boolean().meta({ description: 'Whether the token has the right.' }),
    Explanation: explanationSchema.optional().meta({ description: 'Why, with `?explain`.' }),
  })
  .meta({ id: 'AuthorizeAnswer' })
export type AuthorizeAnswer = z.infer<typeof authorizeAnswerSchema>

/** An extension: which tokens have this right. */
const whoCanRequestSchema = z.strictObject(asked).meta({ id: 'WhoCanRequest' })

const tokenReferenceSchema = z
  .strictObject({
    AccessorID: accessorId,
    Description: z.string().meta({ description }),
    Namespace: namespaceShown,
  })
  .meta({ id: 'TokenReference' })

const gate = 'api.token'

export const decisions = c.router({
  authorize: post('/v1/internal/acl/authorize', z.array(authorizeAnswerSchema), {
    summary: 'Decide up to 64 checks for the presented token',
    description:
      'The answers are in the order of the checks. Without a token, the anonymous token is checked; an unknown token is refused. `accessor` selects another token of the namespace to check. A token has no rights in the namespaces of others, unless it has global-management.',
    query: namespacedQuery({
      explain: flag('Add the rule that decided each check.'),
      accessor: text(
        'Check the token with this accessor. Needs `acl:read`, unless it is the caller’s own token.',
        { format: 'uuid' },
      ),
    }),
    body: authorizeRequestSchema,
    metadata: {
      writes: 'nothing',
      right: 'none',
      asksAboutCaller: true,
      body: 'json',
      bodyRepeats: true,
      batch: { max: AUTHORIZE_CHECKS_MAX, of: 'authorizations' },
      refusedInLegacyMode: true,
      namespaced: true,
      gate,
      spec: '5',
      errors: [
        'batch_too_large',
        'field_invalid',
        'id_invalid',
        'caller_unknown',
        'privilege_missing',
        'not_found',
      ],
      referenceStatuses: { field_invalid: 400 },
    },
  }),
  whoCan: post('/v1/internal/acl/who-can', z.array(tokenReferenceSchema), {
    summary: 'List the tokens that may do something',
    description: 'In the order of the token list, in pages.',
    query: namespacedQuery(page),
    body: whoCanRequestSchema,
    metadata: {
      writes: 'nothing',
      right: 'acl:read',
      body: 'json',
      bodyValuesMax: QUESTION_VALUES_MAX,
      refusedInLegacyMode: true,
      namespaced: true,
      gate,
      spec: 'extension',
      errors: ['field_invalid'],
    },
  }),
} satisfies ContractRoutes)
