/** Config entries. This service stores only the kind `service-intentions`. Spec 9.5. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import { permissions } from '../intentions/permissions.ts'
import { intentionDescription, metaShown, metaText } from '../intentions/routes.ts'
import { INTENTION_NAME_LENGTH_MAX } from '../limits.ts'
import { type ContractRoutes, c, del, get, put } from '../route.ts'
import { description, ignored, namespaceChosen, namespaceShown, required, stored } from '../shared/fields.ts'
import { nameParam } from '../shared/path-params.ts'
import { namespacedBlockingQuery, namespacedQuery, uint64 } from '../shared/query.ts'
import { checkKindOf } from './kinds.ts'

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

const configEntrySchema = z
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
const writeConfigEntrySchema = z
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

const api = { gate: 'intentions.configEntries', spec: '9.5', namespaced: true } as const
const read = { right: 'intention', blocking: 'intentions', ...api } as const
const write = { right: 'intention', writes: 'global', ...api } as const
/** Older than the kind that this service stores. */
const written = { ...write, gate: 'api.configEntries' } as const
const cas = (what: string, gated: { readonly gate?: GateName } = {}) =>
  uint64('cas', `Only ${what} with this ModifyIndex.`, gated)

export const configEntries = c.router({
  write: put('/v1/config', z.boolean().meta({ description: 'Whether the entry was written.' }), {
    summary: 'Write a config entry',
    description:
      'Replaces all intentions to a destination. They lose their IDs and times. Answers `false` if `cas` does not match; with `cas=0` the entry must not exist. Before 1.9.0 every kind is refused.',
    query: namespacedQuery({ cas: cas('replaces an entry') }),
    body: writeConfigEntrySchema,
    metadata: {
      ...written,
      body: 'json',
      looseNames: true,
      inspectBody: checkKindOf,
      namespaceInBody: true,
      errors: ['field_required', 'field_invalid', 'endpoint_not_built', 'intentions_migrating'],
      referenceStatuses: { 'field_required Kind': 400, 'field_invalid Kind': 400 },
    },
  }),
  list: get('/v1/config/service-intentions', z.array(configEntrySchema), {
    summary: 'List config entries',
    description: 'In order of Name. Shows entries that the caller may read.',
    query: namespacedBlockingQuery({}),
    metadata: { ...read, errors: [] },
  }),
  read: get('/v1/config/service-intentions/:Name', configEntrySchema, {
    pathParams: nameParam,
    summary: 'Read a config entry',
    description: 'The intentions to a destination.',
    query: namespacedBlockingQuery({}),
    metadata: { ...read, errors: ['id_missing', 'not_found'] },
  }),
  delete: del(
    '/v1/config/service-intentions/:Name',
    z
      .union([z.strictObject({}), z.boolean()])
      .meta({ description: 'Empty; with `cas`, whether it was deleted.' }),
    {
      pathParams: nameParam,
      summary: 'Delete a config entry',
      description:
        'Deletes all intentions to a destination. Succeeds if there are none. With `cas`, returns `false` if no entry has this ModifyIndex.',
      query: namespacedQuery({ cas: cas('deletes an entry', { gate: 'intentions.conditionalDelete' }) }),
      metadata: { ...write, errors: ['id_missing', 'intentions_migrating'] },
    },
  ),
} satisfies ContractRoutes)
