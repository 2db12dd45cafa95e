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
      'Its defaults are linked to every token in it. Policies and roles are those of the namespace itself.',
    query: query({}),
    body: createNamespaceSchema,
    ...answers(namespaceSchema, {
      sameOrigin: true,
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
    description: '`default` always exists.',
    query: blockingQuery({}),
    ...answers(namespaceSchema, { ...read, errors: ['id_missing', 'not_found'] }),
  },
  update: {
    method: 'PUT',
    path: '/v1/namespace/:Name',
    pathParams: nameParam,
    summary: 'Update a namespace',
    description:
      'Description and defaults are replaced: what is left out is cleared. Other defaults need `acl:write` in that namespace too. `global-management` is never one.',
    query: query({}),
    body: updateNamespaceSchema,
    ...answers(namespaceSchema, {
      sameOrigin: true,
      ...write,
      body: 'json',
      errors: ['id_missing', 'accessor_mismatch', 'field_invalid', 'link_unknown', 'not_found'],
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/v1/namespace/:Name',
    pathParams: nameParam,
    summary: 'Delete a namespace that holds nothing',
    description: 'Refused while it holds tokens, policies, roles or keys, and for `default`.',
    query: query({}),
    ...answers(deletedSchema, {
      sameOrigin: true,
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
