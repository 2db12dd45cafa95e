/** Permissions of intentions: what requests of layer 7 a source may make. Stored and checked, never run by this service. */
import * as z from 'zod'
import { PERMISSION_TEXT_BYTES_MAX, PERMISSIONS_MAX } from '../limits.ts'
import { boundedText } from '../shared/text.ts'

const text = boundedText(PERMISSION_TEXT_BYTES_MAX)

const headerSchema = z
  .strictObject({
    Name: text.optional().meta({ description: 'Name of the header.' }),
    Present: z.boolean().optional().meta({ description: 'The header is there, with any value.' }),
    Exact: text.optional().meta({ description: 'The whole value.' }),
    Prefix: text.optional().meta({ description: 'The beginning of the value.' }),
    Suffix: text.optional().meta({ description: 'The end of the value.' }),
    Regex: text.optional().meta({ description: 'A regular expression for the value.' }),
    Invert: z.boolean().optional().meta({ description: 'The header must not be so.' }),
  })
  .meta({ id: 'IntentionHeader' })

const httpSchema = z
  .strictObject({
    PathExact: text.optional().meta({ description: 'The whole path.' }),
    PathPrefix: text.optional().meta({ description: 'The beginning of the path.' }),
    PathRegex: text.optional().meta({ description: 'A regular expression for the path.' }),
    Header: z
      .array(headerSchema)
      .max(PERMISSIONS_MAX)
      .optional()
      .meta({ description: 'Conditions on headers, all of which must hold.' }),
    Methods: z
      .array(z.string())
      .max(PERMISSIONS_MAX)
      .optional()
      .meta({ description: 'Methods, such as `GET`. Absent: all.' }),
  })
  .meta({ id: 'IntentionHTTP' })

const permissionSchema = z
  .strictObject({
    Action: z.string().optional().meta({ description: '`allow` or `deny`.' }),
    HTTP: httpSchema.optional().meta({ description: 'The requests that the permission is about.' }),
  })
  .meta({ id: 'IntentionPermission' })
export type IntentionPermission = z.infer<typeof permissionSchema>

export const permissions = z.array(permissionSchema).max(PERMISSIONS_MAX).meta({
  description: 'Rules for requests, instead of Action. The first that fits decides.',
})
