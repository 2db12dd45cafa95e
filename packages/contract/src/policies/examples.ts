/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

/** The policy of all examples. */
export const ORDERS_LINK = { ID: '7da7fd0a-a264-3c55-0853-240ced6fac23', Name: 'orders-read' }

const RULES = 'key_prefix "orders/" {\n  policy = "read"\n}\nservice "orders" {\n  policy = "read"\n}\n'

const MORE_RULES =
  'key_prefix "orders/" {\n  policy = "read"\n}\nkey_prefix "returns/" {\n  policy = "read"\n}\n'

const POLICY = {
  ...ORDERS_LINK,
  Description: 'Read the orders',
  Rules: RULES,
  Hash: '1khH2QUKI/UCsEiHZ4/RX/1fDWjkrR5g9rYWegY3wag=',
  CreateIndex: 3,
  ModifyIndex: 3,
}

const UPDATED_POLICY = {
  ...POLICY,
  Description: 'Read orders and returns',
  Rules: MORE_RULES,
  Hash: 'qvABUs5xt0z4lQ11WflMjnpvZZ0IKgNbBkY8aH/gfmY=',
  ModifyIndex: 8,
}

const POLICY_LIST = [
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
    ...ORDERS_LINK,
    Description: POLICY.Description,
    Datacenters: null,
    Hash: POLICY.Hash,
    CreateIndex: 3,
    ModifyIndex: 3,
  },
]

export const examples = {
  create: answer(POLICY, {
    Name: 'orders-read',
    Description: 'Read the orders',
    Rules: RULES,
  }),
  lint: answer(
    [
      {
        Code: 'wildcard_is_literal',
        Severity: 'warning',
        Message:
          'key "orders/*": * is an ordinary character here; to match a prefix, write key_prefix "orders/"',
        Line: 1,
        Column: 1,
      },
    ],
    { Rules: 'key "orders/*" { policy = "read" }' },
  ),
  readByName: answer(POLICY),
  whatIf: answer(
    [
      {
        AccessorID: 'd831b6e6-71d2-4b0c-52d5-7e5ed711a695',
        Description: 'shop-web',
        Gains: [{ Resource: 'key', Segment: 'returns/', Access: 'read' }],
        Losses: [{ Resource: 'service', Segment: 'orders', Access: 'read' }],
      },
    ],
    { Rules: MORE_RULES },
  ),
  read: answer(POLICY),
  update: answer(UPDATED_POLICY, {
    Name: 'orders-read',
    Description: 'Read orders and returns',
    Rules: MORE_RULES,
  }),
  delete: answer(true),
  list: answer(POLICY_LIST),
} satisfies ExamplesOf<'policies'>
