/** Auth methods: identity providers whose credentials a login exchanges for a token. Decisions: auth methods. */
import * as z from 'zod'
import { type ContractRoutes, c, del, get, post, put } from '../route.ts'
import { aclDelete, aclQuestion, aclRead, aclWrite, deletedSchema } from '../shared/kinds.ts'
import { methodNameParam } from '../shared/path-params.ts'
import { namespacedBlockingQuery, namespacedQuery, page, word } from '../shared/query.ts'
import {
  authMethodListEntrySchema,
  authMethodSchema,
  createAuthMethodSchema,
  explainLoginAnswerSchema,
  explainLoginRequestSchema,
  loginsEntrySchema,
  updateAuthMethodSchema,
} from './schemas.ts'

const api = { gate: 'api.authMethod', spec: '2.1', subject: 'auth method name' } as const
const read = { ...aclRead, ...api, blocking: 'authMethods' } as const
const writeErrors = [
  'field_required',
  'field_invalid',
  'field_immutable',
  'name_invalid',
  'selector_invalid',
  'not_found',
] as const
const check = word(
  ['true', 'false'],
  {
    description: '`false`: write the method without contacting its provider. An extension.',
    initially: 'true',
    example: 'false',
  },
  'check must be true or false',
)

export const authMethods = c.router({
  create: put('/v1/acl/auth-method', authMethodSchema, {
    summary: 'Create an auth method',
    description:
      'Replaces a method with the same name, regardless of case. Fetches the URLs in the configuration once to check them.',
    query: namespacedQuery({ check }),
    body: createAuthMethodSchema,
    metadata: { ...aclWrite, ...api, writes: 'own', holdsSecrets: true, errors: writeErrors },
  }),
  read: get('/v1/acl/auth-method/:Name', authMethodSchema, {
    pathParams: methodNameParam,
    summary: 'Read an auth method',
    description: 'Names are not case-sensitive. Only callers with `acl:write` see secrets in Config.',
    query: namespacedBlockingQuery({}),
    metadata: { ...read, holdsSecrets: true, errors: ['id_missing', 'not_found'] },
  }),
  update: put('/v1/acl/auth-method/:Name', authMethodSchema, {
    pathParams: methodNameParam,
    summary: 'Create or update an auth method',
    description:
      'Replaces the whole record, including Config. The stored spelling of the name is kept. Tokens that the method created stay valid, unless TokenLocality changes: then they stop working.',
    query: namespacedQuery({ check }),
    body: updateAuthMethodSchema,
    metadata: {
      ...aclWrite,
      writes: 'own',
      ...api,
      mayBeEmpty: true,
      holdsSecrets: true,
      errors: [...writeErrors, 'accessor_mismatch'],
    },
  }),
  delete: del('/v1/acl/auth-method/:Name', deletedSchema, {
    pathParams: methodNameParam,
    summary: 'Delete an auth method',
    description: 'Also deletes its binding rules, and revokes all tokens that it created.',
    query: namespacedQuery({}),
    metadata: { ...aclDelete, ...api, writes: 'own', errors: ['id_missing', 'not_found'] },
  }),
  explain: post('/v1/acl/auth-method/:Name/explain', explainLoginAnswerSchema, {
    pathParams: methodNameParam,
    summary: 'Explain what a login would grant',
    description: 'Accepts claims as a provider would sign them. Nothing is verified or written.',
    query: namespacedQuery({}),
    body: explainLoginRequestSchema,
    metadata: { ...aclQuestion, ...api, spec: 'extension', errors: ['not_found', 'batch_too_large'] },
  }),
  logins: get('/v1/acl/auth-method/:Name/logins', z.array(loginsEntrySchema), {
    pathParams: methodNameParam,
    summary: 'List who is logged in',
    description:
      'Counts the live tokens that the method created for each identity, in order of identity and in pages. Shows who does not log out.',
    query: namespacedQuery(page),
    metadata: { ...aclRead, ...api, spec: 'extension', errors: ['not_found'] },
  }),
  list: get('/v1/acl/auth-methods', z.array(authMethodListEntrySchema), {
    summary: 'List auth methods',
    description: 'In order of name, without Config.',
    query: namespacedBlockingQuery({}),
    metadata: { ...read, errors: [] },
  }),
} satisfies ContractRoutes)
