/** Archives of a whole store. Decisions: backup. */
import * as z from 'zod'

export const restoredSchema = z
  .object({
    Index: z
      .number()
      .int()
      .meta({ description: 'Commit index of the restored store: above all that it gave before.' }),
    SnapshotIndex: z.number().int().meta({ description: 'Commit index that the archive was made at.' }),
    Records: z
      .record(z.string(), z.number().int())
      .meta({ description: 'Number of restored records, by table.' }),
  })
  .meta({ id: 'RestoredSnapshot', description: 'What was restored.' })
export type RestoredSnapshot = z.infer<typeof restoredSchema>
