/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

const SERVICE = {
  ID: 'web-1',
  Service: 'web',
  Tags: ['v2'],
  Address: '10.0.0.7',
  TaggedAddresses: {
    lan_ipv4: { Address: '10.0.0.7', Port: 8080 },
    wan_ipv4: { Address: '10.0.0.7', Port: 8080 },
  },
  Meta: {},
  Port: 8080,
  Weights: { Passing: 1, Warning: 1 },
  EnableTagOverride: false,
}
const CHECK = {
  Node: 'node-1',
  CheckID: 'service:web-1',
  Name: "Service 'web' check",
  Status: 'passing',
  Notes: '',
  Output: 'all good',
  ServiceID: 'web-1',
  ServiceName: 'web',
  ServiceTags: ['v2'],
  Type: 'ttl',
  Definition: {},
  CreateIndex: 12,
  ModifyIndex: 14,
}
const HEALTH = { AggregatedStatus: 'passing', Service: SERVICE, Checks: [CHECK] }

export const examples = {
  services: answer({ 'web-1': SERVICE }),
  service: answer({ ...SERVICE, ContentHash: 'b1946ac92492d234' }),
  checks: answer({ 'service:web-1': CHECK }),
  registerService: answer('', {
    ID: 'web-1',
    Name: 'web',
    Port: 8080,
    Tags: ['v2'],
    Check: { TTL: '30s', DeregisterCriticalServiceAfter: '10m' },
  }),
  deregisterService: answer(''),
  serviceMaintenance: answer(''),
  maintenance: answer(''),
  serviceHealth: answer(HEALTH),
  healthByName: answer([HEALTH]),
} satisfies ExamplesOf<'agent'>

export const checkExamples = {
  register: answer('', {
    ID: 'web-http',
    Name: 'Home page of web',
    ServiceID: 'web-1',
    HTTP: 'http://10.0.0.7:8080/health',
    Interval: '10s',
    Timeout: '2s',
  }),
  deregister: answer(''),
  pass: answer(''),
  warn: answer(''),
  fail: answer(''),
  update: answer('', { Status: 'warning', Output: 'the queue grows' }),
} satisfies ExamplesOf<'agentChecks'>

export const processExamples = {
  join: answer(''),
  forceLeave: answer(''),
  leave: answer(''),
  reload: answer(''),
  host: answer({
    Memory: { total: 8_589_934_592, available: 4_294_967_296, used: 4_294_967_296 },
    CPU: [{ cpu: 0, modelName: 'Example CPU', mhz: 2_400 }],
    Host: { hostname: 'node-1', os: 'linux', platform: 'linux', kernelVersion: '6.1.0', uptime: 86_400 },
    Disk: null,
    CollectionTime: 1_769_860_800_000_000_000,
    Errors: null,
  }),
} satisfies ExamplesOf<'agentProcess'>
