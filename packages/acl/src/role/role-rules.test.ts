import { type CreateRole, roleSchema } from '@latchkey/contract'
import { aDirectory, countingRandom } from '@latchkey/testkit/records/context'
import { aPolicy, aRole } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { expect, test } from 'vitest'
import { createRole, showRole, updateRole } from './role-rules.ts'

const policy = aPolicy({ Name: 'reader' })
const ops = aRole({ Name: 'Ops', Description: 'before', Policies: [{ ID: policy.ID }] })
const dev = aRole({ Name: 'dev' })
const directory = aDirectory({ policies: [policy], roles: [ops, dev] })

const create = (request: Partial<CreateRole>) =>
  createRole({ Name: 'new', ...request }, { random: countingRandom(), directory, namespace: 'default' })
const update = (request: Partial<CreateRole>) =>
  updateRole(ops, { Name: ops.Name, ...request }, { directory })

test('a name has at most 256 letters, digits, - and _', () => {
  for (const Name of ['a', 'A-_9', 'x'.repeat(256)]) expect(create({ Name }).Name).toBe(Name)
  expect(refusalOf(() => create({ Name: 'x'.repeat(257) }))).toMatchObject({
    code: 'name_invalid',
    field: 'Name',
  })
})

test('create refuses an ID; update may repeat its own in any case, and its name in another case', () => {
  expect(refusalOf(() => create({ ID: ops.ID }))).toMatchObject({ code: 'field_invalid', field: 'ID' })
  expect(update({ Name: 'OPS', ID: ops.ID.toUpperCase() })).toMatchObject({ Name: 'OPS', ID: ops.ID })
  expect(refusalOf(() => update({ ID: dev.ID })).code).toBe('accessor_mismatch')
})

test('shown: keys in the order of the contract', () => {
  const identities = {
    ServiceIdentities: [{ ServiceName: 'web' }],
    NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
  }
  expect(Object.keys(showRole({ ...ops, ...identities }, directory, true))).toEqual(
    Object.keys(roleSchema.shape),
  )
})
