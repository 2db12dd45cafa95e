/** The API before 1.4.0, gone from 1.11. Spec 9.1, 9.2. */
import * as z from 'zod'
import { LEGACY_IMPORT_BYTES_MAX } from '../limits.ts'
import { answers, type ContractRoutes, c } from '../route.ts'
import { deletedSchema } from '../shared/answers.ts'
import { accessorParam, secretParam } from '../shared/path-params.ts'
import { blockingQuery, flag, position, query } from '../shared/query.ts'
import { importResultSchema, legacyIdSchema, legacyTokenRequestSchema, legacyTokenSchema } from './schemas.ts'

const legacyApi = { acl: true, gate: 'api.legacy', subject: 'ACL', spec: '9.1' } as const
const rules = { acl: true, gate: 'api.legacy', subject: 'token AccessorID', spec: '9.1' } as const

export const legacy = c.router({
  translate: {
    method: 'POST',
    path: '/v1/acl/rules/translate',
    summary: 'Translate legacy rules',
    description:
      'Text in, text out; GET does the same. Never widens rights: what the legacy system ignored is commented out, and the text says so.',
    query: query({}),
    // ts-rest sends a text of this type as it is; any other it would quote as JSON.
    contentType: 'application/x-www-form-urlencoded',
    body: z.string(),
    ...answers(z.string(), {
      sameOrigin: true,
      ...rules,
      right: 'acl:read',
      body: 'text',
      bodyOptional: true,
      alsoGet: true,
      answerForm: 'text',
      errors: ['rules_invalid'],
    }),
  },
  translateToken: {
    method: 'GET',
    path: '/v1/acl/rules/translate/:AccessorID',
    pathParams: accessorParam,
    summary: 'Translate the legacy rules of a token',
    description: 'The same for the rules that a token has.',
    query: query({}),
    ...answers(z.string(), {
      ...rules,
      gate: 'api.legacyTokenRules',
      right: 'acl:read',
      refusedInLegacyMode: true,
      answerForm: 'text',
      errors: ['id_missing', 'id_invalid', 'not_found', 'legacy_rules_missing'],
    }),
  },
  create: {
    method: 'PUT',
    path: '/v1/acl/create',
    summary: 'Create a legacy token',
    description: 'An existing ID is overwritten. The body may be left out.',
    query: query({}),
    body: legacyTokenRequestSchema,
    ...answers(legacyIdSchema, {
      sameOrigin: true,
      ...legacyApi,
      right: 'acl:write',
      body: 'json',
      bodyOptional: true,
      errors: [
        'field_invalid',
        'rules_invalid',
        'legacy_token_immutable',
        'root_name_refused',
        'id_reserved',
        'id_in_use',
      ],
    }),
  },
  update: {
    method: 'PUT',
    path: '/v1/acl/update',
    summary: 'Update a legacy token',
    description: 'As create, but the ID must be given. An unknown one creates.',
    query: query({}),
    body: legacyTokenRequestSchema,
    ...answers(legacyIdSchema, {
      sameOrigin: true,
      ...legacyApi,
      right: 'acl:write',
      body: 'json',
      bodyOptional: true,
      errors: [
        'id_missing',
        'field_invalid',
        'rules_invalid',
        'legacy_token_immutable',
        'root_name_refused',
        'id_reserved',
        'id_in_use',
      ],
    }),
  },
  destroy: {
    method: 'PUT',
    path: '/v1/acl/destroy/:ID',
    pathParams: secretParam,
    summary: 'Destroy a token by its secret',
    description: '`true`, also for a secret that nothing has. Works on tokens of the token API too.',
    query: query({}),
    body: c.noBody(),
    ...answers(deletedSchema, {
      sameOrigin: true,
      ...legacyApi,
      right: 'acl:write',
      errors: ['id_missing', 'root_name_refused'],
    }),
  },
  info: {
    method: 'GET',
    path: '/v1/acl/info/:ID',
    pathParams: secretParam,
    summary: 'Read a legacy token by its secret',
    description: 'An array of one, or empty. Whoever knows the secret may see its token.',
    query: blockingQuery({}),
    ...answers(z.array(legacyTokenSchema), {
      ...legacyApi,
      right: 'none',
      blocking: 'tokens',
      errors: ['id_missing', 'root_name_refused'],
    }),
  },
  clone: {
    method: 'PUT',
    path: '/v1/acl/clone/:ID',
    pathParams: secretParam,
    summary: 'Clone a legacy token',
    description: 'A new secret with the same name, type and rules.',
    query: query({}),
    body: c.noBody(),
    ...answers(legacyIdSchema, {
      sameOrigin: true,
      ...legacyApi,
      right: 'acl:write',
      errors: ['id_missing', 'root_name_refused'],
    }),
  },
  list: {
    method: 'GET',
    path: '/v1/acl/list',
    summary: 'List legacy tokens',
    description: 'In order of ID.',
    query: blockingQuery({}),
    ...answers(z.array(legacyTokenSchema), {
      ...legacyApi,
      right: 'acl:write',
      blocking: 'tokens',
      errors: [],
    }),
  },
  import: {
    method: 'PUT',
    path: '/v1/internal/acl/legacy-tokens',
    summary: 'Import the list of a legacy cluster, all or nothing',
    description:
      'Takes what `GET /v1/acl/list` of a legacy cluster answered. One problem of severity error stops it all.',
    query: query({
      check: flag('Judge the whole list, and write nothing.'),
      position: position(
        'Place of the first record in a longer list, for what is said of problems. Default 0.',
      ),
    }),
    body: z.array(legacyTokenSchema),
    ...answers(importResultSchema, {
      sameOrigin: true,
      ...legacyApi,
      right: 'acl:write',
      spec: 'extension',
      body: 'raw',
      bodyType: 'application/json',
      bodyBytesMax: LEGACY_IMPORT_BYTES_MAX,
      errors: ['field_invalid', 'field_type', 'body_malformed', 'id_in_use'],
    }),
  },
  export: {
    method: 'GET',
    path: '/v1/internal/acl/legacy-tokens',
    summary: 'Export all legacy tokens, in the shape that import takes',
    description: 'All legacy tokens with their secrets.',
    query: query({}),
    ...answers(z.array(legacyTokenSchema), {
      ...legacyApi,
      right: 'acl:write',
      spec: 'extension',
      errors: [],
    }),
  },
} satisfies ContractRoutes)
