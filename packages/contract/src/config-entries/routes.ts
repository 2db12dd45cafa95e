/** Config entries. This service stores only the kind `service-intentions`. Spec 9.5. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import { type ContractRoutes, c, del, get, put } from '../route.ts'
import { nameParam } from '../shared/path-params.ts'
import { namespacedBlockingQuery, namespacedQuery, uint64 } from '../shared/query.ts'
import { configEntrySchema, writeConfigEntrySchema } from './schemas.ts'

const api = { gate: 'intentions.configEntries', spec: '9.5', namespaced: true } as const
const read = { right: 'intention', blocking: 'intentions', ...api } as const
const write = { right: 'intention', writes: 'global', ...api } as const
const cas = (what: string, gated: { readonly gate?: GateName } = {}) =>
  uint64('cas', `Only ${what} with this ModifyIndex.`, gated)

export const configEntries = c.router({
  write: put('/v1/config', z.boolean().meta({ description: 'Whether the entry was written.' }), {
    summary: 'Write a config entry',
    description:
      'Replaces all intentions to a destination. They lose their IDs and times. Answers `false` if `cas` does not match; with `cas=0` the entry must not exist.',
    query: namespacedQuery({ cas: cas('replaces an entry') }),
    body: writeConfigEntrySchema,
    metadata: {
      ...write,
      body: 'json',
      namespaceInBody: true,
      errors: ['field_required', 'field_invalid', 'intentions_migrating'],
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
