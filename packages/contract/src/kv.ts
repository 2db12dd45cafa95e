/** The key-value store: the one resource of this service that the rules guard. Spec 5.4; shape: reference world. */
import * as z from 'zod'

/** A stored entry. Value is base64, `null` where it is empty. */
export const kvEntrySchema = z
  .strictObject({
    LockIndex: z.int(),
    Key: z.string(),
    Flags: z.int(),
    Value: z.string().nullable(),
    CreateIndex: z.int(),
    ModifyIndex: z.int(),
    Namespace: z.string().optional(),
  })
  .meta({ id: 'KVEntry' })
export type KvEntry = z.infer<typeof kvEntrySchema>
