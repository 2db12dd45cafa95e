/** The body of a refusal: plain text, or a problem document (RFC 9457) if the request accepts it. */
import * as z from 'zod'
import { ACL_ERROR_CODES, ACL_ERRORS, type AclErrorCode } from '../errors.ts'

/** A problem document. It never contains a secret. */
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

/** A refusal on the wire: a sentence, or a problem document. */
export type Refusal<Code extends AclErrorCode = AclErrorCode> = string | Problem<Code>
export type RefusalSchema<Code extends AclErrorCode> = z.ZodType<Refusal<Code>, Refusal<Code>>

const text = (description: string) => z.string().meta({ description })
const number = (description: string) => z.int().meta({ description, minimum: 0 })

/** The fields before and after the code. Dozens of schemas share them, which shortens every start. */
const BEFORE_CODE = {
  type: text('`urn:latchkey:error:`, followed by the code.'),
  title: text('Meaning of the code.'),
  status: number('HTTP status.'),
  detail: text('What is wrong with this request, for people.'),
}
const AFTER_CODE = {
  field: text('Full path of the field, or name of the query option or header.').optional(),
  line: number('Line in the rules or body, from 1.').optional(),
  column: number('Column in that line, from 1.').optional(),
  missing: z
    .looseObject({
      resource: text('Kind of resource.'),
      segment: text('Name or path within the resource.').optional(),
      access: text('Missing access.'),
    })
    .optional()
    .meta({ description: 'The right that is missing.' }),
  accessorId: text('Accessor of the caller.').optional(),
  requestId: text('Identifies the request in the log of the server.'),
}

/** Later versions may add fields, so unknown fields are accepted. */
function problemOf(codes: readonly AclErrorCode[]) {
  const code = z.enum(codes).meta({ description: 'Stable code, for programs.' })
  return z.looseObject({ ...BEFORE_CODE, code, ...AFTER_CODE })
}

/** A problem document with any code. */
export const problemSchema: z.ZodType<Problem, Problem> = problemOf(ACL_ERROR_CODES).meta({
  id: 'Problem',
  description: 'A refusal, for requests with `Accept: application/problem+json`. Never contains a secret.',
})

const known = new Map<string, RefusalSchema<AclErrorCode>>()

/** The schema of a refusal with one of these codes. Routes with the same codes share it. */
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
