/** Catalog records as a service version returns them. Decisions: catalog records. */
import type { HealthCheck, Node, NodeService, ServiceInstance, ServiceProfile } from '@latchkey/contract'
import type { CheckRecord, NodeRecord, ServiceRecord } from './records/catalog-records.ts'

/** What answers contain in a service version and edition. */
export interface RecordView {
  readonly datacenter: string
  readonly showsNamespace: boolean
  readonly nodeId: boolean
  readonly nodeDatacenter: boolean
  readonly serviceMeta: boolean
  readonly connect: boolean
  readonly weights: boolean
  readonly serviceTaggedAddresses: boolean
  readonly socketPath: boolean
  readonly checkDefinition: boolean
  readonly checkType: boolean
  readonly checkTimes: boolean
  readonly exposedPort: boolean
  readonly meshSummary: boolean
}

export function recordViewOf(
  profile: ServiceProfile,
  { datacenter, edition }: { readonly datacenter: string; readonly edition: 'standard' | 'extended' },
): RecordView {
  return {
    datacenter,
    showsNamespace: edition === 'extended',
    nodeId: profile.has('catalog.nodeId'),
    nodeDatacenter: profile.has('catalog.nodeDatacenter'),
    serviceMeta: profile.has('catalog.serviceMeta'),
    connect: profile.has('catalog.connect'),
    weights: profile.has('catalog.serviceWeights'),
    serviceTaggedAddresses: profile.has('catalog.serviceTaggedAddresses'),
    socketPath: profile.has('catalog.socketPath'),
    checkDefinition: profile.has('catalog.checkDefinition'),
    checkType: profile.has('catalog.checkType'),
    checkTimes: profile.has('catalog.checkTimes'),
    exposedPort: profile.has('catalog.checkExposedPort'),
    meshSummary: profile.has('health.meshSummary'),
  }
}

/** In the order of existing services. */
function showProxy({
  MeshGateway = {},
  Expose = {},
  ...proxy
}: ServiceRecord['Proxy']): ServiceRecord['Proxy'] {
  return { ...proxy, MeshGateway, Expose }
}

export function showNode(record: NodeRecord, view: RecordView): Node {
  return {
    ...(view.nodeId ? { ID: record.ID } : {}),
    Node: record.Node,
    Address: record.Address,
    ...(view.nodeDatacenter ? { Datacenter: view.datacenter } : {}),
    TaggedAddresses: record.TaggedAddresses,
    ...(view.nodeId ? { Meta: record.Meta } : {}),
    CreateIndex: record.CreateIndex,
    ModifyIndex: record.ModifyIndex,
  }
}

export function showNodeService(record: ServiceRecord, view: RecordView): NodeService {
  const { TaggedAddresses, SocketPath, CreateIndex, ModifyIndex } = record
  return {
    ...(view.connect && record.Kind !== '' ? { Kind: record.Kind } : {}),
    ID: record.ID,
    Service: record.Service,
    Tags: [...record.Tags],
    Address: record.Address,
    ...(view.serviceTaggedAddresses && Object.keys(TaggedAddresses).length > 0 ? { TaggedAddresses } : {}),
    ...(view.serviceMeta ? { Meta: record.Meta } : {}),
    Port: record.Port,
    ...(view.socketPath && SocketPath !== '' ? { SocketPath } : {}),
    ...(view.weights ? { Weights: record.Weights } : {}),
    EnableTagOverride: record.EnableTagOverride,
    ...(view.connect ? { Proxy: showProxy(record.Proxy), Connect: record.Connect } : {}),
    CreateIndex,
    ModifyIndex,
    ...(view.showsNamespace ? { Namespace: record.Namespace } : {}),
  }
}

export function showInstance(record: ServiceRecord, node: NodeRecord, view: RecordView): ServiceInstance {
  const { TaggedAddresses } = record
  return {
    ...(view.nodeId ? { ID: node.ID } : {}),
    Node: node.Node,
    Address: node.Address,
    ...(view.nodeDatacenter ? { Datacenter: view.datacenter } : {}),
    TaggedAddresses: node.TaggedAddresses,
    ...(view.nodeId ? { NodeMeta: node.Meta } : {}),
    ...(view.connect ? { ServiceKind: record.Kind } : {}),
    ServiceID: record.ID,
    ServiceName: record.Service,
    ServiceTags: [...record.Tags],
    ServiceAddress: record.Address,
    ...(view.serviceTaggedAddresses && Object.keys(TaggedAddresses).length > 0
      ? { ServiceTaggedAddresses: TaggedAddresses }
      : {}),
    ...(view.weights ? { ServiceWeights: record.Weights } : {}),
    ...(view.serviceMeta ? { ServiceMeta: record.Meta ?? {} } : {}),
    ServicePort: record.Port,
    ...(view.socketPath ? { ServiceSocketPath: record.SocketPath } : {}),
    ServiceEnableTagOverride: record.EnableTagOverride,
    ...(view.connect ? { ServiceProxy: showProxy(record.Proxy), ServiceConnect: record.Connect } : {}),
    CreateIndex: record.CreateIndex,
    ModifyIndex: record.ModifyIndex,
    ...(view.showsNamespace ? { Namespace: record.Namespace } : {}),
  }
}

/** @param service the service of the check; absent for a check of the node. */
export function showCheck(
  record: CheckRecord,
  service: Pick<ServiceRecord, 'Service' | 'Tags'> | undefined,
  view: RecordView,
): HealthCheck {
  return {
    Node: record.Node,
    CheckID: record.CheckID,
    Name: record.Name,
    Status: record.Status,
    Notes: record.Notes,
    Output: record.Output,
    ServiceID: record.ServiceID,
    ServiceName: service?.Service ?? '',
    ServiceTags: [...(service?.Tags ?? [])],
    ...(view.checkType ? { Type: record.Type } : {}),
    ...(view.checkTimes ? { Interval: record.Interval, Timeout: record.Timeout } : {}),
    ...(view.exposedPort ? { ExposedPort: record.ExposedPort } : {}),
    ...(view.checkDefinition ? { Definition: record.Definition } : {}),
    CreateIndex: record.CreateIndex,
    ModifyIndex: record.ModifyIndex,
    ...(view.showsNamespace ? { Namespace: record.Namespace } : {}),
  }
}
