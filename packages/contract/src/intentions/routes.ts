/** Intentions, by ID and by source and destination. Spec 9.3 (1.9.0), 9.5. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import { type ContractRoutes, c, del, get, post, put } from '../route.ts'
import { deletedSchema } from '../shared/kinds.ts'
import { idParam } from '../shared/path-params.ts'
import { blockingQuery, namespacedBlockingQuery, ONCE, query, text, texts, word } from '../shared/query.ts'
import {
  createdIntentionSchema,
  createIntentionSchema,
  exactIntentionSchema,
  intentionCheckSchema,
  intentionMatchesSchema,
  intentionMigrationSchema,
  intentionSchema,
  updateIntentionSchema,
} from './schemas.ts'

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
    metadata: { ...write, ...named, body: 'json', errors: [...rules, ...states, 'intention_in_use'] },
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
    metadata: { ...read, ...named, errors: [...rules, 'answer_too_large'] },
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
    metadata: { ...read, ...record, errors: ['id_missing', 'id_invalid', 'not_found'] },
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
    },
  }),
  migration: get('/v1/internal/intentions/migration', intentionMigrationSchema, {
    summary: 'Read the progress of the intentions migration',
    description: 'Whether intentions are stored as config entries, and what the migration is waiting for.',
    query: query({}),
    metadata: { right: 'acl:read', spec: 'extension', errors: [] },
  }),
} satisfies ContractRoutes)
