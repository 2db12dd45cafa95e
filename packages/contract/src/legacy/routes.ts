/** The API before 1.4.0, removed in 1.11. Spec 9.1, 9.2. */
import * as z from 'zod'
import {
  DESCRIPTION_BYTES_MAX,
  LEGACY_IMPORT_BYTES_MAX,
  LEGACY_SECRET_LENGTH_MAX,
  RULES_BYTES_MAX,
} from '../limits.ts'
import { type ContractRoutes, c, get, post, put } from '../route.ts'
import { description, ignored, stored } from '../shared/fields.ts'
import { deletedSchema } from '../shared/kinds.ts'
import { accessorParam, secretParam } from '../shared/path-params.ts'
import { blockingQuery, flag, position, query } from '../shared/query.ts'
import { boundedText } from '../shared/text.ts'

/** A legacy token: ID is the secret, and any text. Key order is the order on the wire. */
const legacyTokenSchema = z
  .strictObject({
    ID: z.string().meta({ description: 'The secret of the token, which can be any text.' }),
    Name: z.string().meta({ description }),
    Type: z
      .enum(['client', 'management'])
      .meta({ description: '`management` grants every right; `client` grants the rights in its rules.' }),
    Rules: z
      .string()
      .meta({ description: 'Rules of a client token, in the legacy syntax: every segment is a prefix.' }),
    ...stored,
  })
  .meta({ id: 'LegacyToken' })
export type LegacyToken = z.infer<typeof legacyTokenSchema>

/** The body of legacy create and update. */
export const legacyTokenRequestSchema = z
  .strictObject({
    ID: boundedText(LEGACY_SECRET_LENGTH_MAX)
      .optional()
      .meta({ description: 'The secret. Default on create: a random one.' }),
    Name: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
    Type: z.string().optional().meta({ description: '`client` (the default) or `management`.' }),
    Rules: boundedText(RULES_BYTES_MAX).optional().meta({ description: 'Rules in the legacy syntax.' }),
    CreateIndex: ignored,
    ModifyIndex: ignored,
  })
  .meta({ id: 'LegacyTokenRequest' })
export type LegacyTokenRequest = z.output<typeof legacyTokenRequestSchema>

const legacyIdSchema = z
  .strictObject({ ID: z.string().meta({ description: 'The secret of the token.' }) })
  .meta({ id: 'LegacyTokenID' })

const importResultSchema = z
  .strictObject({
    Imported: z.int().meta({ description: 'Tokens that were written.', minimum: 0 }),
    Unchanged: z
      .int()
      .meta({ description: 'Tokens that already existed with the same content.', minimum: 0 }),
    Problems: z
      .array(
        z.strictObject({
          Position: z.int().meta({ description: 'Position in the list, from 0.', minimum: 0 }),
          Code: z.string().meta({ description: 'Stable code of the finding.' }),
          Message: z.string().meta({ description: 'The finding, for people.' }),
          Severity: z.enum(['error', 'warning']).meta({ description: 'How serious the finding is.' }),
        }),
      )
      .meta({ description: 'Findings, in the order of the list.' }),
  })
  .meta({ id: 'ImportResult' })

const legacyApi = { gate: 'api.legacy', subject: 'ACL', spec: '9.1' } as const
const write = { ...legacyApi, right: 'acl:write', writes: 'token' } as const
const rules = {
  ...legacyApi,
  subject: 'token AccessorID',
  replacement: 'PUT /v1/acl/policy, with rules in the new syntax',
} as const

/** Refusals of the content of a legacy token. */
const contentErrors = [
  'field_invalid',
  'rules_invalid',
  'legacy_token_immutable',
  'root_name_refused',
  'id_reserved',
  'id_in_use',
] as const

