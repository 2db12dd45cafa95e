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
const NO_PROXY = { MeshGateway: {}, Expose: {} }
const SERVICE = {
  ID: 'web-1',
  Service: 'web',
  Tags: ['v2'],
  Address: '',
  Meta: null,
  Port: 8080,
  Weights: { Passing: 1, Warning: 1 },
  EnableTagOverride: false,
  Proxy: NO_PROXY,
  Connect: {},
  CreateIndex: 11,
  ModifyIndex: 11,
}
const INSTANCE = {
  ID: NODE.ID,
  Node: 'db-1',
  Address: '10.0.0.7',
  Datacenter: 'dc1',
  TaggedAddresses: NODE.TaggedAddresses,
  NodeMeta: NODE.Meta,
  ServiceKind: '',
  ServiceID: 'web-1',
  ServiceName: 'web',
  ServiceTags: ['v2'],
  ServiceAddress: '',
  ServiceWeights: { Passing: 1, Warning: 1 },
  ServiceMeta: {},
  ServicePort: 8080,
  ServiceSocketPath: '',
  ServiceEnableTagOverride: false,
  ServiceProxy: NO_PROXY,
  ServiceConnect: {},
  CreateIndex: 11,
  ModifyIndex: 11,
}

export const examples = {
  register: answer(true, {
    Node: 'db-1',
    Address: '10.0.0.7',
    Service: { ID: 'web-1', Service: 'web', Tags: ['v2'], Port: 8080 },
    Check: { CheckID: 'web-alive', Name: 'web is alive', ServiceID: 'web-1', Status: 'passing' },
  }),
  deregister: answer(true, { Node: 'db-1', ServiceID: 'web-1' }),
  nodes: answer([NODE]),
  services: answer({ web: ['v2'] }),
  service: answer([INSTANCE]),
  connect: answer([]),
  node: answer({ Node: NODE, Services: { 'web-1': SERVICE } }),
  nodeServices: answer({ Node: NODE, Services: [SERVICE] }),
  gatewayServices: answer([]),
} satisfies ExamplesOf<'catalog'>
