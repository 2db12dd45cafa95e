/** The records of the examples: one small shop, the same in every operation, as the service really answered. */

export const ACCESSOR = 'd831b6e6-71d2-4b0c-52d5-7e5ed711a695'

const orders = { ID: '7da7fd0a-a264-3c55-0853-240ced6fac23', Name: 'orders-read' }
const shop = { ID: '7a222f8d-e637-d51e-216f-610aaf3533c2', Name: 'shop' }
const times = { ExpirationTime: '2026-01-31T20:00:02.25Z', CreateTime: '2026-01-31T12:00:02.25Z' }

export const RULES =
  'key_prefix "orders/" {\n  policy = "read"\n}\nservice "orders" {\n  policy = "read"\n}\n'
export const MORE_RULES =
  'key_prefix "orders/" {\n  policy = "read"\n}\nkey_prefix "returns/" {\n  policy = "read"\n}\n'

export const POLICY = {
  ...orders,
  Description: 'Read the orders',
  Rules: RULES,
  Hash: '1khH2QUKI/UCsEiHZ4/RX/1fDWjkrR5g9rYWegY3wag=',
  CreateIndex: 3,
  ModifyIndex: 3,
}

export const UPDATED_POLICY = {
  ...POLICY,
  Description: 'Read orders and returns',
  Rules: MORE_RULES,
  Hash: 'qvABUs5xt0z4lQ11WflMjnpvZZ0IKgNbBkY8aH/gfmY=',
  ModifyIndex: 8,
}

export const POLICY_LIST = [
  {
    ID: '00000000-0000-0000-0000-000000000001',
    Name: 'global-management',
    Description: 'Builtin Policy that grants unlimited access',
    Datacenters: null,
    Hash: 'swIQt6up+s0cV4kePfJ2aRdKCLaQyykF4Hl1Nfdeumk=',
    CreateIndex: 1,
    ModifyIndex: 1,
  },
  {
    ...orders,
    Description: POLICY.Description,
    Datacenters: null,
    Hash: POLICY.Hash,
    CreateIndex: 3,
    ModifyIndex: 3,
  },
]

export const ROLE = {
  ...shop,
  Description: 'What every part of the shop may do',
  Policies: [orders],
  ServiceIdentities: [{ ServiceName: 'shop' }],
  Hash: 'QFDymRLSn2zu6A2Z3gDdKXjrg3uICkOslkJDNxynDgQ=',
  CreateIndex: 4,
  ModifyIndex: 4,
}

export const TOKEN = {
  AccessorID: ACCESSOR,
  SecretID: '040b3e72-174e-ff30-806c-f7301f8815f3',
  Description: 'shop-web',
  Policies: [orders],
  Roles: [shop],
  ServiceIdentities: [{ ServiceName: 'shop-web', Datacenters: ['dc1'] }],
  NodeIdentities: [{ NodeName: 'node-1', Datacenter: 'dc1' }],
  Local: false,
  ...times,
  Hash: 'NI9nRM3CDny4Ff99z3Xi0M/EgRZEJNlmjEk3Eu/1hBE=',
  CreateIndex: 5,
  ModifyIndex: 5,
}

/** As a caller with acl:read sees it. */
export const REDACTED_TOKEN = { ...TOKEN, SecretID: '<hidden>' }

export const UPDATED_TOKEN = {
  AccessorID: ACCESSOR,
  SecretID: TOKEN.SecretID,
  Description: 'shop-web, second floor',
  Policies: [orders],
  Local: false,
  ...times,
  Hash: 'rSJLP8YUw8+BERLlMBVQ9Mlt0Lvu6XTxN4V/1/HZupI=',
  CreateIndex: 5,
  ModifyIndex: 6,
}

export const CLONED_TOKEN = {
  ...UPDATED_TOKEN,
  AccessorID: 'e257412b-9822-e7de-c98a-bbe4094cbadc',
  SecretID: '066a78a2-d7d4-ae83-22dc-cabf2c383e05',
  Description: 'shop-worker',
  CreateTime: '2026-01-31T12:00:06.5Z',
  Hash: 'tPMJSMadk34wuH2wUeBzL/qlrhCHD0KyRVNjjJ82zv0=',
  CreateIndex: 7,
  ModifyIndex: 7,
}

export const BOOTSTRAP_TOKEN = {
  AccessorID: '6c4e6959-0abc-5829-8ba9-d5bf128e29df',
  SecretID: '373b46a0-e027-1e7b-1937-d2bfbb7bb590',
  Description: 'Bootstrap Token (Global Management)',
  Policies: [{ ID: '00000000-0000-0000-0000-000000000001', Name: 'global-management' }],
  Local: false,
  CreateTime: '2026-01-31T12:00:00.5Z',
  Hash: 'X2AgaFhnQGRhSSF/h0m6qpX1wj/HJWbyXcxkEM/5GrY=',
  CreateIndex: 2,
  ModifyIndex: 2,
}

const SYNTHETIC_ID =
  '0a6e6f646520226e6f64652d3122207b0a09706f6c696379203d20227772697465220a7d0a736572766963655f707265666978202222207b0a09706f6c696379203d202272656164220a7d6c62272e07bb014262b821756295c58d'

/** A token that has a node identity and nothing else, read with `expanded`. */
export const EXPANDED_TOKEN = {
  AccessorID: ACCESSOR,
  SecretID: TOKEN.SecretID,
  Description: 'node-1',
  NodeIdentities: [{ NodeName: 'node-1', Datacenter: 'dc1' }],
  Local: false,
  CreateTime: times.CreateTime,
  Hash: '7fvqf594yNkGhr1iNSdOe1SscJoZ5PW5KT9oUVrRD+U=',
  CreateIndex: 5,
  ModifyIndex: 5,
  ExpandedPolicies: [
    {
      ID: SYNTHETIC_ID,
      Name: `synthetic-policy-${SYNTHETIC_ID}`,
      Description: 'synthetic policy',
      Rules: '\nnode "node-1" {\n\tpolicy = "write"\n}\nservice_prefix "" {\n\tpolicy = "read"\n}',
      Datacenters: ['dc1'],
      Hash: 'YrfRvPsa7sqqN+Gbbj2iljJk9tWtYwtfyjXkO+BepSA=',
      CreateIndex: 0,
      ModifyIndex: 0,
    },
  ],
  ExpandedRoles: null,
  NamespaceDefaultPolicyIDs: null,
  NamespaceDefaultRoleIDs: null,
  AgentACLDefaultPolicy: 'deny',
  AgentACLDownPolicy: 'extend-cache',
  ResolvedByAgent: 'node-1',
}

export const NAMESPACE = {
  Name: 'team-a',
  Description: 'Everything of team A',
  ACLs: { PolicyDefaults: [], RoleDefaults: [] },
  CreateIndex: 12,
  ModifyIndex: 12,
}

export const LEGACY_TOKEN = {
  ID: '5070ae60-25b6-89c2-f547-68b660313d63',
  Name: 'old',
  Type: 'client',
  Rules: 'key "" { policy = "read" }',
  CreateIndex: 10,
  ModifyIndex: 10,
}

export const MEMBER = {
  ID: '7d8e1c52-3f0b-4a66-9a51-0e6f2b7c9d10',
  Name: 'node-1',
  Addr: '127.0.0.1',
  Port: 8500,
  Tags: { role: 'server', acls: '1', build: '1.11' },
  Status: 1,
  Datacenter: 'dc1',
  Version: '1.11',
}
