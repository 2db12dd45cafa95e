/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

const NODE = {
  ID: '5ad2b4e5-8f0e-4a0b-9d8e-3c1b2a4f6e70',
  Node: 'db-1',
  Address: '10.0.0.7',
  Datacenter: 'dc1',
  TaggedAddresses: { lan: '10.0.0.7', wan: '10.0.0.7' },
  Meta: { rack: 'r1' },
  CreateIndex: 10,
  ModifyIndex: 10,
}
const SERVICE = {
  ID: 'web-1',
  Service: 'web',
  Tags: ['v2'],
  Address: '',
  Meta: null,
  Port: 8080,
  Weights: { Passing: 1, Warning: 1 },
  EnableTagOverride: false,
  Proxy: { MeshGateway: {}, Expose: {} },
  Connect: {},
  CreateIndex: 11,
  ModifyIndex: 11,
}
const CHECK = {
  Node: 'db-1',
  CheckID: 'service:web-1',
  Name: "Service 'web' check",
  Status: 'passing',
  Notes: '',
  Output: 'all good',
  ServiceID: 'web-1',
  ServiceName: 'web',
  ServiceTags: ['v2'],
  Type: 'ttl',
  Interval: '',
  Timeout: '',
  ExposedPort: 0,
  Definition: {},
  CreateIndex: 12,
  ModifyIndex: 14,
}
const { ID, Node, Address, TaggedAddresses, Meta } = NODE
const SUMMARY = { ID, Node, Address, TaggedAddresses, Meta, Services: [SERVICE], Checks: [CHECK] }
const INSTANCE = { Node: NODE, Service: SERVICE, Checks: [CHECK] }

export const examples = {
  node: answer([CHECK]),
  checks: answer([CHECK]),
  service: answer([INSTANCE]),
  connect: answer([]),
  ingress: answer([]),
  state: answer([CHECK]),
  uiNodes: answer([SUMMARY]),
  uiNode: answer(SUMMARY),
  uiServices: answer([
    {
      Name: 'web',
      Datacenter: 'dc1',
      Tags: ['v2'],
      Nodes: ['db-1'],
      InstanceCount: 1,
      ChecksPassing: 1,
      ChecksWarning: 0,
      ChecksCritical: 0,
      ExternalSources: null,
      GatewayConfig: {},
      ConnectedWithProxy: false,
      ConnectedWithGateway: false,
    },
  ]),
} satisfies ExamplesOf<'health'>
