/** Namespaces: separate sets of tokens, policies, roles and keys, in the extended edition. Spec 4.9. */
import * as z from 'zod'
import { answers, type ContractRoutes, c } from '../route.ts'
import { deletedSchema } from '../shared/answers.ts'
import { nameParam } from '../shared/path-params.ts'
import { blockingQuery, query } from '../shared/query.ts'
import { createNamespaceSchema, namespaceSchema, updateNamespaceSchema } from './schemas.ts'

const read = {
  right: 'operator:read',
  blocking: 'namespaces',
  edition: 'extended',
  gate: 'api.token',
  spec: '4.9',
} as const
const write = { right: 'operator:write', edition: 'extended', gate: 'api.token', spec: '4.9' } as const

export const namespaces = c.router({
  create: {
    method: 'PUT',
    path: '/v1/namespace',
    summary: 'Create a namespace',
    description:
      'Every token in the namespace has its default policies and roles, which must belong to the same namespace.',
    query: query({}),
    body: createNamespaceSchema,
    ...answers(namespaceSchema, {
      sameOrigin: true,
      writes: 'global',
      ...write,
      body: 'json',
      errors: ['field_required', 'name_invalid', 'name_in_use', 'link_unknown'],
    }),
  },
  read: {
    method: 'GET',
    path: '/v1/namespace/:Name',
    pathParams: nameParam,
    summary: 'Read a namespace',
    description: 'The namespace `default` always exists.',
    query: blockingQuery({}),
    ...answers(namespaceSchema, { ...read, errors: ['id_missing', 'not_found'] }),
  },
  update: {
    method: 'PUT',
    path: '/v1/namespace/:Name',
    pathParams: nameParam,
    summary: 'Update a namespace',
    description:
      'Replaces the description and defaults; omitted fields are cleared. To change defaults, the caller also needs `acl:write` in the namespace. `global-management` cannot be a default.',
    query: query({}),
    body: updateNamespaceSchema,
    ...answers(namespaceSchema, {
      sameOrigin: true,
      writes: 'global',
      ...write,
      body: 'json',
      errors: ['id_missing', 'accessor_mismatch', 'field_invalid', 'link_unknown', 'not_found'],
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/v1/namespace/:Name',
    pathParams: nameParam,
    summary: 'Delete an empty namespace',
    description:
      'Refused while it contains tokens, policies, roles, auth methods, binding rules, keys, services or checks. `default` cannot be deleted.',
    query: query({}),
    ...answers(deletedSchema, {
      sameOrigin: true,
      writes: 'global',
      ...write,
      errors: ['id_missing', 'delete_refused', 'not_found'],
    }),
  },
  list: {
    method: 'GET',
    path: '/v1/namespaces',
    summary: 'List namespaces',
    description: 'In order of Name.',
    query: blockingQuery({}),
    ...answers(z.array(namespaceSchema), { ...read, errors: [] }),
  },
} satisfies ContractRoutes)
