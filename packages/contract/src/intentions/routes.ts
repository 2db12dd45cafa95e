/** Intentions, by ID and by source and destination. Spec 9.3 (1.9.0), 9.5. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import {
  INTENTION_DESCRIPTION_BYTES_MAX,
  INTENTION_META_ENTRIES_MAX,
  INTENTION_META_KEY_BYTES_MAX,
  INTENTION_META_VALUE_BYTES_MAX,
  INTENTION_NAME_LENGTH_MAX,
} from '../limits.ts'
import { type ContractRoutes, c, del, get, post, put } from '../route.ts'
import { description, hash, ignored, required, stored, unoffered } from '../shared/fields.ts'
import { deletedSchema } from '../shared/kinds.ts'
import { idParam } from '../shared/path-params.ts'
import { blockingQuery, namespacedBlockingQuery, ONCE, query, text, texts, word } from '../shared/query.ts'
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
const intentionSchema = z
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
const createIntentionSchema = z
  .strictObject({
    ID: unoffered(z.string().meta({ description: 'Refused unless empty.' })),
    ...ends,
    ...content,
    ...all(unoffered(ignored)),
  })
  .meta({ id: 'IntentionCreate' })
export type CreateIntention = z.output<typeof createIntentionSchema>

/** The body of update: a record as read, with changes. */
const updateIntentionSchema = z
  .strictObject({ ID: ignored, ...ends, ...content, ...all(ignored) })
  .meta({ id: 'IntentionUpdate' })
export type UpdateIntention = z.output<typeof updateIntentionSchema>

/** The body of a write by source and destination, which are in the query. */
const exactIntentionSchema = z
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

const createdIntentionSchema = z
  .strictObject({ ID: z.string().meta({ description: 'The UUID of the intention.' }) })
  .meta({ id: 'IntentionID' })

const intentionMatchesSchema = z
  .record(z.string(), z.array(intentionSchema))
  .meta({
    id: 'IntentionMatches',
    description: 'For each requested name, the intentions that match it, highest precedence first.',
  })

const intentionCheckSchema = z
  .strictObject({ Allowed: z.boolean().meta({ description: 'Whether the source may connect.' }) })
  .meta({ id: 'IntentionCheck' })

/** Progress of the migration of intentions to config entries. */
const intentionMigrationSchema = z
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

const read = { right: 'intention', blocking: 'intentions', spec: '9.5' } as const
const write = { right: 'intention', writes: 'global', spec: '9.5' } as const
const record = { subject: 'intention ID' } as const
/** Names without a namespace are in `default`, regardless of `ns`. */
const named = { inDefault: true } as const
const byName = { ...named, gate: 'intentions.configEntries' } as const
const rules = ['field_required', 'field_invalid', 'namespace_unsupported'] as const
const states = ['intentions_migrating', 'intention_edited'] as const
const BY_PROBLEM = "'by' parameter must be one of 'source' or 'destination'"
const names = {
  source: text('The source, as `name` or `namespace/name`. Required, once.', ONCE),
  destination: text('The destination, as `name` or `namespace/name`. Required, once.', ONCE),
}

