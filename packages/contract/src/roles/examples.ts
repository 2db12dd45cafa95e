/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { ORDERS_LINK } from '../policies/examples.ts'
import { answer, type ExamplesOf } from '../shared/example.ts'

/** The role of all examples. */
export const SHOP_LINK = { ID: '7a222f8d-e637-d51e-216f-610aaf3533c2', Name: 'shop' }

const ROLE = {
  ...SHOP_LINK,
  Description: 'What every part of the shop may do',
  Policies: [ORDERS_LINK],
  ServiceIdentities: [{ ServiceName: 'shop' }],
  Hash: 'QFDymRLSn2zu6A2Z3gDdKXjrg3uICkOslkJDNxynDgQ=',
  CreateIndex: 4,
  ModifyIndex: 4,
}

const roleBody = {
  Name: 'shop',
  Description: ROLE.Description,
  Policies: [{ Name: 'orders-read' }],
  ServiceIdentities: [{ ServiceName: 'shop' }],
}

export const examples = {
  create: answer(ROLE, roleBody),
  readByName: answer(ROLE),
  read: answer(ROLE),
  update: answer({ ...ROLE, ModifyIndex: 9 }, roleBody),
  delete: answer(true),
  list: answer([ROLE]),
} satisfies ExamplesOf<'roles'>
