/** The fields by which catalog and health lists can be filtered. Decisions: filters. */

import type { Shape, ShapeOf } from '@latchkey/acl'
import type { HealthCheck, Node, NodeService, ServiceInstance } from '@latchkey/contract'

export const NODE_FIELDS = {
  ID: 'text',
  Node: 'text',
  Address: 'text',
  Datacenter: 'text',
  TaggedAddresses: { map: 'text' },
  Meta: { map: 'text' },
} as const satisfies ShapeOf<Node>

const ADDRESSES = { map: { object: { Address: 'text', Port: 'number' } } } as const
const WEIGHTS = { object: { Passing: 'number', Warning: 'number' } } as const
const CONNECT = { object: { Native: 'bool' } } as const
const MESH_GATEWAY = { object: { Mode: 'text' } } as const
const UPSTREAM: Shape = {
  DestinationType: 'text',
  DestinationNamespace: 'text',
  DestinationName: 'text',
  Datacenter: 'text',
  LocalBindAddress: 'text',
  LocalBindPort: 'number',
  MeshGateway: MESH_GATEWAY,
}
const EXPOSED_PATH: Shape = {
  ListenerPort: 'number',
  Path: 'text',
  LocalPathPort: 'number',
  Protocol: 'text',
  ParsedFromCheck: 'bool',
}
const PROXY = {
  object: {
    DestinationServiceName: 'text',
    DestinationServiceID: 'text',
    LocalServiceAddress: 'text',
    LocalServicePort: 'number',
    Upstreams: { objects: UPSTREAM },
    MeshGateway: MESH_GATEWAY,
    Expose: { object: { Checks: 'bool', Paths: { objects: EXPOSED_PATH } } },
  },
} as const

export const INSTANCE_FIELDS = {
  ID: 'text',
  Node: 'text',
  Address: 'text',
  Datacenter: 'text',
  TaggedAddresses: { map: 'text' },
  NodeMeta: { map: 'text' },
  ServiceKind: 'text',
  ServiceID: 'text',
  ServiceName: 'text',
  ServiceTags: 'list',
  ServiceAddress: 'text',
  ServiceTaggedAddresses: ADDRESSES,
  ServiceWeights: WEIGHTS,
  ServiceMeta: { map: 'text' },
  ServicePort: 'number',
  ServiceSocketPath: 'text',
  ServiceEnableTagOverride: 'bool',
  ServiceProxy: PROXY,
  ServiceConnect: CONNECT,
} as const satisfies ShapeOf<ServiceInstance>

export const SERVICE_FIELDS = {
  Kind: 'text',
  ID: 'text',
  Service: 'text',
  Tags: 'list',
  Address: 'text',
  TaggedAddresses: ADDRESSES,
  Meta: { map: 'text' },
  Port: 'number',
  SocketPath: 'text',
  Weights: WEIGHTS,
  EnableTagOverride: 'bool',
  Proxy: PROXY,
  Connect: CONNECT,
} as const satisfies ShapeOf<NodeService>

export const CHECK_FIELDS = {
  Node: 'text',
  CheckID: 'text',
  Name: 'text',
  Status: 'text',
  Notes: 'text',
  Output: 'text',
  ServiceID: 'text',
  ServiceName: 'text',
  ServiceTags: 'list',
  Type: 'text',
  Interval: 'text',
  Timeout: 'text',
  ExposedPort: 'number',
} as const satisfies ShapeOf<HealthCheck>

interface HealthElement {
  readonly Node: Node
  readonly Service: NodeService
  readonly Checks: readonly HealthCheck[]
}

/** Fields of an element of `health/service`: an instance with its node and checks. */
export const HEALTH_FIELDS = {
  Node: { object: NODE_FIELDS },
  Service: { object: SERVICE_FIELDS },
  Checks: { objects: CHECK_FIELDS },
} as const satisfies ShapeOf<HealthElement>
