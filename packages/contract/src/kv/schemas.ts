/** The key-value store: the one resource of this service that the rules guard. Spec 5.4. */
import * as z from 'zod'
import { namespaceShown, stored } from '../shared/fields.ts'

/** All 64 bits travel as the digits of a JSON number; one that a double cannot hold is a bigint to a program. */
const uint64Shown = z.number().meta({
  description: 'The number that the caller chose, of 64 bits.',
  type: 'integer',
  minimum: 0,
  maximum: 2 ** 64,
}) as z.ZodType as z.ZodType<number | bigint>

/** A stored entry. Value is base64, or `null` if it is empty. */
export const kvEntrySchema = z
  .strictObject({
    LockIndex: z.int().meta({ description: 'Always 0: there are no sessions.', minimum: 0 }),
    Key: z.string().meta({ description: 'The whole key.' }),
    Flags: uint64Shown,
    Value: z.string().nullable().meta({ description: 'The value in base64, or null if it is empty.' }),
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'KVEntry' })
export type KvEntry = z.infer<typeof kvEntrySchema>
