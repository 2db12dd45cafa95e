/** Kinds of fields shared by several bodies. */
import * as z from 'zod'
import { NAMESPACE_NAME_LENGTH_MAX } from '../limits.ts'

/**
 * A field that a body may contain because the record has it. The service ignores it, so a record can be sent back as
 * read.
 */
export const ignored = z
  .unknown()
  .optional()
  .meta({ description: 'Ignored. A record can be sent back as read.' })

/**
 * A field that existing clients send but that our types do not offer. The rules ignore it, or refuse it with a better
 * error than `field_unknown`.
 */
export function unoffered<S extends z.ZodType>(
  schema: S,
): z.ZodOptional<z.ZodType<z.output<S> | undefined, never>> {
  const marked = schema.optional().meta({ [UNOFFERED]: true })
  return marked as unknown as z.ZodOptional<z.ZodType<z.output<S> | undefined, never>>
}

/** Marks an unoffered field in the metadata of its schema, and so in JSON Schema. */
export const UNOFFERED = 'x-latchkey-unoffered'

/** A required text. If absent, it is read as empty, which the rules refuse as `field_required`. */
export function required(schema: z.ZodString): z.ZodType<string, string> {
  return requiredOr(schema.default(''))
}

/** A required field with a default. The rules refuse the default, and so an absent field. */
export function requiredOr<S extends z.ZodType>(schema: z.ZodDefault<S>): z.ZodType<z.output<S>, z.input<S>> {
  return schema.meta({ [REQUIRED]: true }) as unknown as z.ZodType<z.output<S>, z.input<S>>
}

/** Marks a required field that has a default, in the same way as {@link UNOFFERED}. */
export const REQUIRED = 'x-latchkey-required'

/** Marks an object whose field names match regardless of case, in the same way as {@link UNOFFERED}. */
export const ANY_CASE = 'x-latchkey-any-case'

export const description = 'Free text for people.'
export const namespaceShown = z.string().optional().meta({ description: 'Extended edition only.' })
/** Spec 4.9.1. */
export const namespaceChosen = z
  .string()
  .max(NAMESPACE_NAME_LENGTH_MAX)
  .optional()
  .meta({
    description: 'Extended edition only. Takes precedence over `ns`, the header and the caller’s namespace.',
  })
export const createTime = z
  .string()
  .meta({ description: 'When the record was created. RFC 3339, UTC, to the millisecond.' })
export const accessorId = z
  .string()
  .meta({ description: 'The public handle of the token: a UUID that appears in paths and is not secret.' })
export const recordId = z.string().meta({ description: 'A UUID chosen by the service.' })
export const recordName = z.string().meta({ description: 'Name of the record.' })

export const stored = {
  CreateIndex: z
    .int()
    .meta({ description: 'Commit index of the write that created the record.', minimum: 0 }),
  ModifyIndex: z.int().meta({ description: 'Commit index of the last write to the record.', minimum: 0 }),
}
export const hash = z
  .string()
  .meta({ description: 'BLAKE2b-256 hash of the content, in base64. Equal content has an equal hash.' })

/** An ID in the body of a create. */
export const idOnCreate = z
  .string()
  .optional()
  .meta({ description: 'Refused unless empty, or with `import`: the ID that the record has elsewhere.' })
/** An ID in the body of an update. */
export const idOnUpdate = z.string().optional().meta({ description: 'Absent, or the same as in the path.' })

/** Indexes in the body of a create: ignored, and not offered. */
export const indexesOnCreate = { CreateIndex: unoffered(ignored), ModifyIndex: unoffered(ignored) }
/** Indexes in the body of an update: ignored, so that a record can be sent back. */
export const indexesOnUpdate = { CreateIndex: ignored, ModifyIndex: ignored }
/** Like {@link indexesOnCreate}, for a record with a hash. */
export const storedOnCreate = { Hash: unoffered(ignored), ...indexesOnCreate }
/** Like {@link indexesOnUpdate}, for a record with a hash. */
export const storedOnUpdate = { Hash: ignored, ...indexesOnUpdate }
