/** Health of services and nodes, and summaries for user interfaces. Spec 9.3, 9.4. */
import * as z from 'zod'
import { checkSchema, nodeSchema, nodeServiceSchema } from '../catalog/records.ts'
import type { GateName } from '../gates.ts'
import { type ContractRoutes, c, get } from '../route.ts'
import { filter, ofInstances, ofNodes } from '../shared/catalog-query.ts'
import { namespaceShown } from '../shared/fields.ts'
import { namespacedBlockingQuery, textOrEmpty } from '../shared/query.ts'

const counted = (description: string) => z.int().meta({ description, minimum: 0 })

/** An instance with its node and the checks of both. */
const serviceHealthSchema = z
  .strictObject({
    Node: nodeSchema.meta({ description: 'The node of the instance.' }),
    Service: nodeServiceSchema.meta({ description: 'The instance.' }),
    Checks: z.array(checkSchema).meta({ description: 'Checks of the node, then of the service.' }),
  })
  .meta({ id: 'ServiceHealth' })
export type ServiceHealth = z.infer<typeof serviceHealthSchema>

/** A node with everything on it. */
const nodeSummarySchema = z
  .strictObject({
    ID: z.string().optional().meta({ description: 'UUID of the node; may be empty.' }),
    Node: z.string().meta({ description: 'Name of the node.' }),
    Address: z.string().meta({ description: 'Address of the node.' }),
    TaggedAddresses: z
      .record(z.string(), z.string())
      .nullable()
      .meta({ description: 'Further addresses by tag; null if none were given.' }),
    Meta: z
      .record(z.string(), z.string())
      .nullable()
      .optional()
      .meta({ description: 'Metadata of the node; null if it has none.' }),
    Services: z.array(nodeServiceSchema).meta({ description: 'Services of the node, by ID.' }),
    Checks: z.array(checkSchema).meta({ description: 'Checks of the node and of its services.' }),
  })
  .meta({ id: 'NodeSummary' })
export type NodeSummary = z.infer<typeof nodeSummarySchema>

const mesh = { gate: 'health.meshSummary' satisfies GateName }

/** A service with its numbers of instances and checks. */
const serviceSummarySchema = z
  .strictObject({
    Kind: z.string().optional().meta({ description: 'Kind of the service; absent for a typical one.' }),
    Name: z.string().meta({ description: 'Name of the service.' }),
    Datacenter: z
      .string()
      .optional()
      .meta({ ...mesh, description: 'Its datacenter. Since 1.11.' }),
    Tags: z.array(z.string()).meta({ description: 'Tags of all instances, sorted.' }),
    Nodes: z.array(z.string()).meta({ description: 'Nodes of the instances, sorted.' }),
    InstanceCount: counted('Number of instances.'),
    ProxyFor: z
      .array(z.string())
      .optional()
      .meta({
        description: 'Services that the instances are proxies for, sorted; absent if there are none.',
      }),
    ChecksPassing: counted('Passing checks of the instances and their nodes.'),
    ChecksWarning: counted('Warning checks of the instances and their nodes.'),
    ChecksCritical: counted('Critical checks of the instances and their nodes.'),
    ExternalSources: z.null().meta({ description: 'Always null.' }),
    GatewayConfig: z.strictObject({}).meta({ description: 'Always empty.' }),
    ConnectedWithProxy: z
      .boolean()
      .optional()
      .meta({ ...mesh, description: 'Whether a proxy represents the service. Since 1.11.' }),
    ConnectedWithGateway: z
      .boolean()
      .optional()
      .meta({ ...mesh, description: 'Always false. Since 1.11.' }),
    Namespace: namespaceShown,
  })
  .meta({ id: 'ServiceSummary' })
export type ServiceSummary = z.infer<typeof serviceSummarySchema>

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
const instanceRows = { ...ofOne, ...ofService, saysCache: true } as const
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
    metadata: { ...instanceRows, ...row, spec: '9.3' },
  }),
  connect: get('/v1/health/connect/:Service', found, {
    pathParams: serviceParam,
    summary: 'List the instances and proxies that connect for a service, with their checks',
    description: `Native instances, and proxies that represent the service. ${VISIBLE}`,
    query: namespacedBlockingQuery(instances),
    metadata: { ...instanceRows, gate: 'catalog.connect', spec: 'extension' },
  }),
  ingress: get('/v1/health/ingress/:Service', found, {
    pathParams: serviceParam,
    summary: 'List the ingress gateways of a service, with their checks',
    description: 'Always empty: this service configures no gateways.',
    query: namespacedBlockingQuery(instances),
    metadata: {
      ...instanceRows,
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
