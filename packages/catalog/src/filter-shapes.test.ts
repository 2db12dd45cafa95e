/** The fields by which each catalog and health list can be filtered. Decisions: filters. */

import { compileFilter } from '@latchkey/acl'
import type { HealthCheck, Node, NodeService, ServiceInstance } from '@latchkey/contract'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { expect, test } from 'vitest'
import { CHECK_FIELDS, HEALTH_FIELDS, INSTANCE_FIELDS, NODE_FIELDS, SERVICE_FIELDS } from './filter-shapes.ts'

const STAMPS = { CreateIndex: 1, ModifyIndex: 2 }
const NODE: Node = {
  ID: '',
  Node: 'db-1',
  Address: '10.0.0.1',
  Datacenter: 'dc1',
  TaggedAddresses: { lan: '10.0.0.1' },
  Meta: { rack: 'r1' },
  ...STAMPS,
}
const SERVICE: NodeService = {
  ID: 'web-1',
  Service: 'web',
  Kind: 'connect-proxy',
  Tags: ['v2'],
  Address: '',
  TaggedAddresses: { lan: { Address: '10.0.0.2', Port: 80 } },
  Meta: null,
  Port: 8080,
  Weights: { Passing: 3, Warning: 1 },
  EnableTagOverride: false,
  Proxy: {
    DestinationServiceName: 'web',
    Upstreams: [{ DestinationName: 'db', LocalBindPort: 5432 }],
    Expose: { Checks: true },
  },
  Connect: {},
  ...STAMPS,
}
const INSTANCE: ServiceInstance = {
  Node: 'db-1',
  Address: '10.0.0.1',
  TaggedAddresses: null,
  NodeMeta: { rack: 'r1' },
  ServiceID: 'web-1',
  ServiceName: 'web',
  ServiceTags: ['v2'],
  ServiceAddress: '',
  ServicePort: 8080,
  ServiceMeta: { env: 'prod' },
  ServiceEnableTagOverride: true,
  ServiceConnect: { Native: true },
  ...STAMPS,
}
const CHECK: HealthCheck = {
  Node: 'db-1',
  CheckID: 'c',
  Name: 'c',
  Status: 'warning',
  Notes: '',
  Output: 'HTTP 500',
  ServiceID: 'web-1',
  ServiceName: 'web',
  ServiceTags: null,
  Definition: {},
  ...STAMPS,
}
const HEALTH = { Node: NODE, Service: SERVICE, Checks: [CHECK] }

const KINDS = {
  node: (filter: string) => compileFilter<typeof NODE>(filter, NODE_FIELDS)?.matches(NODE),
  service: (filter: string) => compileFilter<typeof SERVICE>(filter, SERVICE_FIELDS)?.matches(SERVICE),
  instance: (filter: string) => compileFilter<typeof INSTANCE>(filter, INSTANCE_FIELDS)?.matches(INSTANCE),
  check: (filter: string) => compileFilter<typeof CHECK>(filter, CHECK_FIELDS)?.matches(CHECK),
  health: (filter: string) => compileFilter<typeof HEALTH>(filter, HEALTH_FIELDS)?.matches(HEALTH),
} as const

test.each([
  ['node', 'Meta.rack == r1 and TaggedAddresses.lan == `10.0.0.1` and Datacenter == dc1 and ID == ""'],
  ['service', 'TaggedAddresses.lan.Port == 80 and Weights.Passing == 3 and Meta is empty'],
  [
    'service',
    'Proxy.Upstreams.DestinationName == db and Proxy.Expose.Checks == true and Connect.Native == false',
  ],
  ['instance', 'v2 in ServiceTags and ServiceMeta.env == prod and NodeMeta.rack == r1 and ServiceKind == ""'],
  [
    'instance',
    'TaggedAddresses is empty and ServiceConnect.Native == 1 and ServiceEnableTagOverride == true',
  ],
  ['check', 'Status != passing and Output matches "^HTTP 5" and ServiceTags is empty and Type == ""'],
  ['health', 'Node.Meta.rack == r1 and Service.Port == 8080 and Checks.Status == warning'],
] as const)('%s: %s', (kind, filter) => {
  expect(KINDS[kind](filter)).toBe(true)
  expect(KINDS[kind](`not (${filter})`)).toBe(false)
})

test.each([
  ['node', 'ModifyIndex == 2'],
  ['instance', 'CreateIndex == 1'],
  ['check', 'Definition is empty'],
  ['health', 'Meta.rack == r1'],
  ['health', 'Checks.Definition is empty'],
] as const)('filter_invalid: %s: %s', (kind, filter) => {
  expect(refusalOf(() => KINDS[kind](filter)).code).toBe('filter_invalid')
})
