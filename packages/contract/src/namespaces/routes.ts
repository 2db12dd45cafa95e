/** Namespaces: separate sets of tokens, policies, roles and keys, in the extended edition. Spec 4.9. */
import * as z from 'zod'
import { DESCRIPTION_BYTES_MAX, NAMESPACE_NAME_LENGTH_MAX } from '../limits.ts'
import { type ContractRoutes, c, del, get, put } from '../route.ts'
import { description, ignored, recordName, required, stored, unoffered } from '../shared/fields.ts'
import { deletedSchema } from '../shared/kinds.ts'
import { policyLinks, roleLinks, shownLinkSchema } from '../shared/links.ts'
import { nameParam } from '../shared/path-params.ts'
import { blockingQuery, query } from '../shared/query.ts'
import { boundedText } from '../shared/text.ts'

const policyDefaults = { description: 'Default policies of the namespace.' }
const roleDefaults = { description: 'Default roles of the namespace.' }

/** A namespace in answers. */
const namespaceSchema = z
  .strictObject({
    Name: recordName,
    Description: z.string().meta({ description }),
    ACLs: z
      .strictObject({
        PolicyDefaults: z.array(shownLinkSchema).meta(policyDefaults),
        RoleDefaults: z.array(shownLinkSchema).meta(roleDefaults),
      })
      .meta({ description: 'Links that every token in the namespace has in addition to its own.' }),
    ...stored,
  })
  .meta({ id: 'Namespace' })
export type Namespace = z.infer<typeof namespaceSchema>

const content = {
  Description: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
  ACLs: z
    .strictObject({
      PolicyDefaults: policyLinks.optional().meta(policyDefaults),
      RoleDefaults: roleLinks.optional().meta(roleDefaults),
    })
    .optional()
    .meta({ description: 'Links for every token in the namespace, in addition to its own.' }),
}

/** The body of create. */
export const createNamespaceSchema = z
  .strictObject({
    Name: required(
      z
        .string()
        .max(NAMESPACE_NAME_LENGTH_MAX)
        .meta({
          description: `Letters, digits, \`-\` and \`_\`, a letter or digit at both ends, at most ${NAMESPACE_NAME_LENGTH_MAX} characters.`,
        }),
    ),
    ...content,
    CreateIndex: unoffered(ignored),
    ModifyIndex: unoffered(ignored),
  })
  .meta({ id: 'NamespaceCreate' })
export type CreateNamespace = z.output<typeof createNamespaceSchema>

/** The body of update: a record as read, with changes. */
const updateNamespaceSchema = z
  .strictObject({
    Name: z
      .string()
      .max(NAMESPACE_NAME_LENGTH_MAX)
      .optional()
      .meta({ description: 'Absent, or the same as in the path.' }),
    ...content,
    CreateIndex: ignored,
    ModifyIndex: ignored,
  })
  .meta({ id: 'NamespaceUpdate' })
export type UpdateNamespace = z.output<typeof updateNamespaceSchema>

const read = {
  right: 'operator:read',
  blocking: 'namespaces',
  edition: 'extended',
  gate: 'api.token',
  spec: '4.9',
} as const
const write = { right: 'operator:write', edition: 'extended', gate: 'api.token', spec: '4.9' } as const

export const namespaces = c.router({
  create: put('/v1/namespace', namespaceSchema, {
    summary: 'Create a namespace',
    description:
      'Every token in the namespace has its default policies and roles, which must belong to the same namespace.',
    query: query({}),
    body: createNamespaceSchema,
    metadata: {
      writes: 'global',
      ...write,
      body: 'json',
      errors: ['field_required', 'name_invalid', 'name_in_use', 'link_unknown'],
    },
  }),
  read: get('/v1/namespace/:Name', namespaceSchema, {
    pathParams: nameParam,
    summary: 'Read a namespace',
    description: 'The namespace `default` always exists.',
    query: blockingQuery({}),
    metadata: { ...read, errors: ['id_missing', 'not_found'] },
  }),
  update: put('/v1/namespace/:Name', namespaceSchema, {
    pathParams: nameParam,
    summary: 'Update a namespace',
    description:
      'Replaces the description and defaults; omitted fields are cleared. To change defaults, the caller also needs `acl:write` in the namespace. `global-management` cannot be a default.',
    query: query({}),
    body: updateNamespaceSchema,
    metadata: {
      writes: 'global',
      ...write,
      body: 'json',
      errors: ['id_missing', 'accessor_mismatch', 'field_invalid', 'link_unknown', 'not_found'],
    },
  }),
  delete: del('/v1/namespace/:Name', deletedSchema, {
    pathParams: nameParam,
    summary: 'Delete an empty namespace',
    description:
      'Refused while it contains tokens, policies, roles, auth methods, binding rules, keys, services or checks. `default` cannot be deleted.',
    query: query({}),
    metadata: { writes: 'global', ...write, errors: ['id_missing', 'delete_refused', 'not_found'] },
  }),
  list: get('/v1/namespaces', z.array(namespaceSchema), {
    summary: 'List namespaces',
    description: 'In order of Name.',
    query: blockingQuery({}),
    metadata: { ...read, errors: [] },
  }),
} satisfies ContractRoutes)
