/** The catalog of this datacenter: registered nodes, services and checks. Spec 9.3, 9.4. */
import * as z from 'zod'
import { REGISTRATION_BYTES_MAX } from '../limits.ts'
import { type ContractRoutes, c, get, put } from '../route.ts'
import { filter, ofInstances, ofNodes } from '../shared/catalog-query.ts'
import { namespacedBlockingQuery, namespacedQuery } from '../shared/query.ts'
import { nodeSchema, nodeServicesSchema, nodeWithServicesSchema, serviceInstanceSchema } from './records.ts'
import { deregistrationSchema, registrationSchema } from './schemas.ts'

/** A row of the method table. */
const row = { methodGate: 'http.enforceMethods', spec: '9.4' } as const
const rows = {
  right: 'catalog',
  namespaced: true,
  blocking: 'catalog',
  saysConsistency: true,
  rowRights: true,
} as const
/** Gateway lists are always empty, so rights cannot filter them. */
const { rowRights: _none, ...unfiltered } = rows
const listErrors = ['filter_invalid', 'field_too_long'] as const
const ofOne = { ...rows, errors: [...listErrors, 'id_missing'] } as const
const instances = { ...ofOne, saysCache: true, errors: [...ofOne.errors, 'answer_too_large'] } as const
const write = {
  right: 'catalog',
  namespaced: true,
  writes: 'own',
  body: 'json',
  looseNames: true,
  bodyBytesMax: REGISTRATION_BYTES_MAX,
} as const
const done = z.boolean().meta({ description: 'Always true.' })

const serviceParam = z.object({
  Service: z.string().meta({ description: 'Name of the service. Not case-sensitive.' }),
})
const nodeParam = z.object({
  Node: z
    .string()
    .meta({
      description:
        'Name of the node, or a prefix of its ID with at least two characters. Not case-sensitive.',
    }),
})
const ofService = { subject: 'service name' } as const
const ofNode = { subject: 'node name' } as const
const VISIBLE = 'Shows instances of which the caller may read both the node and the service.'

export const catalog = c.router({
  register: put('/v1/catalog/register', done, {
    summary: 'Register a node, a service and checks',
    description:
      'All or nothing. Unchanged records are not written. Needs `node:write` for a node that is new or different and for its checks, and `service:write` for a service and its checks.',
    query: namespacedQuery({}),
    body: registrationSchema,
    metadata: { ...write, ...row, errors: ['field_required', 'field_invalid', 'name_in_use', 'not_found'] },
  }),
  deregister: put('/v1/catalog/deregister', done, {
    summary: 'Remove a node, a service or a check',
    description:
      'Removing a service also removes its checks, and removing a node everything on it. Succeeds if there is nothing to remove. Needs `node:write`; for a service and its checks, `service:write` is enough.',
    query: namespacedQuery({}),
    body: deregistrationSchema,
    metadata: { ...write, namespaceInBody: true, ...row, errors: ['field_required', 'field_invalid'] },
  }),
  nodes: get('/v1/catalog/nodes', z.array(nodeSchema), {
    summary: 'List the nodes',
    description: 'In order of name. Shows nodes that the caller may read.',
    query: namespacedBlockingQuery({ ...ofNodes, filter }),
    metadata: { ...rows, errors: listErrors, ...row },
  }),
  services: get('/v1/catalog/services', z.record(z.string(), z.array(z.string())), {
    summary: 'List the names of services, with their tags',
    description: 'Combines the tags of all instances. Shows services that the caller may read.',
    query: namespacedBlockingQuery({ 'node-meta': ofNodes['node-meta'] }),
    metadata: { ...rows, saysCache: true, errors: [], ...row },
  }),
  service: get('/v1/catalog/service/:Service', z.array(serviceInstanceSchema), {
    pathParams: serviceParam,
    summary: 'List the instances of a service',
    description: `From 1.0.7, the service has its own index, which moves when an instance, its node or one of their checks changes. ${VISIBLE}`,
    query: namespacedBlockingQuery({ ...ofInstances, filter }),
    metadata: { ...instances, ...ofService, ...row, spec: '9.3' },
  }),
  connect: get('/v1/catalog/connect/:Service', z.array(serviceInstanceSchema), {
    pathParams: serviceParam,
    summary: 'List the instances and proxies that connect for a service',
    description: `Native instances, and proxies that represent the service. ${VISIBLE}`,
    query: namespacedBlockingQuery({ ...ofInstances, filter }),
    metadata: { ...instances, ...ofService, gate: 'catalog.connect', spec: 'extension' },
  }),
  node: get('/v1/catalog/node/:Node', nodeWithServicesSchema.nullable(), {
    pathParams: nodeParam,
    summary: 'Read a node with its services',
    description:
      'Finds the node by its name, or by a unique prefix of its ID. null if the node does not exist or the caller may not read it. `filter` selects services.',
    query: namespacedBlockingQuery({ filter }),
    metadata: { ...ofOne, ...ofNode, ...row },
  }),
  nodeServices: get('/v1/catalog/node-services/:Node', nodeServicesSchema, {
    pathParams: nodeParam,
    summary: 'Read a node with a list of its services',
    description: 'Like reading a node. Both fields are null if the node does not exist.',
    query: namespacedBlockingQuery({ filter }),
    metadata: { ...ofOne, ...ofNode, gate: 'catalog.nodeServices', spec: 'extension' },
  }),
  gatewayServices: get('/v1/catalog/gateway-services/:Gateway', z.array(z.record(z.string(), z.unknown())), {
    pathParams: z.object({ Gateway: z.string().meta({ description: 'Name of the gateway.' }) }),
    summary: 'List the services of a gateway',
    description: 'Always empty: this service configures no gateways.',
    query: namespacedBlockingQuery({}),
    metadata: {
      ...unfiltered,
      errors: ['id_missing'],
      subject: 'gateway name',
      gate: 'catalog.gatewayServices',
      spec: 'extension',
    },
  }),
} satisfies ContractRoutes)
