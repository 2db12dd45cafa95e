/** Answers shared by several resources. */
import * as z from 'zod'

export const deletedSchema = z.boolean().meta({ description: 'true: the record was deleted.' })
