/** Kinds of fields that bodies share. */
import * as z from 'zod'
import { NAMESPACE_NAME_LENGTH_MAX } from '../limits.ts'

/** A field that a record has and a body may repeat: accepted and ignored, so that a record can be sent back. */
export const ignored = z
  .unknown()
  .optional()
  .meta({ description: 'Accepted and ignored, so that a record that was read can be sent back.' })

/**
 * A field that existing clients send, and that no type offers. The service reads it as before: the rules ignore or
 * refuse it, and say why better than an unknown field could.
 */
export function unoffered<S extends z.ZodType>(
  schema: S,
): z.ZodOptional<z.ZodType<z.output<S> | undefined, never>> {
  const marked = schema.optional().meta({ [UNOFFERED]: true })
  return marked as unknown as z.ZodOptional<z.ZodType<z.output<S> | undefined, never>>
}

/** Marks such a field in the metadata of its schema, and so in JSON Schema. */
export const UNOFFERED = 'x-latchkey-unoffered'

/**
 * A text that a caller must give. An absent one is read as empty, so that the rules, and not the schema, say what is
 * missing: `field_required`.
 */
export function required(schema: z.ZodString): z.ZodType<string, string> {
  return schema.default('') as unknown as z.ZodType<string, string>
}

export const description = 'Free text for people.'
export const namespaceShown = z.string().optional().meta({ description: 'Extended edition only.' })
/** Spec 4.9.1. */
export const namespaceChosen = z.string().max(NAMESPACE_NAME_LENGTH_MAX).optional().meta({
  description: 'Extended edition only. Goes before `ns`, the header and the namespace of the caller.',
})
export const createTime = z
  .string()
  .meta({ description: 'When the record was created. RFC 3339, UTC, to the millisecond.' })

/** What every stored record says of its writes. */
export const stored = {
  CreateIndex: z
    .int()
    .meta({ description: 'Commit index of the write that created the record.', minimum: 0 }),
  ModifyIndex: z.int().meta({ description: 'Commit index of the last write to the record.', minimum: 0 }),
}
export const hash = z
  .string()
  .meta({ description: 'Base64 of a BLAKE2b-256 over the content: equal content, equal hash.' })
