/** Config entries of kind `service-intentions`: the intentions to one destination. Spec 9.5. */
import * as z from 'zod'
import { permissions } from '../intentions/permissions.ts'
import { intentionDescription, metaShown, metaText } from '../intentions/schemas.ts'
import { INTENTION_NAME_LENGTH_MAX } from '../limits.ts'
import { description, ignored, namespaceChosen, namespaceShown, required, stored } from '../shared/fields.ts'

const NAME = 'Name of the destination, or `*`.'
const ACTION = '`allow` or `deny`.'

const sourceSchema = z
  .strictObject({
    Name: z.string().meta({ description: 'Name of the source, or `*`.' }),
    Action: z
      .string()
      .optional()
      .meta({ description: `${ACTION} Absent with Permissions.` }),
    Permissions: permissions.optional(),
    Precedence: z.int().meta({ description: 'From 1 to 9.', minimum: 1, maximum: 9 }),
    LegacyID: z.string().optional().meta({ description: 'ID in the ID-based API.' }),
    Type: z.string().meta({ description: 'Always `consul`.' }),
    Description: z.string().optional().meta({ description }),
    LegacyMeta: metaShown.optional(),
    LegacyCreateTime: z.string().optional().meta({ description: 'CreatedAt in the ID-based API.' }),
    LegacyUpdateTime: z.string().optional().meta({ description: 'UpdatedAt in the ID-based API.' }),
    Namespace: namespaceShown,
  })
  .meta({ id: 'ConfigEntrySource' })

export const configEntrySchema = z
  .strictObject({
    Kind: z.string().meta({ description: 'Always `service-intentions`.' }),
    Name: z.string().meta({ description: NAME }),
    Sources: z.array(sourceSchema).meta({ description: 'Highest precedence first.' }),
    Meta: metaShown.optional(),
    Namespace: namespaceShown,
    ...stored,
  })
  .meta({ id: 'ConfigEntry' })
export type ConfigEntry = z.infer<typeof configEntrySchema>

const name = (what: string) => required(z.string().max(INTENTION_NAME_LENGTH_MAX).meta({ description: what }))
const namespace = z.string().max(INTENTION_NAME_LENGTH_MAX).optional()

const sourceWritten = z
  .strictObject({
    Name: name('Name of the source, or `*`.'),
    Action: z.string().optional().meta({ description: ACTION }),
    Permissions: permissions.optional(),
    Precedence: ignored,
    Type: z.string().optional().meta({ description: 'Absent, or `consul`.' }),
    Description: intentionDescription,
    LegacyID: ignored,
    LegacyMeta: metaText.meta({ description: 'Refused unless absent or empty.' }),
    LegacyCreateTime: ignored,
    LegacyUpdateTime: ignored,
    Namespace: namespace.meta({ description: 'Extended edition only: namespace of the source, or `*`.' }),
  })
  .meta({ id: 'ConfigEntrySourceWrite' })

/** The body of a write. */
export const writeConfigEntrySchema = z
  .strictObject({
    Kind: name('`service-intentions`.'),
    Name: name(NAME),
    Sources: z.array(sourceWritten).optional().meta({ description: 'At least one.' }),
    Meta: metaText,
    Namespace: namespaceChosen,
    CreateIndex: ignored,
    ModifyIndex: ignored,
  })
  .meta({ id: 'ConfigEntryWrite' })
export type WriteConfigEntry = z.output<typeof writeConfigEntrySchema>
