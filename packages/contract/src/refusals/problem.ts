/** The body of a refusal: plain text, or a problem document (RFC 9457) where the request accepts it. Design 6. */
import * as z from 'zod'
import { ACL_ERRORS, type AclErrorCode } from '../errors.ts'

/** A problem document. Never carries a secret. */
export interface Problem<Code extends AclErrorCode = AclErrorCode> {
  type: string
  title: string
  status: number
  detail: string
  code: Code
  field?: string | undefined
  line?: number | undefined
  column?: number | undefined
  missing?: { resource: string; segment?: string | undefined; access: string } | undefined
  accessorId?: string | undefined
  requestId: string
}

/** A refusal as it arrives: a sentence, or a document. */
export type Refusal<Code extends AclErrorCode = AclErrorCode> = string | Problem<Code>
export type RefusalSchema<Code extends AclErrorCode> = z.ZodType<Refusal<Code>, Refusal<Code>>

const text = (description: string) => z.string().meta({ description })
const number = (description: string) => z.int().meta({ description, minimum: 0 })
const allCodes = Object.keys(ACL_ERRORS) as AclErrorCode[]

/** Documents may gain fields, so what is unknown passes. */
function problemOf(codes: readonly AclErrorCode[]) {
  return z.looseObject({
    type: text('`urn:latchkey:error:` and the code.'),
    title: text('What the code means.'),
    status: number('The HTTP status.'),
    detail: text('What is wrong with this request.'),
    code: z.enum(codes).meta({ description: 'Stable: programs look at this.' }),
    field: text('Full path of the field, or name of the query option or header.').optional(),
    line: number('Line in a rule text or body, from 1.').optional(),
    column: number('Column in that line, from 1.').optional(),
    missing: z
      .looseObject({
        resource: text('What it is about.'),
        segment: text('The name or path within it.').optional(),
        access: text('What may not be done.'),
      })
      .optional()
      .meta({ description: 'The right that is missing.' }),
    accessorId: text('Accessor of the caller.').optional(),
    requestId: text('For the log of the server.'),
  })
}

/** A problem document with any code. */
export const problemSchema: z.ZodType<Problem, Problem> = problemOf(allCodes).meta({
  id: 'Problem',
  description: 'A refusal, for requests with `Accept: application/problem+json`. Never carries a secret.',
})

const known = new Map<string, RefusalSchema<AclErrorCode>>()

/** A refusal with one of these codes. Routes with the same codes share the schema. */
function refusalSchema(codes: readonly AclErrorCode[]): RefusalSchema<AclErrorCode> {
  const key = codes.join()
  const schema = known.get(key) ?? z.union([z.string(), problemOf(codes)])
  known.set(key, schema)
  return schema
}

/** A schema for each status of the codes. */
export function refusalSchemas(
  codes: readonly AclErrorCode[],
): Readonly<Record<number, RefusalSchema<AclErrorCode>>> {
  const byStatus = Map.groupBy(codes, (code) => ACL_ERRORS[code].status)
  return Object.fromEntries([...byStatus].map(([status, members]) => [status, refusalSchema(members)]))
}
