/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { ORDERS_LINK } from '../policies/examples.ts'
import { SHOP_LINK } from '../roles/examples.ts'
import { answer, type ExamplesOf } from '../shared/example.ts'

const times = { ExpirationTime: '2026-01-31T20:00:02.25Z', CreateTime: '2026-01-31T12:00:02.25Z' }

export const ACCESSOR = 'd831b6e6-71d2-4b0c-52d5-7e5ed711a695'

const TOKEN = {
  AccessorID: ACCESSOR,
  SecretID: '040b3e72-174e-ff30-806c-f7301f8815f3',
  Description: 'shop-web',
  Policies: [ORDERS_LINK],
  Roles: [SHOP_LINK],
  ServiceIdentities: [{ ServiceName: 'shop-web', Datacenters: ['dc1'] }],
  NodeIdentities: [{ NodeName: 'node-1', Datacenter: 'dc1' }],
  Local: false,
  ...times,
  Hash: 'NI9nRM3CDny4Ff99z3Xi0M/EgRZEJNlmjEk3Eu/1hBE=',
  CreateIndex: 5,
  ModifyIndex: 5,
}

/** As returned to a caller with acl:read. */
const REDACTED_TOKEN = { ...TOKEN, SecretID: '<hidden>' }

const UPDATED_TOKEN = {
  AccessorID: ACCESSOR,
  SecretID: TOKEN.SecretID,
  Description: 'shop-web, second floor',
  Policies: [ORDERS_LINK],
  Local: false,
  ...times,
  Hash: 'rSJLP8YUw8+BERLlMBVQ9Mlt0Lvu6XTxN4V/1/HZupI=',
  CreateIndex: 5,
  ModifyIndex: 6,
}

const CLONED_TOKEN = {
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

/** A token with only a node identity, read with `expanded`. */
const EXPANDED_TOKEN = {
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

const links = { Policies: [{ Name: 'orders-read' }], Roles: [{ Name: 'shop' }] }

const identities = {
  ServiceIdentities: [{ ServiceName: 'shop-web', Datacenters: ['dc1'] }],
  NodeIdentities: [{ NodeName: 'node-1', Datacenter: 'dc1' }],
}

export const examples = {
  create: answer(TOKEN, {
    Description: 'shop-web',
    ...links,
    ...identities,
    ExpirationTTL: '8h',
  }),
  self: answer(TOKEN),
  clone: answer(CLONED_TOKEN, { Description: 'shop-worker' }),
  read: {
    answers: {
      'acl:write': { summary: 'For a caller with acl:write', value: TOKEN },
      'acl:read': { summary: 'For a caller with only acl:read', value: REDACTED_TOKEN },
      expanded: { summary: 'With expanded', value: EXPANDED_TOKEN },
    },
  },
  update: answer(UPDATED_TOKEN, {
    Description: 'shop-web, second floor',
    Policies: [{ Name: 'orders-read' }],
  }),
  delete: answer(true),
  list: answer([BOOTSTRAP_TOKEN, TOKEN]),
  bootstrap: answer({ ID: BOOTSTRAP_TOKEN.SecretID, ...BOOTSTRAP_TOKEN }),
} satisfies ExamplesOf<'tokens'>
