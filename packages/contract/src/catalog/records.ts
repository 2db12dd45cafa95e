/** Catalog records in answers: nodes, services and checks. Key order is the order on the wire. */
import * as z from 'zod'
import { namespaceShown, stored } from '../shared/fields.ts'

const words = z.record(z.string(), z.string())
const TAGGED = 'Further addresses by tag, such as `lan` and `wan`.'

const nodeName = z.string().meta({ description: 'Name of the node, unique regardless of case.' })
const nodeAddress = z.string().meta({ description: 'Address of the node: an IP address or a name.' })
const nodeId = z.string().optional().meta({ description: 'UUID of the node; may be empty. Since 0.7.3.' })
const datacenter = z.string().optional().meta({ description: 'Datacenter of the node. Since 0.8.2.' })
const nodeTagged = words.nullable().meta({ description: `${TAGGED} null if none were given.` })
const nodeMeta = words
  .nullable()
  .optional()
  .meta({ description: 'Metadata of the node; null if it has none. Since 0.7.3.' })

/** A node in answers. */
export const nodeSchema = z
  .strictObject({
    ID: nodeId,
    Node: nodeName,
    Address: nodeAddress,
    Datacenter: datacenter,
    TaggedAddresses: nodeTagged,
    Meta: nodeMeta,
    ...stored,
  })
  .meta({ id: 'Node' })
export type Node = z.infer<typeof nodeSchema>

/** An address of a service. */
const serviceAddressSchema = z
  .strictObject({
    Address: z.string().meta({ description: 'An IP address or a name.' }),
    Port: z.int().meta({ description: 'A port; 0 for none.' }),
  })
  .meta({ id: 'ServiceAddress' })
export type ServiceAddress = z.infer<typeof serviceAddressSchema>

/** Relative weight of an instance in DNS answers. */
const weightsSchema = z
  .strictObject({
    Passing: z.int().meta({ description: 'While all its checks are passing.' }),
    Warning: z.int().meta({ description: 'While one of its checks is warning.' }),
  })
  .meta({ id: 'Weights' })
export type Weights = z.infer<typeof weightsSchema>

const json = z.record(z.string(), z.unknown())
const tags = z.array(z.string()).meta({ description: 'Tags, as they were sent.' })
const proxy = json.optional().meta({ description: 'For a proxy, the service that it represents. Since 1.2.' })
const connect = json.optional().meta({ description: '`Native`: the service needs no proxy. Since 1.2.' })
const weights = weightsSchema.optional().meta({ description: 'Weights in DNS. Since 1.2.3.' })
const serviceTagged = z
  .record(z.string(), serviceAddressSchema)
  .optional()
  .meta({ description: `${TAGGED} Absent if none were given. Since 1.6.` })
const socketPath = z.string().optional().meta({ description: 'Path of a Unix socket. Since 1.10.' })
const kind = z
  .string()
  .optional()
  .meta({ description: 'Such as `connect-proxy`; empty or absent for a typical service. Since 1.2.' })
const serviceId = z
  .string()
  .meta({ description: 'Id of the service, unique on its node regardless of case.' })
const serviceName = z.string().meta({ description: 'Name of the service.' })
const serviceAddress = z
  .string()
  .meta({ description: 'Address of the service. If empty, the address of the node applies.' })
const port = z.int().meta({ description: 'Port of the service; 0 for none.' })
const enableTagOverride = z
  .boolean()
  .meta({ description: 'Whether other clients may change the tags of a service that an agent registered.' })

/** A service inside a node, and in health answers. */
export const nodeServiceSchema = z
  .strictObject({
    Kind: kind,
    ID: serviceId,
    Service: serviceName,
    Tags: tags,
    Address: serviceAddress,
    TaggedAddresses: serviceTagged,
    Meta: words
      .nullable()
      .optional()
      .meta({ description: 'Metadata of the service; null if it has none. Since 1.0.7.' }),
    Port: port,
    SocketPath: socketPath,
    Weights: weights,
    EnableTagOverride: enableTagOverride,
    Proxy: proxy,
    Connect: connect,
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'NodeService' })
export type NodeService = z.infer<typeof nodeServiceSchema>

/** An instance of a service, with its node. */
export const serviceInstanceSchema = z
  .strictObject({
    ID: nodeId,
    Node: nodeName,
    Address: nodeAddress,
    Datacenter: datacenter,
    TaggedAddresses: nodeTagged,
    NodeMeta: nodeMeta,
    ServiceKind: kind,
    ServiceID: serviceId,
    ServiceName: serviceName,
    ServiceTags: tags,
    ServiceAddress: serviceAddress,
    ServiceTaggedAddresses: serviceTagged,
    ServiceWeights: weights,
    ServiceMeta: words.optional().meta({ description: 'Metadata of the service. Since 1.0.7.' }),
    ServicePort: port,
    ServiceSocketPath: socketPath,
    ServiceEnableTagOverride: enableTagOverride,
    ServiceProxy: proxy,
    ServiceConnect: connect,
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'ServiceInstance' })
export type ServiceInstance = z.infer<typeof serviceInstanceSchema>

/** A node with its services by id. */
export const nodeWithServicesSchema = z
  .strictObject({
    Node: nodeSchema.meta({ description: 'The node itself.' }),
    Services: z.record(z.string(), nodeServiceSchema).meta({ description: 'Services, by ID.' }),
  })
  .meta({ id: 'NodeWithServices' })
export type NodeWithServices = z.infer<typeof nodeWithServicesSchema>

/** A node with a list of its services. */
export const nodeServicesSchema = z
  .strictObject({
    Node: nodeSchema.nullable().meta({ description: 'null if the node does not exist.' }),
    Services: z
      .array(nodeServiceSchema)
      .nullable()
      .meta({ description: 'In order of ID; null if the node does not exist.' }),
  })
  .meta({ id: 'NodeServices' })
export type NodeServices = z.infer<typeof nodeServicesSchema>

/** A check in answers. */
export const checkSchema = z
  .strictObject({
    Node: nodeName,
    CheckID: z.string().meta({ description: 'Id of the check, unique on its node regardless of case.' }),
    Name: z.string().meta({ description: 'Name of the check.' }),
    Status: z
      .string()
      .meta({ description: '`passing`, `warning`, `critical`, or another text that was sent.' }),
    Notes: z.string().meta({ description: 'Free text for people.' }),
    Output: z.string().meta({ description: 'Latest output of the check.' }),
    ServiceID: z
      .string()
      .meta({ description: 'Id of the service that it checks; empty for a check of the node.' }),
    ServiceName: z.string().meta({ description: 'Name of that service.' }),
    ServiceTags: tags.nullable().meta({ description: 'Tags of that service.' }),
    Type: z.string().optional().meta({ description: 'Such as `http` or `ttl`; may be empty. Since 1.6.2.' }),
    Interval: z.string().optional().meta({ description: 'Time between two runs. Since 1.10.' }),
    Timeout: z.string().optional().meta({ description: 'Maximum duration of a run. Since 1.10.' }),
    ExposedPort: z.int().optional().meta({ description: 'Port of a proxy for the check. Since 1.10.2.' }),
    Definition: json
      .optional()
      .meta({
        description:
          'How the check is run. Contains only the fields that are set; durations are in Go notation. Since 1.0.1.',
      }),
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'HealthCheck' })
export type HealthCheck = z.infer<typeof checkSchema>
