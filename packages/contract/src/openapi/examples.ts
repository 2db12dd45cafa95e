/** An example for every operation. Tests hold each to the schema of its place. */
import type { EndpointName } from '../endpoints.ts'
import { ACL_ERRORS, type AclErrorCode } from '../errors.ts'
import type { Example } from './document.ts'
import * as records from './example-records.ts'

export interface OperationExamples {
  readonly body?: unknown
  /** By a short name; the first is shown first. */
  readonly answers: Readonly<Record<string, Example>>
}

/** One answer, without a name of its own. */
function answer(value: unknown, body?: unknown): OperationExamples {
  return { ...(body === undefined ? {} : { body }), answers: { example: { value } } }
}

const links = { Policies: [{ Name: 'orders-read' }], Roles: [{ Name: 'shop' }] }
const identities = {
  ServiceIdentities: [{ ServiceName: 'shop-web', Datacenters: ['dc1'] }],
  NodeIdentities: [{ NodeName: 'node-1', Datacenter: 'dc1' }],
}
const roleBody = {
  Name: 'shop',
  Description: records.ROLE.Description,
  Policies: [{ Name: 'orders-read' }],
  ServiceIdentities: [{ ServiceName: 'shop' }],
}
const readOrders = { Resource: 'key', Segment: 'orders/1', Access: 'read' }
const writeOrders = { ...readOrders, Access: 'write' }
const decidedBy = {
  Rule: {
    PolicyID: records.POLICY.ID,
    PolicyName: records.POLICY.Name,
    Kind: 'key_prefix',
    Segment: 'orders/',
    Level: 'read',
    Line: 1,
  },
  Path: ['policy orders-read'],
}
const legacyBody = { Name: 'old', Type: 'client', Rules: records.LEGACY_TOKEN.Rules }
const legacyId = { ID: records.LEGACY_TOKEN.ID }