export const intentions = c.router({
  list: get('/v1/connect/intentions', z.array(intentionSchema), {
    summary: 'List intentions',
    description:
      'The highest precedence first. From 1.9.0, only intentions whose destination is in the namespace of the request; before, and with `ns=*`, all. Shows intentions whose source or destination the caller may read.',
    query: namespacedBlockingQuery({
      filter: text(
        'Only intentions that match this filter, such as `Action == deny`. Since 1.8.0. Decisions: filters.',
        { gate: 'intentions.filter' satisfies GateName },
      ),
    }),
    metadata: {
      ...read,
      namespaced: true,
      rowRights: true,
      spec: '9.3',
      errors: ['filter_invalid', 'field_too_long'],
    },
  }),
  create: post('/v1/connect/intentions', createdIntentionSchema, {
    summary: 'Create an intention',
    description: 'Allows or denies connections from one service to another. The services need not exist.',
    query: query({}),
    body: createIntentionSchema,
    metadata: {
      ...write,
      ...named,
      body: 'json',
      errors: [...rules, ...states, 'intention_in_use'],
      referenceStatuses: {
        body_malformed: 500,
        body_required: 500,
        field_unknown: 500,
        field_type: 500,
        field_too_long: 500,
        'field_required DestinationName': 403,
      },
    },
  }),
  match: get('/v1/connect/intentions/match', intentionMatchesSchema, {
    summary: 'List the intentions that concern services',
    description:
      'For each name, the intentions from that source or to that destination, including matching wildcards. Needs the right to read each name.',
    query: blockingQuery({
      by: word(
        ['source', 'destination'],
        { description: 'Which end of the intentions `name` names. Required, once.', ...ONCE },
        BY_PROBLEM,
      ),
      name: texts('A service, as `name` or `namespace/name`. May be repeated.'),
    }),
    metadata: {
      ...read,
      ...named,
      errors: [...rules, 'answer_too_large'],
      referenceStatuses: { 'query_invalid by': 500 },
    },
  }),
  check: get('/v1/connect/intentions/check', intentionCheckSchema, {
    summary: 'Check whether a service may connect to another',
    description:
      'The intention of the highest precedence decides; an intention with Permissions denies. Without an intention, the default policy of rules decides. Needs `service:read` on the destination.',
    query: blockingQuery({ ...names, 'source-type': text('Absent, or `consul`.') }),
    metadata: { ...read, ...named, errors: rules },
  }),
  readExact: get('/v1/connect/intentions/exact', intentionSchema, {
    summary: 'Read an intention by source and destination',
    description: 'The intention with exactly this source and destination.',
    query: blockingQuery(names),
    metadata: { ...read, ...byName, errors: [...rules, 'not_found'] },
  }),
  writeExact: put('/v1/connect/intentions/exact', deletedSchema, {
    summary: 'Write an intention by source and destination',
    description:
      'Creates or replaces the intention. This edits the config entry, so every intention to the destination loses its ID and times.',
    query: query(names),
    body: exactIntentionSchema,
    metadata: { ...write, ...byName, body: 'json', errors: [...rules, 'intentions_migrating'] },
  }),
  deleteExact: del('/v1/connect/intentions/exact', deletedSchema, {
    summary: 'Delete an intention by source and destination',
    description: 'Returns `true`, even if the intention does not exist.',
    query: query(names),
    metadata: { ...write, ...byName, errors: [...rules, 'intentions_migrating'] },
  }),
  read: get('/v1/connect/intentions/:ID', intentionSchema, {
    pathParams: idParam,
    summary: 'Read an intention by its ID',
    description: 'Needs the right to read its source or its destination.',
    query: blockingQuery({}),
    metadata: {
      ...read,
      ...record,
      errors: ['id_missing', 'id_invalid', 'not_found'],
      referenceStatuses: { id_invalid: 400 },
    },
  }),
  update: put('/v1/connect/intentions/:ID', createdIntentionSchema, {
    pathParams: idParam,
    summary: 'Replace an intention',
    description: 'Omitted fields are cleared. From 1.9.0, the destination cannot be changed.',
    query: query({}),
    body: updateIntentionSchema,
    metadata: {
      ...write,
      ...record,
      body: 'json',
      errors: [
        ...rules,
        ...states,
        'intention_in_use',
        'id_missing',
        'id_invalid',
        'not_found',
        'field_immutable',
      ],
      referenceStatuses: { not_found: 500, field_too_long: 500, 'field_required DestinationName': 403 },
    },
  }),
  delete: del('/v1/connect/intentions/:ID', deletedSchema, {
    pathParams: idParam,
    summary: 'Delete an intention by its ID',
    description: 'Answers `true`.',
    query: query({}),
    metadata: {
      ...write,
      ...record,
      errors: ['intentions_migrating', 'id_missing', 'id_invalid', 'not_found'],
      referenceStatuses: { id_missing: 500, not_found: 500 },
    },
  }),
  migration: get('/v1/internal/intentions/migration', intentionMigrationSchema, {
    summary: 'Read the progress of the intentions migration',
    description: 'Whether intentions are stored as config entries, and what the migration is waiting for.',
    query: query({}),
    metadata: { right: 'acl:read', spec: 'extension', errors: [] },
  }),
} satisfies ContractRoutes)
