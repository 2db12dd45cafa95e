/** Health of services and nodes, and summaries for user interfaces. Spec 9.3, 9.4. */
import * as z from 'zod'
import { checkSchema } from '../catalog/records.ts'
import { type ContractRoutes, c, get } from '../route.ts'
import { filter, ofInstances, ofNodes } from '../shared/catalog-query.ts'
import { namespacedBlockingQuery, textOrEmpty } from '../shared/query.ts'
import { nodeSummarySchema, serviceHealthSchema, serviceSummarySchema } from './schemas.ts'

const selectErrors = ['filter_invalid', 'field_too_long'] as const
const rows = {
  right: 'catalog',
  namespaced: true,
  blocking: 'catalog',
  saysConsistency: true,
  rowRights: true,
  errors: [...selectErrors, 'answer_too_large'],
} as const
const ofOne = { ...rows, errors: [...rows.errors, 'id_missing'] } as const
/** A row of the method table. */
const row = { methodGate: 'http.enforceMethods', spec: '9.4' } as const
const { saysConsistency: _silent, ...uiRows } = rows
const ui = { ...uiRows, ...row } as const

const serviceParam = z.object({
  Service: z.string().meta({ description: 'Name of the service. Not case-sensitive.' }),
})
const nodeParam = z.object({
  Node: z.string().meta({ description: 'Name of the node. Not case-sensitive.' }),
})
const ofService = { subject: 'service name' } as const
const ofNode = { subject: 'node name' } as const
const passing = textOrEmpty(
  'Only instances all of whose checks pass, including the checks of the node. Empty or a boolean; before 0.8.5 any value.',
)
const instances = { ...ofInstances, passing, filter }
const found = z.array(serviceHealthSchema)
const VISIBLE = 'Shows entries of which the caller may read both the node and the service.'

export const health = c.router({
  node: get('/v1/health/node/:Node', z.array(checkSchema), {
    pathParams: nodeParam,
    summary: 'List the checks of a node and of its services',
    description: VISIBLE,
    query: namespacedBlockingQuery({ filter }),
    metadata: { ...ofOne, ...ofNode, ...row },
  }),
  checks: get('/v1/health/checks/:Service', z.array(checkSchema), {
    pathParams: serviceParam,
    summary: 'List the checks of a service',
    description: `${VISIBLE} Omits checks of the nodes.`,
    query: namespacedBlockingQuery({ ...ofNodes, filter }),
    metadata: { ...ofOne, ...ofService, ...row },
  }),
  service: get('/v1/health/service/:Service', found, {
    pathParams: serviceParam,
    summary: 'List the instances of a service with their checks',
    description: `${VISIBLE} From 1.0.7, the service has its own index, which moves when an instance, its node or one of their checks changes.`,
    query: namespacedBlockingQuery(instances),
    metadata: { ...ofOne, ...ofService, ...row, spec: '9.3' },
  }),
  connect: get('/v1/health/connect/:Service', found, {
    pathParams: serviceParam,
    summary: 'List the instances and proxies that connect for a service, with their checks',
    description: `Native instances, and proxies that represent the service. ${VISIBLE}`,
    query: namespacedBlockingQuery(instances),
    metadata: { ...ofOne, ...ofService, gate: 'catalog.connect', spec: 'extension' },
  }),
  ingress: get('/v1/health/ingress/:Service', found, {
    pathParams: serviceParam,
    summary: 'List the ingress gateways of a service, with their checks',
    description: 'Always empty: this service configures no gateways.',
    query: namespacedBlockingQuery(instances),
    metadata: {
      ...ofOne,
      ...ofService,
      gate: 'health.ingress',
      spec: 'extension',
      errors: [...selectErrors, 'id_missing'],
    },
  }),
  state: get('/v1/health/state/:State', z.array(checkSchema), {
    pathParams: z.object({
      State: z.string().meta({ description: '`passing`, `warning`, `critical`, or `any`.' }),
    }),
    summary: 'List the checks in a state',
    description: `An unknown state matches nothing. ${VISIBLE}`,
    query: namespacedBlockingQuery({ ...ofNodes, filter }),
    metadata: { ...ofOne, subject: 'check state', ...row },
  }),
  uiNodes: get('/v1/internal/ui/nodes', z.array(nodeSummarySchema), {
    summary: 'List the nodes with their services and checks',
    description: 'For user interfaces. Shows records that the caller may read.',
    query: namespacedBlockingQuery({ filter }),
    metadata: ui,
  }),
  uiNode: get('/v1/internal/ui/node/:Node', nodeSummarySchema, {
    pathParams: nodeParam,
    summary: 'Read a node with its services and checks',
    description: 'For user interfaces. 404 if the node does not exist or the caller may not read it.',
    query: namespacedBlockingQuery({}),
    metadata: { ...ui, ...ofNode, errors: ['id_missing', 'not_found', 'answer_too_large'] },
  }),
  uiServices: get('/v1/internal/ui/services', z.array(serviceSummarySchema), {
    summary: 'List the services with their numbers of instances and checks',
    description: `For user interfaces. \`filter\` selects instances, as in the list of a service’s instances. ${VISIBLE}`,
    query: namespacedBlockingQuery({ filter }),
    metadata: { ...ui, errors: selectErrors },
  }),
} satisfies ContractRoutes)
