/** Answers about the health of services and nodes. Spec 9.3, 9.4. */
import * as z from 'zod'
import { checkSchema, nodeSchema, nodeServiceSchema } from '../catalog/records.ts'
import type { GateName } from '../gates.ts'
import { namespaceShown } from '../shared/fields.ts'

const counted = (description: string) => z.int().meta({ description, minimum: 0 })

/** An instance with its node and the checks of both. */
export const serviceHealthSchema = z
  .strictObject({
    Node: nodeSchema.meta({ description: 'The node of the instance.' }),
    Service: nodeServiceSchema.meta({ description: 'The instance.' }),
    Checks: z.array(checkSchema).meta({ description: 'Checks of the node, then of the service.' }),
  })
  .meta({ id: 'ServiceHealth' })
export type ServiceHealth = z.infer<typeof serviceHealthSchema>

/** A node with everything on it. */
export const nodeSummarySchema = z
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
export const serviceSummarySchema = z
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
