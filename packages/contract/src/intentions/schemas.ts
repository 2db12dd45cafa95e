/** Intentions: which services may connect to which. Spec 9.3 (1.9.0), 9.5; decisions: intentions. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import {
  INTENTION_DESCRIPTION_BYTES_MAX,
  INTENTION_META_ENTRIES_MAX,
  INTENTION_META_KEY_BYTES_MAX,
  INTENTION_META_VALUE_BYTES_MAX,
  INTENTION_NAME_LENGTH_MAX,
} from '../limits.ts'
import { description, hash, ignored, required, stored, unoffered } from '../shared/fields.ts'
import { boundedText } from '../shared/text.ts'
import { permissions } from './permissions.ts'

const ACTION = 'Whether the source may connect: `allow` or `deny`.'
const META = 'Metadata from the client.'
const NAMESPACE = 'Absent or empty: `default`. Extended edition: `*` means all.'
const NAME = 'Name of a service, which need not exist; `*` means all.'

/** A time in answers; omitted instead of empty. */
const shownTime = (what: string) =>
  z
    .string()
    .optional()
    .meta({ description: `When the intention was ${what}. RFC 3339. Absent without ID.` })

export const metaShown = z.record(z.string(), z.string()).meta({ description: META })

/** An intention in answers, alone and in lists. */
export const intentionSchema = z
  .strictObject({
    ID: z.string().optional().meta({ description: 'Absent after an edit through config entries.' }),
    Description: z.string().meta({ description }),
    SourceNS: z.string().meta({ description: 'Namespace of the source.' }),
    SourceName: z.string().meta({ description: 'Name of the source, or `*`.' }),
    DestinationNS: z.string().meta({ description: 'Namespace of the destination.' }),
    DestinationName: z.string().meta({ description: 'Name of the destination, or `*`.' }),
    SourceType: z.string().meta({ description: 'Always `consul`.' }),
    Action: z
      .string()
      .optional()
      .meta({ description: `${ACTION} Absent with Permissions.` }),
    Permissions: permissions.optional(),
    DefaultAddr: z.string().optional().meta({ description: 'Empty. Before 1.9.0 only.' }),
    DefaultPort: z.int().optional().meta({ description: '0. Before 1.9.0 only.' }),
    Meta: metaShown.optional(),
    Precedence: z
      .int()
      .meta({
        description: 'The matching intention with the highest precedence decides.',
        minimum: 1,
        maximum: 9,
      }),
    CreatedAt: shownTime('created'),
    UpdatedAt: shownTime('last changed by its ID'),
    Hash: hash.optional(),
    ...stored,
  })
  .meta({ id: 'Intention' })
export type Intention = z.infer<typeof intentionSchema>

const serviceName = (what: string) =>
  z
    .string()
    .max(INTENTION_NAME_LENGTH_MAX)
    .meta({ description: `${what}. ${NAME}` })
const namespaceName = (what: string) =>
  z
    .string()
    .max(INTENTION_NAME_LENGTH_MAX)
    .optional()
    .meta({ description: `${what}. ${NAMESPACE}` })

export const intentionDescription = boundedText(INTENTION_DESCRIPTION_BYTES_MAX)
  .optional()
  .meta({ description })

/** Limits of {@link metaText} that JSON Schema cannot express. */
export const metaText = z
  .record(boundedText(INTENTION_META_KEY_BYTES_MAX), boundedText(INTENTION_META_VALUE_BYTES_MAX))
  .refine((meta) => Object.keys(meta).length <= INTENTION_META_ENTRIES_MAX, {
    message: `must have at most ${INTENTION_META_ENTRIES_MAX} entries`,
    params: { code: 'field_too_long' },
  })
  .optional()
  .meta({ description: `${META} At most ${INTENTION_META_ENTRIES_MAX} entries.` })

const content = {
  Description: intentionDescription,
  SourceType: z.string().optional().meta({ description: 'Absent, or `consul`.' }),
  Action: z.string().optional().meta({ description: ACTION }),
  Permissions: permissions.optional().meta({ gate: 'intentions.configEntries' satisfies GateName }),
  Meta: metaText,
}
const ends = {
  SourceNS: namespaceName('Namespace of the source'),
  SourceName: required(serviceName('Name of the source')),
  DestinationNS: namespaceName('Namespace of the destination'),
  DestinationName: required(serviceName('Name of the destination')),
}
const computed = [
  'DefaultAddr',
  'DefaultPort',
  'Precedence',
  'CreatedAt',
  'UpdatedAt',
  'Hash',
  'CreateIndex',
  'ModifyIndex',
] as const
type Computed<S> = { readonly [N in (typeof computed)[number]]: S }
const all = <S>(schema: S) => Object.fromEntries(computed.map((name) => [name, schema])) as Computed<S>

/** The body of create. */
export const createIntentionSchema = z
  .strictObject({
    ID: unoffered(z.string().meta({ description: 'Refused unless empty.' })),
    ...ends,
    ...content,
    ...all(unoffered(ignored)),
  })
  .meta({ id: 'IntentionCreate' })
export type CreateIntention = z.output<typeof createIntentionSchema>

/** The body of update: a record as read, with changes. */
export const updateIntentionSchema = z
  .strictObject({ ID: ignored, ...ends, ...content, ...all(ignored) })
  .meta({ id: 'IntentionUpdate' })
export type UpdateIntention = z.output<typeof updateIntentionSchema>

/** The body of a write by source and destination, which are in the query. */
export const exactIntentionSchema = z
  .strictObject({
    ID: ignored,
    SourceNS: ignored,
    SourceName: ignored,
    DestinationNS: ignored,
    DestinationName: ignored,
    ...content,
    ...all(ignored),
  })
  .meta({ id: 'IntentionExact' })
export type ExactIntention = z.output<typeof exactIntentionSchema>

export const createdIntentionSchema = z
  .strictObject({ ID: z.string().meta({ description: 'The UUID of the intention.' }) })
  .meta({ id: 'IntentionID' })

export const intentionMatchesSchema = z
  .record(z.string(), z.array(intentionSchema))
  .meta({
    id: 'IntentionMatches',
    description: 'For each requested name, the intentions that match it, highest precedence first.',
  })

export const intentionCheckSchema = z
  .strictObject({ Allowed: z.boolean().meta({ description: 'Whether the source may connect.' }) })
  .meta({ id: 'IntentionCheck' })

/** Progress of the migration of intentions to config entries. */
export const intentionMigrationSchema = z
  .strictObject({
    State: z
      .enum(['none', 'waiting', 'migrating', 'done'])
      .meta({
        description:
          '`none`: no server of 1.9.0 or later has led; `waiting`: for servers before 1.9.0; `migrating`; `done`. Writes are refused while it is `waiting` or `migrating`.',
      }),
    Intentions: z.int().meta({ description: 'Stored intentions.', minimum: 0 }),
    Destinations: z.int().meta({ description: 'Destinations, each a config entry.', minimum: 0 }),
    EstimatedSeconds: z
      .number()
      .meta({ description: 'Minimum time until `done`, excluding waiting.', minimum: 0 }),
    Since: z.string().optional().meta({ description: 'When this state began. RFC 3339.' }),
    WaitsFor: z
      .array(z.string())
      .optional()
      .meta({ description: 'In the state `waiting`: what has to happen first.' }),
  })
  .meta({ id: 'IntentionMigration' })
