/** Archives of a whole store. Decisions: backup. */
import * as z from 'zod'

export const restoredSchema = z
  .object({
    Index: z
      .number()
      .int()
      .meta({ description: 'Commit index of the restored store. It is higher than any earlier index.' }),
    SnapshotIndex: z.number().int().meta({ description: 'Commit index at which the archive was made.' }),
    Records: z
      .record(z.string(), z.number().int())
      .meta({ description: 'Number of restored records, by table.' }),
  })
  .meta({ id: 'RestoredSnapshot', description: 'What was restored.' })
export type RestoredSnapshot = z.infer<typeof restoredSchema>
