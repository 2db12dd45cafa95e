/** Roles: named bundles of policies and identities that tokens link. Spec 2.3. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import { DESCRIPTION_BYTES_MAX, ROLE_NAME_LENGTH_MAX } from '../limits.ts'
import { type ContractRoutes, c, del, get, put } from '../route.ts'
import {
  description,
  hash,
  idOnCreate,
  idOnUpdate,
  namespaceChosen,
  namespaceShown,
  recordId,
  recordName,
  required,
  stored,
  storedOnCreate,
  storedOnUpdate,
} from '../shared/fields.ts'
import { aclDelete, aclRead, aclWrite, deletedSchema } from '../shared/kinds.ts'
import {
  nodeIdentities,
  nodeIdentitySchema,
  policyLinks,
  serviceIdentities,
  serviceIdentitySchema,
  shownLinkSchema,
} from '../shared/links.ts'
import { idParam, nameParam } from '../shared/path-params.ts'
import { importing, namespacedBlockingQuery, namespacedQuery, text } from '../shared/query.ts'
import { boundedText } from '../shared/text.ts'

const policies = { description: 'Policies that give rights to tokens with the role.' }
const services = { description: 'Service identities of tokens with the role.' }
const nodes = { description: 'Node identities of tokens with the role.' }

/** A role in answers, alone and in lists. Key order is the order on the wire. */
export const roleSchema = z
  .strictObject({
    ID: recordId,
    Name: recordName,
    Description: z.string().meta({ description }),
    Policies: z.array(shownLinkSchema).optional().meta(policies),
    ServiceIdentities: z.array(serviceIdentitySchema).optional().meta(services),
    NodeIdentities: z.array(nodeIdentitySchema).optional().meta(nodes),
    Hash: hash,
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'Role' })
export type Role = z.infer<typeof roleSchema>

const content = {
  Name: required(
    z
      .string()
      .meta({
        description: `Letters, digits, \`-\` and \`_\`, at most ${ROLE_NAME_LENGTH_MAX} characters; unique regardless of case.`,
        maxLength: ROLE_NAME_LENGTH_MAX,
      }),
  ),
  Description: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
  Policies: policyLinks.optional().meta(policies),
  ServiceIdentities: serviceIdentities.optional().meta(services),
  NodeIdentities: nodeIdentities
    .optional()
    .meta({ ...nodes, gate: 'token.nodeIdentities' satisfies GateName }),
  Namespace: namespaceChosen,
}

/** The body of create. */
export const createRoleSchema = z
  .strictObject({ ID: idOnCreate, ...content, ...storedOnCreate })
  .meta({ id: 'RoleCreate' })
export type CreateRole = z.output<typeof createRoleSchema>

/** The body of update: a record as read, with changes. */
const updateRoleSchema = z
  .strictObject({ ID: idOnUpdate, ...content, ...storedOnUpdate })
  .meta({ id: 'RoleUpdate' })
export type UpdateRole = z.output<typeof updateRoleSchema>

const api = { gate: 'api.role', spec: '2.3' } as const
const record = { ...api, subject: 'role ID' } as const
const read = { ...aclRead, blocking: 'roles' } as const

export const roles = c.router({
  create: put('/v1/acl/role', roleSchema, {
    summary: 'Create a role',
    description: 'A role bundles policies and identities. Tokens link to roles.',
    query: namespacedQuery(importing),
    body: createRoleSchema,
    metadata: {
      ...aclWrite,
      writes: 'global',
      ...api,
      errors: [
        'field_required',
        'id_invalid',
        'id_in_use',
        'name_invalid',
        'name_in_use',
        'link_unknown',
        'field_invalid',
        'not_found',
      ],
      referenceStatuses: { 'field_invalid ID': 400 },
    },
  }),
  readByName: get('/v1/acl/role/name/:Name', roleSchema, {
    pathParams: nameParam,
    summary: 'Read a role by its name',
    description: 'Names are not case-sensitive.',
    query: namespacedBlockingQuery({}),
    metadata: { ...read, ...api, subject: 'role Name', errors: ['id_missing', 'not_found'] },
  }),
  read: get('/v1/acl/role/:ID', roleSchema, {
    pathParams: idParam,
    summary: 'Read a role',
    description: 'The record, with the current names of its policies.',
    query: namespacedBlockingQuery({}),
    metadata: { ...read, ...record, errors: ['id_missing', 'id_invalid', 'not_found'] },
  }),
  update: put('/v1/acl/role/:ID', roleSchema, {
    pathParams: idParam,
    summary: 'Update a role',
    description:
      'Replaces the whole record; omitted fields are cleared. Takes effect with the next request of each token.',
    query: namespacedQuery({}),
    body: updateRoleSchema,
    metadata: {
      ...aclWrite,
      writes: 'global',
      mayBeEmpty: true,
      ...record,
      errors: [
        'id_invalid',
        'accessor_mismatch',
        'name_invalid',
        'name_in_use',
        'link_unknown',
        'not_found',
        'field_required',
        'field_invalid',
      ],
      referenceStatuses: { not_found: 500 },
    },
  }),
  delete: del('/v1/acl/role/:ID', deletedSchema, {
    pathParams: idParam,
    summary: 'Delete a role',
    description: 'Also removes its links from tokens, which lose its rights.',
    query: namespacedQuery({}),
    metadata: {
      ...aclDelete,
      writes: 'global',
      ...record,
      errors: ['id_missing', 'id_invalid', 'not_found'],
      referenceStatuses: { not_found: 200 },
    },
  }),
  list: get('/v1/acl/roles', z.array(roleSchema), {
    summary: 'List roles',
    description: 'In order of ID.',
    query: namespacedBlockingQuery({
      policy: text('Only records linked to the policy with this ID. Not case-sensitive.'),
    }),
    metadata: { ...read, ...api, errors: [] },
  }),
} satisfies ContractRoutes)
