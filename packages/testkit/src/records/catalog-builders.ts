/** Catalog records for tests, with plain defaults. */
import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import type { CheckRecord, NodeRecord, ServiceRecord, SessionRecord } from '@latchkey/catalog'

export function aNode(fields: Partial<NodeRecord> = {}): NodeRecord {
  return {
    ID: '',
    Node: 'node-1',
    Address: '10.0.0.1',
    TaggedAddresses: null,
    Meta: null,
    CreateIndex: 0,
    ModifyIndex: 0,
    ...fields,
  }
}

/** A service of {@link aNode}. */
export function aService(fields: Partial<ServiceRecord> = {}): ServiceRecord {
  return {
    Node: 'node-1',
    ID: 'web',
    Service: 'web',
    Kind: '',
    Tags: [],
    Address: '',
    TaggedAddresses: {},
    Meta: null,
    Port: 8080,
    SocketPath: '',
    Weights: { Passing: 1, Warning: 1 },
    EnableTagOverride: false,
    Proxy: {},
    Connect: {},
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: DEFAULT_NAMESPACE,
    ...fields,
  }
}

/** A check of {@link aNode}. */
export function aCheck(fields: Partial<CheckRecord> = {}): CheckRecord {
  return {
    Node: 'node-1',
    CheckID: 'alive',
    Name: 'alive',
    Status: 'passing',
    Notes: '',
    Output: '',
    ServiceID: '',
    Type: '',
    Interval: '',
    Timeout: '',
    ExposedPort: 0,
    Definition: {},
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: DEFAULT_NAMESPACE,
    ...fields,
  }
}

/** A session of {@link aNode} without checks, TTL and lock delay. */
export function aSession(fields: Partial<SessionRecord> & Pick<SessionRecord, 'ID'>): SessionRecord {
  return {
    Name: '',
    Node: 'node-1',
    LockDelay: 0,
    Behavior: 'release',
    TTL: '',
    NodeChecks: [],
    ServiceChecks: null,
    Checks: [],
    CreateIndex: 0,
    ModifyIndex: 0,
    ...fields,
  }
}
