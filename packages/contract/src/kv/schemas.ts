/** The key-value store: the one resource of this service that the rules guard. Spec 5.4. */
import * as z from 'zod'
import { namespaceShown, stored } from '../shared/fields.ts'

/** A stored entry. Value is base64, or `null` if it is empty. */
export const kvEntrySchema = z
  .strictObject({
    LockIndex: z.int().meta({ description: 'Always 0: there are no sessions.', minimum: 0 }),
    Key: z.string().meta({ description: 'The whole key.' }),
    Flags: z.int().meta({ description: 'A number that the caller chose.', minimum: 0 }),
    Value: z.string().nullable().meta({ description: 'The value in base64, or null if it is empty.' }),
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'KVEntry' })
export type KvEntry = z.infer<typeof kvEntrySchema>