export const legacy = c.router({
  translate: post('/v1/acl/rules/translate', z.string(), {
    summary: 'Translate legacy rules',
    description:
      'Accepts and returns plain text, also with GET. A translation never widens rights: it comments out what the legacy system ignored, with an explanation.',
    query: query({}),
    // ts-rest sends text of this type unchanged; it would quote any other as JSON.
    contentType: 'application/x-www-form-urlencoded',
    body: z.string(),
    metadata: {
      writes: 'nothing',
      ...rules,
      right: 'acl:read',
      body: 'text',
      bodyOptional: true,
      alsoGet: true,
      answerForm: 'text',
      errors: ['rules_invalid'],
      referenceStatuses: { rules_invalid: 400 },
    },
  }),
  translateToken: get('/v1/acl/rules/translate/:AccessorID', z.string(), {
    pathParams: accessorParam,
    summary: 'Translate the legacy rules of a token',
    description: 'Translates the rules of one token.',
    query: query({}),
    metadata: {
      ...rules,
      gate: 'api.legacyTokenRules',
      right: 'acl:read',
      refusedInLegacyMode: true,
      answerForm: 'text',
      errors: ['id_missing', 'id_invalid', 'not_found', 'legacy_rules_missing'],
      referenceStatuses: { not_found: 403 },
    },
  }),
  create: put('/v1/acl/create', legacyIdSchema, {
    summary: 'Create a legacy token',
    description: 'Overwrites an existing token with this ID. The body is optional.',
    query: query({}),
    body: legacyTokenRequestSchema,
    metadata: {
      ...write,
      replacement: 'PUT /v1/acl/token',
      body: 'json',
      bodyOptional: true,
      holdsSecrets: true,
      errors: contentErrors,
    },
  }),
  update: put('/v1/acl/update', legacyIdSchema, {
    summary: 'Update a legacy token',
    description: 'Like create, but the ID is required. An unknown ID creates a token.',
    query: query({}),
    body: legacyTokenRequestSchema,
    metadata: {
      ...write,
      replacement: 'PUT /v1/acl/token/:AccessorID',
      body: 'json',
      bodyOptional: true,
      holdsSecrets: true,
      errors: ['id_missing', ...contentErrors],
    },
  }),
  destroy: put('/v1/acl/destroy/:ID', deletedSchema, {
    pathParams: secretParam,
    summary: 'Destroy a token by its secret',
    description: 'Returns `true`, even if no token has the secret. Also deletes tokens of the token API.',
    query: query({}),
    metadata: {
      ...write,
      replacement: 'DELETE /v1/acl/token/:AccessorID',
      errors: ['id_missing', 'root_name_refused'],
    },
  }),
  info: get('/v1/acl/info/:ID', z.array(legacyTokenSchema), {
    pathParams: secretParam,
    summary: 'Read a legacy token by its secret',
    description: 'An array with one token or none. Needs no right, because the caller has the secret.',
    query: blockingQuery({}),
    metadata: {
      ...legacyApi,
      replacement: 'GET /v1/acl/token/:AccessorID, or GET /v1/acl/token/self',
      methodGate: 'http.enforceMethods',
      right: 'none',
      blocking: 'tokens',
      holdsSecrets: true,
      errors: ['id_missing', 'root_name_refused'],
    },
  }),
  clone: put('/v1/acl/clone/:ID', legacyIdSchema, {
    pathParams: secretParam,
    summary: 'Clone a legacy token',
    description: 'Creates a token with a new secret and the same name, type and rules.',
    query: query({}),
    metadata: {
      ...write,
      replacement: 'PUT /v1/acl/token/:AccessorID/clone',
      holdsSecrets: true,
      errors: ['id_missing', 'root_name_refused'],
    },
  }),
  list: get('/v1/acl/list', z.array(legacyTokenSchema), {
    summary: 'List legacy tokens',
    description: 'In order of ID.',
    query: blockingQuery({}),
    metadata: {
      ...legacyApi,
      replacement: 'GET /v1/acl/tokens',
      methodGate: 'http.enforceMethods',
      right: 'acl:write',
      blocking: 'tokens',
      holdsSecrets: true,
      errors: [],
    },
  }),
  import: put('/v1/internal/acl/legacy-tokens', importResultSchema, {
    summary: 'Import the tokens of a legacy cluster',
    description:
      'Takes the answer of `GET /v1/acl/list` from a legacy cluster. Writes all tokens or none: one problem of severity `error` stops the import, such as a secret that exists with other content. The anonymous and the initial management token are exceptions: if nobody has changed them since the server created them, they take the name and rules in the list.',
    query: query({
      check: flag('Check the whole list and write nothing.'),
      position: position(
        'Position of the first record within a longer list, for the positions in problems. Default 0.',
      ),
    }),
    body: z.array(legacyTokenSchema),
    metadata: {
      ...write,
      writes: 'global',
      spec: 'extension',
      body: 'raw',
      bodyType: 'application/json',
      bodyBytesMax: LEGACY_IMPORT_BYTES_MAX,
      errors: ['field_invalid', 'field_type', 'body_malformed', 'id_in_use'],
    },
  }),
  export: get('/v1/internal/acl/legacy-tokens', z.array(legacyTokenSchema), {
    summary: 'Export all legacy tokens',
    description: 'All legacy tokens with their secrets, in the format that import accepts.',
    query: query({}),
    metadata: { ...legacyApi, right: 'acl:write', spec: 'extension', holdsSecrets: true, errors: [] },
  }),
} satisfies ContractRoutes)
