/** Tokens: create, read, update, list, clone, delete, and the first one. Spec 4.2 to 4.8, 9.2. */
import * as z from 'zod'
import { FILTER_BYTES_MAX } from '../limits.ts'
import { answers, type ContractRoutes, c } from '../route.ts'
import { deletedSchema } from '../shared/answers.ts'
import { aclDelete, aclRead, aclWrite } from '../shared/kinds.ts'
import { accessorParam } from '../shared/path-params.ts'
import {
  blockingQuery,
  flagUnlessFalse,
  namespacedBlockingQuery,
  namespacedQuery,
  page,
  query,
  text,
  word,
} from '../shared/query.ts'
import {
  bootstrapTokenSchema,
  cloneTokenSchema,
  createTokenSchema,
  expandedTokenSchema,
  tokenListEntrySchema,
  tokenSchema,
  updateTokenSchema,
} from './schemas.ts'

const gate = 'api.token'
const subject = 'token AccessorID'

/** Refusals of the content of a token. */
const contentErrors = [
  'id_invalid',
  'field_required',
  'field_invalid',
  'field_too_long',
  'name_invalid',
  'link_unknown',
] as const

export const tokens = c.router({
  create: {
    method: 'PUT',
    path: '/v1/acl/token',
    summary: 'Create a token',
    description:
      'Ids may be chosen, and must be new among accessors and secrets alike. Links name policies and roles by ID or Name. The token lives for ever, until ExpirationTime, or for ExpirationTTL: 1 minute to 24 hours, both included.',
    query: namespacedQuery({}),
    body: createTokenSchema,
    ...answers(tokenSchema, {
      ...aclWrite,
      gate,
      spec: '4.2',
      errors: [
        ...contentErrors,
        'id_reserved',
        'expiration_out_of_bounds',
        'expiration_conflict',
        'id_in_use',
        'not_found',
      ],
    }),
  },
  self: {
    method: 'GET',
    path: '/v1/acl/token/self',
    summary: 'Read the token that the request presents',
    description:
      'The token of the presented secret, with its real SecretID. Needs no right. Without a token there is no self: 403.',
    query: blockingQuery({}),
    ...answers(tokenSchema, {
      right: 'self',
      acl: true,
      refusedInLegacyMode: true,
      blocking: 'tokens',
      gate,
      spec: '4.4',
      errors: [],
    }),
  },
  clone: {
    method: 'PUT',
    path: '/v1/acl/token/:AccessorID/clone',
    pathParams: accessorParam,
    summary: 'Clone a token',
    description:
      'A new token with the description (unless the body has one), links, Local and ExpirationTime of the source. Only Description and Namespace of the body count.',
    query: namespacedQuery({}),
    body: cloneTokenSchema,
    ...answers(tokenSchema, {
      ...aclWrite,
      gate,
      subject,
      spec: '4.6',
      errors: ['id_invalid', 'clone_refused', 'expiration_out_of_bounds', 'not_found', 'field_invalid'],
    }),
  },
  read: {
    method: 'GET',
    path: '/v1/acl/token/:AccessorID',
    pathParams: accessorParam,
    summary: 'Read a token',
    description:
      'SecretID is real for a caller with `acl:write` and `<hidden>` for one with `acl:read` alone. In the extended edition only a global manager sees it of another. A wait for a token that is not there ends when it is created.',
    query: namespacedBlockingQuery({
      expanded: flagUnlessFalse(
        'Add the policies and roles that affect the token, in full. `expanded=false` is plain.',
        {
          gate: 'token.expanded',
        },
      ),
    }),
    ...answers(z.union([tokenSchema, expandedTokenSchema]), {
      ...aclRead,
      blocking: 'tokens',
      gate,
      subject,
      spec: '4.3',
      errors: ['id_missing', 'id_invalid', 'not_found'],
    }),
  },
  update: {
    method: 'PUT',
    path: '/v1/acl/token/:AccessorID',
    pathParams: accessorParam,
    summary: 'Update a token',
    description:
      'Description and the four link lists are replaced: what is left out is cleared. SecretID, AuthMethod and ExpirationTime are kept, and may be repeated but not changed. Local must be equal: a local token needs `"Local": true`.',
    query: namespacedQuery({}),
    body: updateTokenSchema,
    ...answers(tokenSchema, {
      ...aclWrite,
      gate,
      subject,
      spec: '4.5',
      errors: [
        ...contentErrors,
        'id_missing',
        'accessor_mismatch',
        'field_immutable',
        'local_mismatch',
        'not_found',
      ],
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/v1/acl/token/:AccessorID',
    pathParams: accessorParam,
    summary: 'Delete a token',
    description:
      'The secret stops working at once. A caller cannot delete the token it presents, and nobody the anonymous one.',
    query: namespacedQuery({}),
    ...answers(deletedSchema, {
      ...aclDelete,
      gate,
      subject,
      spec: '4.7',
      errors: ['id_missing', 'id_invalid', 'delete_refused', 'not_found'],
    }),
  },
  list: {
    method: 'GET',
    path: '/v1/acl/tokens',
    summary: 'List tokens',
    description:
      'In order of creation, expired tokens left out, at most one filter. With `limit` the answer is a page, and `Next-Cursor` leads on.',
    query: namespacedBlockingQuery({
      policy: text('Only records linked to the policy with this ID, in any case.'),
      role: text('Only tokens linked to the role with this ID, in any case.'),
      authmethod: text('Only tokens of the auth method with this name.'),
      'authmethod-ns': text('Extended edition only: namespace of that auth method.', { edition: 'extended' }),
      servicename: text('Only tokens with a service identity of this name.'),
      filter: text(
        'Only tokens for which all terms hold: `Field==value`, joined by ` and `. Fields: `Policies.ID`, `Roles.ID`, `AuthMethod`, `ServiceIdentities.ServiceName`, `Local`; each at most once.',
        { 'x-latchkey-bytes-max': FILTER_BYTES_MAX, example: 'AuthMethod==oidc and Local==true' },
      ),
      sort: word(
        ['CreateIndex', '-CreateIndex'],
        {
          description: 'Order of the list: of creation, or newest first. A `cursor` belongs to one order.',
          initially: 'CreateIndex',
          example: '-CreateIndex',
        },
        'sort must be CreateIndex or -CreateIndex',
      ),
      ...page,
    }),
    ...answers(z.array(tokenListEntrySchema), {
      ...aclRead,
      blocking: 'tokens',
      gate,
      spec: '4.8',
      errors: ['filter_conflict'],
    }),
  },
  bootstrap: {
    method: 'PUT',
    path: '/v1/acl/bootstrap',
    summary: 'Make the first management token, once',
    description:
      'Works once; afterwards only with a reset file in the data directory, which names the index that the refusal tells.',
    query: query({}),
    body: c.noBody(),
    ...answers(bootstrapTokenSchema, {
      sameOrigin: true,
      right: 'none',
      acl: true,
      refusedInLegacyMode: true,
      gate,
      spec: '9.2',
      errors: ['bootstrap_done', 'bootstrap_reset_invalid'],
    }),
  },
} satisfies ContractRoutes)
