/** The key-value store: the only resource of this service that policies protect. Spec 5.4. */
import * as z from 'zod'
import { namespaceShown, stored } from '../shared/fields.ts'

/** A JSON number on the wire. A program gets a bigint if a double cannot represent the number. */
const uint64Shown = z
  .number()
  .meta({
    description: 'An unsigned 64-bit number chosen by the caller.',
    type: 'integer',
    minimum: 0,
    maximum: 2 ** 64,
  }) as z.ZodType as z.ZodType<number | bigint>

/** A stored entry. Value is base64, or `null` if it is empty. */
export const kvEntrySchema = z
  .strictObject({
    LockIndex: z
      .int()
      .meta({
        description:
          'How many times sessions have locked the key since it was created. Other writes do not change it.',
        minimum: 0,
      }),
    Key: z.string().meta({ description: 'The whole key.' }),
    Flags: uint64Shown,
    Value: z.string().nullable().meta({ description: 'The value in base64, or null if it is empty.' }),
    Session: z.string().optional().meta({ description: 'ID of the session that holds the key.' }),
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'KVEntry' })
export type KvEntry = z.infer<typeof kvEntrySchema>
