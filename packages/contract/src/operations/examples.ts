/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { PRODUCT_VERSION } from '../product-version.ts'
import { answer, type ExamplesOf } from '../shared/example.ts'

const MEMBER = {
  ID: '7d8e1c52-3f0b-4a66-9a51-0e6f2b7c9d10',
  Name: 'node-1',
  Addr: '127.0.0.1',
  Port: 8500,
  Tags: { role: 'server', acls: '1', build: '1.11' },
  Status: 1,
  Datacenter: 'dc1',
  Version: '1.11',
}

export const examples = {
  replication: answer({
    Enabled: false,
    Running: false,
    SourceDatacenter: '',
    ReplicationType: '',
    ReplicatedIndex: 0,
    ReplicatedRoleIndex: 0,
    ReplicatedTokenIndex: 0,
    LastSuccess: '0001-01-01T00:00:00Z',
    LastError: '0001-01-01T00:00:00Z',
    Mode: 'enabled',
  }),
  changes: answer({
    Cluster: '0b7a3c1e-5f0d-4f5c-9a3e-2f1f6c1d8e70',
    Datacenter: 'dc1',
    Index: 42,
    Time: '2026-01-31T12:00:00Z',
    Namespaces: [],
    Policies: [],
    Roles: [],
    Tokens: [],
    Deleted: { Namespaces: [], Policies: [], Roles: [], Tokens: ['6a1253d2-1785-24fd-91c2-f8e78c745511'] },
  }),
  changesDigest: answer({
    Cluster: '0b7a3c1e-5f0d-4f5c-9a3e-2f1f6c1d8e70',
    Datacenter: 'dc1',
    Index: 42,
    Namespaces: { Count: 0, Hash: '0'.repeat(64) },
    Policies: { Count: 1, Hash: 'a9a63f8b0f6b8c5f3c0d1f5d0c2e1b7a4e8d9c6b5a4f3e2d1c0b9a8f7e6d5c4b' },
    Roles: { Count: 0, Hash: '0'.repeat(64) },
    Tokens: { Count: 2, Hash: '3b1f0c9d8e7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c' },
  }),
  migration: answer({
    State: 'running',
    Done: 1_280,
    Total: 40_000,
    Batches: 10,
    TokensPerSecond: 128,
    EstimatedSeconds: 303,
    StartedAt: '2026-01-31T12:00:00Z',
    LastBatchAt: '2026-01-31T12:00:09Z',
  }),
  leader: answer('127.0.0.1:8500'),
  peers: answer(['127.0.0.1:8500']),
  self: answer({
    Config: {
      Datacenter: 'dc1',
      NodeName: 'node-1',
      NodeID: MEMBER.ID,
      Revision: '',
      Server: true,
      Version: '1.11',
    },
    DebugConfig: { defaultPolicy: 'deny' },
    Stats: { latchkey: { acl: 'enabled', server: 'true', version: PRODUCT_VERSION } },
    Member: MEMBER,
    Meta: {},
  }),
  setReplicationToken: answer(true, { Token: 'a0e3f4b2-8d0c-4a5e-9f56-3a1c7d2b9e80' }),
  members: answer([MEMBER]),
  metrics: answer({
    Timestamp: '2026-01-31 12:00:00 +0000 UTC',
    Gauges: [{ Name: 'latchkey_waiters', Value: 3, Labels: {} }],
    Points: [],
    Counters: [],
    Samples: [],
  }),
  datacenters: answer(['dc1']),
  versions: answer([
    {
      Gate: 'token.nodeIdentities',
      Change: 'added',
      At: '1.8.1',
      Kind: 'field',
      SpecRow: '2.1; 9.1 (1.8.1)',
      Sentence:
        'Before 1.8.1 NodeIdentities is an unknown field; since then a token carries node identities.',
      ClientSees:
        'NodeIdentities is ignored before 1.7.0, refused with 400 in 1.7.0 to 1.8.0, and gives rights from 1.8.1.',
      BreaksClients: false,
      DecidedBy: 'both',
    },
  ]),
  openapi: answer({ openapi: '3.1.1', info: { title: 'Latchkey', version: '1.11' }, paths: {} }),
} satisfies ExamplesOf<'operations'>
