/**
 * Permissions of intentions: which layer 7 requests a source may make. This service validates and stores them, but does
 * not enforce them.
 */
import * as z from 'zod'
import { PERMISSION_TEXT_BYTES_MAX, PERMISSIONS_MAX } from '../limits.ts'
import { boundedText } from '../shared/text.ts'

const text = boundedText(PERMISSION_TEXT_BYTES_MAX)

const headerSchema = z
  .strictObject({
    Name: text.optional().meta({ description: 'Name of the header.' }),
    Present: z.boolean().optional().meta({ description: 'The header is present, with any value.' }),
    Exact: text.optional().meta({ description: 'The whole value.' }),
    Prefix: text.optional().meta({ description: 'Prefix of the value.' }),
    Suffix: text.optional().meta({ description: 'Suffix of the value.' }),
    Regex: text.optional().meta({ description: 'A regular expression for the value.' }),
    Invert: z.boolean().optional().meta({ description: 'Inverts the condition.' }),
  })
  .meta({ id: 'IntentionHeader' })

const httpSchema = z
  .strictObject({
    PathExact: text.optional().meta({ description: 'The whole path.' }),
    PathPrefix: text.optional().meta({ description: 'Prefix of the path.' }),
    PathRegex: text.optional().meta({ description: 'A regular expression for the path.' }),
    Header: z
      .array(headerSchema)
      .max(PERMISSIONS_MAX)
      .optional()
      .meta({ description: 'Conditions on headers. All of them must be met.' }),
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
    HTTP: httpSchema.optional().meta({ description: 'The requests to which the permission applies.' }),
  })
  .meta({ id: 'IntentionPermission' })
export type IntentionPermission = z.infer<typeof permissionSchema>

export const permissions = z
  .array(permissionSchema)
  .max(PERMISSIONS_MAX)
  .meta({ description: 'Rules for requests, instead of Action. The first match decides.' })