export const EXAMPLES: Readonly<Record<EndpointName, OperationExamples>> = {
  'tokens.create': answer(records.TOKEN, {
    Description: 'shop-web',
    ...links,
    ...identities,
    ExpirationTTL: '8h',
  }),
  'tokens.self': answer(records.TOKEN),
  'tokens.clone': answer(records.CLONED_TOKEN, { Description: 'shop-worker' }),
  'tokens.read': {
    answers: {
      'acl:write': { summary: 'For a caller with acl:write', value: records.TOKEN },
      'acl:read': { summary: 'For a caller with acl:read alone', value: records.REDACTED_TOKEN },
      expanded: { summary: 'With expanded', value: records.EXPANDED_TOKEN },
    },
  },
  'tokens.update': answer(records.UPDATED_TOKEN, {
    Description: 'shop-web, second floor',
    Policies: [{ Name: 'orders-read' }],
  }),
  'tokens.delete': answer(true),
  'tokens.list': answer([records.BOOTSTRAP_TOKEN, records.TOKEN]),
  'policies.create': answer(records.POLICY, {
    Name: 'orders-read',
    Description: 'Read the orders',
    Rules: records.RULES,
  }),
  'policies.lint': answer(
    [
      {
        Code: 'wildcard_is_literal',
        Severity: 'warning',
        Message:
          'key "orders/*": the * is a letter like any other; for all that begin so, write key_prefix "orders/"',
        Line: 1,
        Column: 1,
      },
    ],
    { Rules: 'key "orders/*" { policy = "read" }' },
  ),
  'policies.readByName': answer(records.POLICY),
  'policies.whatIf': answer(
    [
      {
        AccessorID: records.ACCESSOR,
        Description: 'shop-web',
        Gains: [{ Resource: 'key', Segment: 'returns/', Access: 'read' }],
        Losses: [{ Resource: 'service', Segment: 'orders', Access: 'read' }],
      },
    ],
    { Rules: records.MORE_RULES },
  ),
  'policies.read': answer(records.POLICY),
  'policies.update': answer(records.UPDATED_POLICY, {
    Name: 'orders-read',
    Description: 'Read orders and returns',
    Rules: records.MORE_RULES,
  }),
  'policies.delete': answer(true),
  'policies.list': answer(records.POLICY_LIST),
  'roles.create': answer(records.ROLE, roleBody),
  'roles.readByName': answer(records.ROLE),
  'roles.read': answer(records.ROLE),
  'roles.update': answer({ ...records.ROLE, ModifyIndex: 9 }, roleBody),
  'roles.delete': answer(true),
  'roles.list': answer([records.ROLE]),
  'namespaces.create': answer(records.NAMESPACE, { Name: 'team-a', Description: 'Everything of team A' }),
  'namespaces.read': answer(records.NAMESPACE),
  'namespaces.update': answer(
    { ...records.NAMESPACE, Description: 'Team A', ModifyIndex: 14 },
    { Description: 'Team A' },
  ),
  'namespaces.delete': answer(true),
  'namespaces.list': answer([records.NAMESPACE]),
  bootstrap: answer({ ID: records.BOOTSTRAP_TOKEN.SecretID, ...records.BOOTSTRAP_TOKEN }),
  'acl.replication': answer({
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
  authorize: {
    body: [readOrders, writeOrders],
    answers: {
      plain: {
        value: [
          { ...readOrders, Allow: true },
          { ...writeOrders, Allow: false },
        ],
      },
      explain: {
        summary: 'With explain',
        value: [
          { ...readOrders, Allow: true, Explanation: decidedBy },
          { ...writeOrders, Allow: false, Explanation: { ...decidedBy, Missing: writeOrders } },
        ],
      },
    },
  },
  'acl.whoCan': answer(
    [
      { AccessorID: records.BOOTSTRAP_TOKEN.AccessorID, Description: records.BOOTSTRAP_TOKEN.Description },
      { AccessorID: records.ACCESSOR, Description: 'shop-web' },
    ],
    readOrders,
  ),
  'acl.migration': answer({
    State: 'running',
    Done: 1_280,
    Total: 40_000,
    Batches: 10,
    TokensPerSecond: 128,
    EstimatedSeconds: 303,
    StartedAt: '2026-01-31T12:00:00Z',
    LastBatchAt: '2026-01-31T12:00:09Z',
  }),
  'rules.translate': answer(
    'key_prefix "orders/" {\n  policy = "read"\n}\n',
    'key "orders/" {\n  policy = "read"\n}\n',
  ),
  'rules.translateToken': answer('key_prefix "" {\n  policy = "read"\n}\n'),
  'legacy.create': answer(legacyId, legacyBody),
  'legacy.update': answer(legacyId, { ...legacyBody, ...legacyId, Name: 'older' }),
  'legacy.destroy': answer(true),
  'legacy.info': answer([records.LEGACY_TOKEN]),
  'legacy.clone': answer({ ID: 'ca2e4ab1-8b62-9b37-11bb-0e94e7ac2a9f' }),
  'legacy.list': answer([records.LEGACY_TOKEN]),
  'legacy.import': answer({ Imported: 1, Unchanged: 0, Problems: [] }, [records.LEGACY_TOKEN]),
  'legacy.export': answer([records.LEGACY_TOKEN]),
  'kv.read': {
    answers: {
      entry: {
        summary: 'One key',
        value: [
          { LockIndex: 0, Key: 'orders/1', Flags: 0, Value: 'aGVsbG8=', CreateIndex: 9, ModifyIndex: 9 },
        ],
      },
      keys: { summary: 'With keys', value: ['orders/1', 'orders/2'] },
    },
  },
  'kv.write': answer(true, 'hello'),
  'kv.delete': answer(true),
  'status.leader': answer('127.0.0.1:8500'),
  'status.peers': answer(['127.0.0.1:8500']),
  'agent.self': answer({
    Config: {
      Datacenter: 'dc1',
      NodeName: 'node-1',
      NodeID: records.MEMBER.ID,
      Revision: '',
      Server: true,
      Version: '1.11',
    },
    DebugConfig: { defaultPolicy: 'deny' },
    Stats: { latchkey: { acl: 'enabled', server: 'true' } },
    Member: records.MEMBER,
    Meta: {},
  }),
  'agent.members': answer([records.MEMBER]),
  'agent.metrics': answer({
    Timestamp: '2026-01-31 12:00:00 +0000 UTC',
    Gauges: [{ Name: 'latchkey_waiters', Value: 3, Labels: {} }],
    Points: [],
    Counters: [],
    Samples: [],
  }),
  'catalog.datacenters': answer(['dc1']),
  versions: answer([
    {
      Gate: 'token.nodeIdentities',
      Change: 'added',
      At: '1.8.1',
      Kind: 'field',
      SpecRow: '2.1; 9.1 (1.8.1)',
      Sentence: 'Before 1.8.1 NodeIdentities is an unknown field; from it a token carries node identities.',
      ClientSees:
        'NodeIdentities is ignored before 1.7.0, refused with 400 in 1.7.0 to 1.8.0, and gives rights from 1.8.1.',
      BreaksClients: false,
      DecidedBy: 'both',
    },
  ]),
  openapi: answer({ openapi: '3.1.1', info: { title: 'Latchkey', version: '1.11' }, paths: {} }),
}

/** A problem document for every code, as `Accept: application/problem+json` asks for it. Design 6. */
export const ERROR_EXAMPLES: Readonly<Record<string, Example>> = Object.fromEntries(
  (Object.keys(ACL_ERRORS) as AclErrorCode[]).map((code) => {
    const { status, title } = ACL_ERRORS[code]
    const value = {
      type: `urn:latchkey:error:${code}`,
      title,
      status,
      detail: `${title}.`,
      code,
      requestId: 'f3a9c2-1k',
    }
    return [code, { summary: title, value }]
  }),
)
