/** Tokens: create, read, update, list, clone, delete, and the first one. Spec 4.2 to 4.8, 9.2. */
import * as z from 'zod'
import { FILTER_BYTES_MAX } from '../limits.ts'
import { type ContractRoutes, c, del, get, put } from '../route.ts'
import { aclDelete, aclRead, aclWrite, deletedSchema } from '../shared/kinds.ts'
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
  create: put('/v1/acl/token', tokenSchema, {
    summary: 'Create a token',
    description:
      'The caller may choose the ids, which must not be in use as accessors or as secrets. Links name policies and roles by ID or Name. Without ExpirationTime or ExpirationTTL (1 minute to 24 hours, inclusive) the token does not expire.',
    query: namespacedQuery({}),
    body: createTokenSchema,
    metadata: {
      ...aclWrite,
      writes: 'token',
      gate,
      spec: '4.2',
      holdsSecrets: true,
      errors: [
        ...contentErrors,
        'id_reserved',
        'expiration_out_of_bounds',
        'expiration_conflict',
        'id_in_use',
        'not_found',
      ],
    },
  }),
  self: get('/v1/acl/token/self', tokenSchema, {
    summary: 'Read the token that the request presents',
    description: 'Shows the real SecretID and needs no right. A request without a token is refused with 403.',
    query: blockingQuery({}),
    metadata: {
      right: 'self',
      refusedInLegacyMode: true,
      blocking: 'tokens',
      gate,
      spec: '4.4',
      holdsSecrets: true,
      errors: [],
    },
  }),
  clone: put('/v1/acl/token/:AccessorID/clone', tokenSchema, {
    pathParams: accessorParam,
    summary: 'Clone a token',
    description:
      'Copies the links, Local and ExpirationTime of the source, and its description unless the body has one. The body accepts only Description and Namespace.',
    query: namespacedQuery({}),
    body: cloneTokenSchema,
    metadata: {
      ...aclWrite,
      writes: 'token',
      gate,
      subject,
      spec: '4.6',
      holdsSecrets: true,
      errors: ['id_invalid', 'clone_refused', 'expiration_out_of_bounds', 'not_found', 'field_invalid'],
      referenceStatuses: { not_found: 403 },
    },
  }),
  read: get('/v1/acl/token/:AccessorID', z.union([tokenSchema, expandedTokenSchema]), {
    pathParams: accessorParam,
    summary: 'Read a token',
    description:
      'Callers with `acl:write` see the SecretID; callers with only `acl:read` see `<hidden>`. In the extended edition, only a global manager sees the secrets of other tokens. A blocking read of a missing token ends when the token is created.',
    query: namespacedBlockingQuery({
      expanded: flagUnlessFalse(
        'Add the contents of the policies and roles that affect the token. `expanded=false` adds nothing.',
        { gate: 'token.expanded' },
      ),
    }),
    metadata: {
      ...aclRead,
      blocking: 'tokens',
      gate,
      subject,
      spec: '4.3',
      holdsSecrets: true,
      errors: ['id_missing', 'id_invalid', 'not_found', 'answer_too_large'],
      referenceStatuses: { not_found: 403 },
    },
  }),
  update: put('/v1/acl/token/:AccessorID', tokenSchema, {
    pathParams: accessorParam,
    summary: 'Update a token',
    description:
      'Replaces Description and the four lists of links; omitted fields are cleared. SecretID, AuthMethod and ExpirationTime cannot change; a body may repeat them. Local must equal the stored value, so a local token needs `"Local": true`.',
    query: namespacedQuery({}),
    body: updateTokenSchema,
    metadata: {
      ...aclWrite,
      writes: 'token',
      gate,
      subject,
      spec: '4.5',
      holdsSecrets: true,
      errors: [
        ...contentErrors,
        'id_missing',
        'accessor_mismatch',
        'field_immutable',
        'local_mismatch',
        'not_found',
      ],
      referenceStatuses: { not_found: 500 },
    },
  }),
  delete: del('/v1/acl/token/:AccessorID', deletedSchema, {
    pathParams: accessorParam,
    summary: 'Delete a token',
    description:
      'The secret stops working at once. A caller cannot delete the token that it presents. The anonymous token cannot be deleted.',
    query: namespacedQuery({}),
    metadata: {
      ...aclDelete,
      writes: 'token',
      gate,
      subject,
      spec: '4.7',
      errors: ['id_missing', 'id_invalid', 'delete_refused', 'not_found'],
      referenceStatuses: { not_found: 200 },
    },
  }),
  list: get('/v1/acl/tokens', z.array(tokenListEntrySchema), {
    summary: 'List tokens',
    description:
      'In order of creation, without expired tokens. Takes at most one filter. With `limit`, the answer is one page, and `Next-Cursor` leads to the next page.',
    query: namespacedBlockingQuery({
      policy: text('Only tokens linked to the policy with this ID. Not case-sensitive.'),
      role: text('Only tokens linked to the role with this ID. Not case-sensitive.'),
      authmethod: text('Only tokens of the auth method with this name.'),
      'authmethod-ns': text('Extended edition only: namespace of that auth method.', { edition: 'extended' }),
      servicename: text('Only tokens with a service identity of this name.'),
      filter: text(
        'Only tokens that match every term: `Field==value`, joined by ` and `. Fields: `Policies.ID`, `Roles.ID`, `AuthMethod`, `ServiceIdentities.ServiceName`, `Local`; each at most once.',
        { 'x-latchkey-bytes-max': FILTER_BYTES_MAX, example: 'AuthMethod==oidc and Local==true' },
      ),
      sort: word(
        ['CreateIndex', '-CreateIndex'],
        {
          description: 'Order of the list: oldest or newest first. A `cursor` is valid for one order.',
          initially: 'CreateIndex',
          example: '-CreateIndex',
        },
        'sort must be CreateIndex or -CreateIndex',
      ),
      ...page,
    }),
    metadata: {
      ...aclRead,
      blocking: 'tokens',
      gate,
      spec: '4.8',
      holdsSecrets: true,
      errors: ['filter_conflict'],
    },
  }),
  bootstrap: put('/v1/acl/bootstrap', bootstrapTokenSchema, {
    summary: 'Create the first management token',
    description:
      'Works once. To repeat it, an operator writes the index that the refusal names to a reset file in the data directory. Refused in a secondary datacenter.',
    query: query({}),
    metadata: {
      writes: 'own',
      right: 'none',
      local: true,
      refusedInLegacyMode: true,
      gate,
      spec: '9.2',
      holdsSecrets: true,
      errors: ['bootstrap_done', 'bootstrap_elsewhere', 'bootstrap_reset_invalid'],
    },
  }),
} satisfies ContractRoutes)
